/**
 * Calls functions of `$` with receivers and arguments that it has made.
 *
 * Holds: they read no `this`, and check their arguments.
 *
 * @ends completed
 * @log TypeError TypeError TypeError
 */
const ends = []
for (const call of [
  () => $.Strategy.action.call({ run: 1 }, 'LONG', { id: { toString: () => 'x' } }),
  () => $.Storage.set.apply({ storage: '1' }, [() => {}]),
  () => Promise.prototype.then.call($.Strategy, () => {}),
]) {
  try { await call(); ends.push('ESCAPED') } catch (error) { ends.push(error.name) }
}
$.log(...ends)
