/**
 * Makes nine calls at once.
 *
 * Holds: the guest counts, and the parent counts again: a ninth that reached it would be a breach.
 *
 * @ends completed
 * @log 8 of 9
 */
const calls = await Promise.allSettled(Array.from({ length: 9 }, () => $.Strategy.stop()))
$.log(calls.filter(({ status }) => status === 'fulfilled').length, 'of 9')
