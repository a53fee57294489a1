/**
 * Makes a regular expression backtrack.
 *
 * Holds: V8 interrupts its matcher at the deadline.
 *
 * @ends violation execution_time
 */
/^(a+)+$/.test(`${'a'.repeat(50)}b`)
