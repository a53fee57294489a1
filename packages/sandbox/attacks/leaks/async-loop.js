/**
 * Leaves a loop behind that goes on with each answer of the host.
 *
 * Holds: an isolate with an open call is thrown away.
 *
 * @ends completed
 * @log ended
 */
const loop = async () => { for (;;) { await $.Strategy.stop(true); $.log('ESCAPED') } }
loop().catch(() => {})
$.log('ended')
