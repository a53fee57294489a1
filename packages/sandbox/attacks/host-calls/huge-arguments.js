/**
 * Passes arguments of many megabytes to host calls.
 *
 * Holds: each argument is checked and limited in the isolate, before anything crosses.
 *
 * @ends completed
 * @log TypeError RangeError RangeError RangeError RangeError
 */
const huge = 'x'.repeat(2_000_000)
const ends = []
for (const call of [
  () => $.Strategy.action('LONG', { id: huge }),
  () => $.Http.get(`http://a.example/${huge}`),
  () => $.Http.get('http://a.example/', { huge }),
  () => $.Http.post('http://a.example/', huge),
  () => $.Http.get('http://a.example/', {}, { huge }),
]) await call().then(() => ends.push('ESCAPED'), (error) => ends.push(error.name))
$.log(...ends)
