/**
 * Loops during a host call.
 *
 * Holds: the clocks of the parent and of the isolate both run; the answer waits.
 *
 * @ends violation execution_time
 */
$.Strategy.stop()
for (;;);
