/**
 * Sends a second action, and swallows the error.
 *
 * Holds: a violation counts, whatever the code does with its error.
 *
 * @ends violation actions_per_run
 * @actions 1
 */
await $.Strategy.action('LONG')
await $.Strategy.action('EXIT').catch(() => {})
$.log('as if nothing had happened')
