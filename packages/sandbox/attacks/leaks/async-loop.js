/**
 * Leaves a loop behind that continues with each answer of the host.
 *
 * Holds: an isolate with a pending call is thrown away.
 *
 * @ends completed
 * @log ended
 */
const loop = async () => { for (;;) { await $.Strategy.stop(true); $.log('ESCAPED') } }
loop().catch(() => {})
$.log('ended')
