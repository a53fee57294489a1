/**
 * Sends an action, and then cannot be ended but by the death of its executor.
 *
 * Holds: the action stands, and the run is charged with its time; it is not run again.
 *
 * @ends violation execution_time
 * @actions 1
 * @kills
 */
await $.Strategy.action('LONG')
Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)
