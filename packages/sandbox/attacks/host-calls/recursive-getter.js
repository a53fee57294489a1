/**
 * Makes another call from the getter of an option of a call.
 *
 * Holds: a call is counted when it is made; so the inner call is the first.
 *
 * @ends completed
 * @actions 1
 * @log stopped
 */
let inner
await $.Strategy.action('LONG', { get size() { inner = $.Strategy.stop(); return 1 } })
if (await inner) $.log('stopped')
