/**
 * Has a builtin run a backtracking expression with a callback over and over.
 *
 * Holds: V8 interrupts its matcher at the deadline.
 *
 * @ends violation execution_time
 */
for (;;) 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.replace(/(a*)*$/g, (text) => text)
