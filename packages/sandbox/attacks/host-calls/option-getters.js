/**
 * Shows the check of an option one value, and what is sent another.
 *
 * Holds: each option is read once.
 *
 * @ends completed
 * @actions 1
 * @log 1
 */
let reads = 0
await $.Strategy.action('LONG', { get size() { reads += 1; return reads === 1 ? 5 : 'ESCAPED' } })
$.log(reads)
