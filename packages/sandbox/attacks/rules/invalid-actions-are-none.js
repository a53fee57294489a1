/**
 * Sends many invalid actions, to get one more through than allowed.
 *
 * Holds: invalid actions never leave the isolate and do not count; the valid one counts.
 *
 * @ends completed
 * @actions 1
 */
for (let index = 0; index < 50; index += 1) await $.Strategy.action('UP').catch(() => {})
await $.Strategy.action('LONG')
