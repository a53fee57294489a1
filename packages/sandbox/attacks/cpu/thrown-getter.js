/**
 * Loops while the error it threw is being described.
 *
 * Holds: that happens inside the isolate, on the strategy's own time.
 *
 * @ends violation execution_time
 */
throw new (class extends Error { get message() { for (;;); } })()
