/**
 * Loops with awaits of nothing.
 *
 * Holds: the timeout counts for the entry with all its microtasks.
 *
 * @ends violation execution_time
 */
for (;;) await null
