/**
 * Loops while its value is being written for the log.
 *
 * Holds: this happens inside the isolate, within the strategy's own time.
 *
 * @ends violation execution_time
 */
$.log('first', { get second() { for (;;); } })
