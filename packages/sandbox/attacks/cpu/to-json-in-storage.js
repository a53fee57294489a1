/**
 * Loops while its value is being written for the storage.
 *
 * Holds: this happens inside the isolate, within the strategy's own time.
 *
 * @ends violation execution_time
 */
await $.Storage.set({ toJSON() { for (;;); } })
