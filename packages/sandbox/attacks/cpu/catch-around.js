/**
 * Loops within `catch` and `finally`, to live on after its end.
 *
 * Holds: a termination is no exception that code could catch.
 *
 * @ends violation execution_time
 */
for (;;) { try { for (;;) {} } catch {} finally { continue } }
