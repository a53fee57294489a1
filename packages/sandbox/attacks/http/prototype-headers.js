/**
 * Passes headers named like members of prototypes.
 *
 * Holds: the guest's half keeps them in an object without a prototype, and they cross as data.
 *
 * @ends completed
 * @log 200 undefined
 */
const headers = JSON.parse('{"__proto__": "a", "toString": "b", "hasOwnProperty": "c"}')
const { status } = await $.Http.get('http://a.example/', {}, headers)
$.log(status, typeof {}.a)
