/**
 * Leaves microtasks behind that run after the body has returned.
 *
 * Holds: an entry into the isolate ends when there are no more microtasks; their messages after the end are dropped.
 *
 * @ends completed
 * @log ended
 */
const later = (turns) => Promise.resolve().then(() => (turns === 0 ? $.log('ESCAPED') : later(turns - 1)))
later(1_000)
$.log('ended')
