/**
 * Loops in a getter that the check of an action's options reads.
 *
 * Holds: the check runs inside the isolate, within the strategy's own time.
 *
 * @ends violation execution_time
 */
$.Strategy.action('LONG', { get size() { for (;;); } })
