/**
 * Has holes of arrays read from a polluted prototype by the runtime and by builtins.
 *
 * Holds: `harden.js` freezes the prototype.
 *
 * @ends failed TypeError
 */
Object.defineProperty(Array.prototype, 0, { get: () => 'ESCAPED', set() { $.log('ESCAPED') }, configurable: true })
