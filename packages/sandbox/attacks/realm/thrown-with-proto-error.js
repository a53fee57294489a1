/**
 * Throws an object that pretends to be an error, with members that are not strings.
 *
 * Holds: the description takes only strings, and cuts them.
 *
 * @ends failed 1,2: [object Object]
 */
throw Object.create(Error.prototype, { name: { value: [1, 2] }, message: { value: {} }, stack: { value: 5 } })
