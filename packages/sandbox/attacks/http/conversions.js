/**
 * Passes addresses, parameters and headers that turn into texts with side effects.
 *
 * Holds: the checks ask for texts, and convert nothing that is an object.
 *
 * @ends completed
 * @log TypeError TypeError TypeError TypeError
 */
const text = { toString: () => { $.log('ESCAPED'); return 'http://a.example/' } }
const ends = []
for (const call of [() => $.Http.get(text), () => $.Http.get('http://a.example/', { text }), () => $.Http.get('http://a.example/', {}, { text }), () => $.Http.get('http://a.example/', { list: [[text]] })]) {
  await call().then(() => ends.push('ESCAPED'), (error) => ends.push(error.name))
}
$.log(...ends)
