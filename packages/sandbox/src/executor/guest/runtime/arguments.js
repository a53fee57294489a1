/** Checks of arguments that code passes to members of `$`. Each value is read once, so that a getter cannot return two. */

import { errorNameLimit, shorten } from '../../../limits.ts'

const { getPrototypeOf, keys } = Object
const objectPrototype = Object.prototype
const { isArray } = Array
const { isFinite: isFiniteNumber } = Number

export function isPrice(value) {
  return isFiniteNumber(value) && value > 0
}

/** Checks a string of at least one character. `limit` is in characters. */
export function checkText(value, name, limit) {
  if (typeof value !== 'string' || value === '')
    throw new TypeError(`${name} must be a string that is not empty`)
  if (value.length > limit) throw new RangeError(`${name} may have at most ${limit} characters`)
}

/** The keys of an optional argument. */
export function keysOf(value, name) {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object' || isArray(value)) throw new TypeError(`${name} must be an object`)
  return keys(value)
}

export function member(name, key) {
  return `${name}.${shorten(key, errorNameLimit)}`
}

/** What `{}`, `JSON.parse` and `Object.create(null)` make. An array, a `Map`, a `Date` or a promise is none. */
export function isPlainObject(value) {
  if (typeof value !== 'object' || value === null || isArray(value)) return false
  const prototype = getPrototypeOf(value)
  return prototype === objectPrototype || prototype === null
}

/** Names a value that is not a plain object. It reads no member of it: a getter could throw or lie. */
export function kindOf(value) {
  if (value === null) return 'null'
  if (isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  return value instanceof Promise ? 'a promise: await it first' : 'an object of a class'
}
