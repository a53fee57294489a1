/**
 * Makes the runtime and builtins read holes of arrays from a polluted prototype.
 *
 * Holds: `harden.js` freezes the prototype.
 *
 * @ends failed TypeError
 */
Object.defineProperty(Array.prototype, 0, { get: () => 'ESCAPED', set() { $.log('ESCAPED') }, configurable: true })
