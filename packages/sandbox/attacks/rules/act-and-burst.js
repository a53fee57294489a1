/**
 * Sends an action, and then fills the memory.
 *
 * Holds: the action stands, and the run is a violation; it is not repeated.
 *
 * @ends violation memory | violation execution_time
 * @actions 1
 * @kills
 */
await $.Strategy.action('LONG')
const kept = []
for (;;) kept.push(new Array(100_000).fill(1))
