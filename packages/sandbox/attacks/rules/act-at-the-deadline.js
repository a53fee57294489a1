/**
 * Calls the host so late that its answer comes after the deadline.
 *
 * Holds: an accepted action stands; the run is a violation of its time anyway.
 *
 * @ends violation execution_time
 * @actions 1
 */
for (let answers = 0; answers < 4; answers += 1) await $.Http.get('https://slow.example/')
$.Strategy.action('LONG')
await $.Http.get('https://slow.example/')
await $.Http.get('https://slow.example/')
