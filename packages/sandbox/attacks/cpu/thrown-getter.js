/**
 * Loops while the error it threw is being described.
 *
 * Holds: this happens inside the isolate, within the strategy's own time.
 *
 * @ends violation execution_time
 */
throw new (class extends Error { get message() { for (;;); } })()
