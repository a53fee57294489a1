/**
 * Sorts by a comparator that never returns.
 *
 * Holds: the timeout interrupts it as any function.
 *
 * @ends violation execution_time
 */
[3, 2, 1].sort(() => { for (;;); })
