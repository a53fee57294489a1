/**
 * Puts the original constructor of functions back by defining the property again.
 *
 * Holds: `harden.js`: the property is fixed, and the original is nowhere.
 *
 * @ends failed TypeError: Cannot redefine property
 */
Object.defineProperty(Object.getPrototypeOf(() => {}), 'con' + 'structor', { value: (text) => text })
