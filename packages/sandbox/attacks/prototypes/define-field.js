/**
 * Defines class fields on shared objects that a base class returns from its constructor.
 *
 * Holds: the objects are frozen, and fields are defined like properties.
 *
 * @ends failed TypeError: Cannot define property polluted, object is not extensible
 */
const give = function (object) { return object }
class Stamp extends give { polluted = 1 }
new Stamp(Object.prototype)
