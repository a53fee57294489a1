/**
 * Loads a module with options whose getters throw and specifiers whose `toString` has effects.
 *
 * Holds: the text check; without it the isolate has no loader, and rejects.
 *
 * @ends completed
 * @log refused refused refused
 */
const attempts = [
  () => import({ toString: () => 'data:text/javascript,export default 1' }),
  () => import('x', { get with() { throw new Error('getter') } }),
  () => import('x', { with: { type: 'json' } }),
]
const ends = []
for (const attempt of attempts) ends.push(await attempt().then(() => 'ESCAPED', () => 'refused'))
$.log(...ends)
