/**
 * Copies the protection of an action, so that only plain data leaves the isolate. This checks the shape alone: the service
 * reads the levels, and refuses those that make no sense.
 */

import { levelLengthLimit, targetsPerProtection } from '../../../limits.ts'
import { isPlainObject, kindOf, member } from './arguments.js'

const { keys } = Object
const { isArray } = Array
const { isFinite: isFiniteNumber } = Number

/** Throws a TypeError that names the field, unless the value has the shape of a protection. */
export function copyProtection(value) {
  return copyFields(value, 'options.protection', protectionFields, "{ stop_loss: '2%' }")
}

/** `fields` has a function for each allowed key, which copies its value. */
export function copyFields(value, path, fields, example, what = 'a protection') {
  if (!isPlainObject(value)) {
    throw new TypeError(`${path} must be a plain object such as ${example}, got ${kindOf(value)}`)
  }
  const copied = {}
  for (const key of keys(value)) {
    const copy = fields[key]
    if (copy === undefined) throw new TypeError(`${member(path, key)} is not a field of ${what}`)
    const given = value[key]
    if (given !== undefined) copied[key] = copy(given, `${path}.${key}`)
  }
  return copied
}

/** JSON would turn a number that is not finite into `null`, which means no level. */
export function copyLevel(value, path) {
  const isShort = typeof value === 'string' && value.length <= levelLengthLimit
  if (value === null || isFiniteNumber(value) || isShort) return value
  const words = `a number such as 50000, or a text such as "2%" of at most ${levelLengthLimit} characters`
  throw new TypeError(`${path} must be ${words}, got ${shown(value)}`)
}

function shown(value) {
  if (typeof value === 'number') return `${value}`
  return isPlainObject(value) ? 'an object' : kindOf(value)
}

function copyTargets(value, path) {
  if (!isArray(value)) return isPlainObject(value) ? copyTarget(value, path) : copyLevel(value, path)
  const { length } = value
  if (length > targetsPerProtection) {
    throw new TypeError(`${path} must have at most ${targetsPerProtection} targets`)
  }
  const copied = []
  for (let index = 0; index < length; index += 1) {
    copied[index] = copyTarget(value[index], `${path}[${index}]`)
  }
  return copied
}

function copyTarget(value, path) {
  return copyFields(value, path, targetFields, "{ at: '2%', part: 0.5 }")
}

const targetFields = { __proto__: null, at: copyLevel, part: copyLevel }
const trailingFields = { __proto__: null, by: copyLevel, from: copyLevel, step: copyLevel }
const breakEvenFields = { __proto__: null, after: copyLevel, plus: copyLevel }

const protectionFields = {
  __proto__: null,
  stop_loss: copyLevel,
  take_profit: copyTargets,
  trailing: (value, path) =>
    value === null ? null : copyFields(value, path, trailingFields, "{ by: '1%' }"),
  break_even: (value, path) =>
    value === null ? null : copyFields(value, path, breakEvenFields, "{ after: '1R' }"),
  exit_after_seconds: copyLevel,
}
