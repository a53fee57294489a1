/**
 * Spoils V8's assumptions about arrays, promises and iteration, to change how later runs behave.
 *
 * Holds: they are assumptions about speed; what is spoilt is the strategy's own isolate.
 *
 * @ends completed
 * @log [2,4] 3
 */
class List extends Array { static get [Symbol.species]() { return Array } }
const list = List.from([1, 2]).map((value) => value * 2)
const strange = Object.defineProperty([1, 2], Symbol.iterator, { value: function* () { yield 3 } })
const [first] = strange
$.log([...list], first)
