/**
 * Signs texts and with keys of wrong types, sizes and algorithms.
 *
 * Holds: each argument is checked in the isolate.
 *
 * @ends completed
 * @log TypeError TypeError TypeError RangeError RangeError
 */
const ends = []
for (const call of [
  () => $.Http.generateSignature({ toString: () => 'x' }, 'secret'), () => $.Http.generateSignature('x', 5), () => $.Http.generateSignature('x', 'y', 'MD5'),
  () => $.Http.generateSignature('x'.repeat(300_000), 'y'), () => $.Http.generateSignature('x', 'y'.repeat(300_000)),
]) await call().then(() => ends.push('ESCAPED'), (error) => ends.push(error.name))
$.log(...ends)
