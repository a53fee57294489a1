/**
 * Calls the host so late that its answer comes after the deadline.
 *
 * Holds: an action that was accepted stands; the run is charged with its time all the same.
 *
 * @ends violation execution_time
 * @actions 1
 */
const end = Date.now() + 475
while (Date.now() < end);
$.Strategy.action('LONG')
await $.Strategy.stop(true)
