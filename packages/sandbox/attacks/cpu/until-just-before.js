/**
 * Works until just before its deadline, and then calls the host.
 *
 * Holds: the wall clock decides; a call's answer after the deadline is too late.
 *
 * @ends violation execution_time
 */
const end = Date.now() + 490
while (Date.now() < end) await $.Http.get('https://slow.example/')
await $.Http.get('https://slow.example/')
