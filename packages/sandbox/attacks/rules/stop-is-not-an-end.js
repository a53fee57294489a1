/**
 * Goes on after it has stopped itself.
 *
 * Holds: nothing to hold: the run goes on, and its one action is its one.
 *
 * @ends completed
 * @actions 1
 */
await $.Strategy.stop()
await $.Strategy.action('LONG')
