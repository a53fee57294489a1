/**
 * Loops within `catch` and `finally`, to live on after its end.
 *
 * Holds: code cannot catch a termination.
 *
 * @ends violation execution_time
 */
for (;;) { try { for (;;) {} } catch {} finally { continue } }
