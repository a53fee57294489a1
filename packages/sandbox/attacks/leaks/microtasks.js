/**
 * Leaves microtasks behind that run after the body has returned.
 *
 * Holds: an entry into the isolate ends when its microtasks have run dry; what they say after the end is dropped.
 *
 * @ends completed
 * @log ended
 */
const later = (turns) => Promise.resolve().then(() => (turns === 0 ? $.log('ESCAPED') : later(turns - 1)))
later(1_000)
$.log('ended')
