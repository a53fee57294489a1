/**
 * Calls the host so late that its answer comes after the deadline.
 *
 * Holds: an accepted action stands; the run is a violation of its time anyway.
 *
 * @ends violation execution_time
 * @actions 1
 */
const end = Date.now() + 475
while (Date.now() < end);
$.Strategy.action('LONG')
await $.Strategy.stop(true)
