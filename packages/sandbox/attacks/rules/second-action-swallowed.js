/**
 * Sends a second action, and swallows what it says.
 *
 * Holds: a violation is one whatever the code makes of it.
 *
 * @ends violation actions_per_run
 * @actions 1
 */
await $.Strategy.action('LONG')
await $.Strategy.action('EXIT').catch(() => {})
$.log('as if nothing had happened')
