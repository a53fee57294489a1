/**
 * Loops while its value is being written for the storage.
 *
 * Holds: that happens inside the isolate, on the strategy's own time.
 *
 * @ends violation execution_time
 */
await $.Storage.set({ toJSON() { for (;;); } })
