/**
 * Sends two actions at once, so that neither has ended when the other is checked.
 *
 * Holds: the parent records the action before it awaits anything.
 *
 * @ends violation actions_per_run
 * @actions 1
 */
await Promise.all([$.Strategy.action('LONG'), $.Strategy.action('SHORT')])
