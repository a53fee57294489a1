/**
 * Continues to call the host after it has swallowed a violation.
 *
 * Holds: after a violation the parent answers no further call.
 *
 * @ends violation actions_per_run
 * @actions 1
 * @log refused
 */
await $.Strategy.action('LONG')
await $.Strategy.action('LONG').catch(() => {})
await $.Strategy.stop().then(() => $.log('ESCAPED'), () => $.log('refused'))
