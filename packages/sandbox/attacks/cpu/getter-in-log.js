/**
 * Loops while its value is being written for the log.
 *
 * Holds: that happens inside the isolate, on the strategy's own time.
 *
 * @ends violation execution_time
 */
$.log('first', { get second() { for (;;); } })
