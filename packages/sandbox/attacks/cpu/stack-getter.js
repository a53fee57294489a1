/**
 * Loops while the stack of its error is being formatted.
 *
 * Holds: this happens inside the isolate, within the strategy's own time.
 *
 * @ends violation execution_time
 */
const error = { get name() { for (;;); } }
Error.captureStackTrace(error)
void error.stack
