/**
 * Constructs functions of `$` with `new` and as superclasses.
 *
 * Holds: they are arrow functions.
 *
 * @ends completed
 * @log refused refused refused refused
 */
const ends = []
for (const make of [() => new $.log(), () => new $.Storage.get(), () => class extends $.log {}, () => new $.Http.get('x')]) {
  try { make(); ends.push('ESCAPED') } catch { ends.push('refused') }
}
$.log(...ends)
