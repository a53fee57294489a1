/**
 * Passes a parameter as a list whose iteration never ends.
 *
 * Holds: lengths are counted while it is read.
 *
 * @ends failed RangeError | failed TypeError | violation memory | violation execution_time
 */
const list = Object.defineProperty([], Symbol.iterator, { value: function* () { for (;;) yield 'x' } })
await $.Http.get('http://a.example/', { list })
