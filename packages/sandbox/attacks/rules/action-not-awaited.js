/**
 * Sends two actions, awaits neither, and ends.
 *
 * Holds: the parent sees both calls before the end.
 *
 * @ends violation actions_per_run
 * @actions 1
 */
$.Strategy.action('LONG')
$.Strategy.action('LONG').catch(() => {})
