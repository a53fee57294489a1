/**
 * Passes strings to builtins that take callbacks.
 *
 * Holds: no builtin of the language compiles a string; those of browsers that do are not there.
 *
 * @ends completed
 * @log 5 refused
 */
let refused = 0
for (const call of [
  () => [1].map('ESCAPED'), () => 'x'.replace(/x/, { call: 'ESCAPED' }).at(99).x, () => JSON.parse('[1]', 'ESCAPED').x.y,
  () => new Promise('ESCAPED'), () => Array.from([1], 'ESCAPED'),
]) try { call() } catch { refused += 1 }
$.log(refused, 'refused')
