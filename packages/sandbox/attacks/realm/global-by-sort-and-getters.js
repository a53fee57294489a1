/**
 * Finds the global object as `this` of sort comparators, getters and setters of primitives.
 *
 * Holds: the code is strict, so that `this` of a primitive stays a primitive.
 *
 * @ends completed
 * @log undefined number
 */
let receiver
const probe = Object.create(null, { me: { get() { return this } } })
void probe.me
;[2, 1].sort(function () { receiver = typeof this; return 0 })
const read = Object.getOwnPropertyDescriptor({ get it() { return typeof this } }, 'it').get
$.log(receiver, read.call(1))
