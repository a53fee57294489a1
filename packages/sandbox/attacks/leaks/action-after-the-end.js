/**
 * Sends an action after the body has returned.
 *
 * Holds: messages after the end are dropped.
 *
 * @ends completed
 * @actions 0
 */
const later = async () => { for (let turns = 0; turns < 100; turns += 1) await null; await $.Strategy.action('LONG') }
later().catch(() => {})
