/**
 * Replaces the functions that name, format and test errors.
 *
 * Holds: `harden.js` freezes errors.
 *
 * @ends failed TypeError: real
 */
for (const [object, key] of [[Error, Symbol.hasInstance], [Error, 'stackTraceLimit'], [Error, 'captureStackTrace'], [Error.prototype, 'name'], [Error.prototype, 'toString'], [TypeError.prototype, 'message']]) {
  try { Object.defineProperty(object, key, { value: () => 'ESCAPED' }) } catch {}
}
throw new TypeError('real')
