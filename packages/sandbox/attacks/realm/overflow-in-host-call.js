/**
 * Overflows the stack in the middle of a host call, to leave the state of the runtime inconsistent.
 *
 * Holds: the parent keeps its own state; an inconsistent state affects only the run itself.
 *
 * @ends completed | failed RangeError | failed Error
 */
const pending = []
const dive = () => { try { dive() } catch { try { pending.push($.Strategy.stop().catch(() => {})) } catch {} } }
dive()
await Promise.race([Promise.all(pending), $.Strategy.stop().catch(() => {})])
