/**
 * Loops during a host call.
 *
 * Holds: the parent's clock and the isolate's both go on; the answer waits.
 *
 * @ends violation execution_time
 */
$.Strategy.stop()
for (;;);
