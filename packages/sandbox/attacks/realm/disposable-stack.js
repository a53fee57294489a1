/**
 * Reaches classes that are not on the list through allowed objects: `using`, iterators, dates, buffers.
 *
 * Holds: `harden.js` deletes these ways, not only the globals.
 *
 * @ends completed
 * @log none
 */
const names = ['toTemporalInstant']
if (names.some((name) => name in Date.prototype)) $.log('ESCAPED')
await using resource = { async [Symbol.asyncDispose]() {} }
const suppressed = new SuppressedError(1, 2)
if (typeof suppressed.stack !== 'string') $.log('ESCAPED')
$.log('none')
