/**
 * Makes a builtin run a backtracking expression with a callback again and again.
 *
 * Holds: V8 interrupts its matcher at the deadline.
 *
 * @ends violation execution_time
 */
for (;;) 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.replace(/(a*)*$/g, (text) => text)
