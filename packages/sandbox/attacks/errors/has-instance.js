/**
 * Throws an object that claims to be an error by inheritance from a revoked or strange prototype.
 *
 * Holds: the description is inside the isolate, and any failure is caught.
 *
 * @ends failed Error
 */
const strange = Object.create(Object.create(Error.prototype, { name: { get() { return this } }, message: { get() { return Symbol('m') } } }))
throw strange
