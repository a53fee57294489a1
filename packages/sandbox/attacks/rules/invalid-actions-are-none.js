/**
 * Sends many invalid actions, to get one more through than it may.
 *
 * Holds: what is invalid never leaves the isolate, and counts for nothing; the valid one counts.
 *
 * @ends completed
 * @actions 1
 */
for (let index = 0; index < 50; index += 1) await $.Strategy.action('UP').catch(() => {})
await $.Strategy.action('LONG')
