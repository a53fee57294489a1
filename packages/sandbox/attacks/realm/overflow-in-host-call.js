/**
 * Overflows the stack in the middle of a host call, to leave the runtime's books half written.
 *
 * Holds: the parent keeps its own books; what is left half done is the run's own.
 *
 * @ends completed | failed RangeError | failed Error
 */
const pending = []
const dive = () => { try { dive() } catch { try { pending.push($.Strategy.stop().catch(() => {})) } catch {} } }
dive()
await Promise.race([Promise.all(pending), $.Strategy.stop().catch(() => {})])
