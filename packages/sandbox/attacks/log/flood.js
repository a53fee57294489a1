/**
 * Logs without end.
 *
 * Holds: the log is cut at 8 KB in the isolate, and what comes after it does not cross.
 *
 * @ends violation execution_time
 */
for (;;) $.log('x'.repeat(100))
