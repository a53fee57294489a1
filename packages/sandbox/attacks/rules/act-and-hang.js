/**
 * Sends an action, and then only the death of its executor can end it.
 *
 * Holds: the action stands, and the run is a violation of its time; it is not repeated.
 *
 * @ends violation execution_time
 * @actions 1
 * @kills
 */
await $.Strategy.action('LONG')
Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)
