/**
 * Continues after it has stopped itself.
 *
 * Holds: nothing is needed here: the run continues, and may still send its one action.
 *
 * @ends completed
 * @actions 1
 */
await $.Strategy.stop()
await $.Strategy.action('LONG')
