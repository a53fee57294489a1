/** Checks of the options of an action. Each value is read once, so that a getter cannot return two. */

import { actionIdLimit } from '../../../limits.ts'
import { orderSizeProblem } from '../../../order-size.ts'
import { isPlainObject, kindOf, member } from './arguments.js'
import { copyEntry } from './entry.js'
import { copyProtection } from './protection.js'

const { keys } = Object

const booleanProblem = (value) => (typeof value === 'boolean' ? null : 'must be a boolean')

/** Each returns what is wrong with a value, or `null`. */
const actionOptionChecks = {
  __proto__: null,
  id: (id) =>
    typeof id === 'string' && id.length <= actionIdLimit
      ? null
      : `must be a string of at most ${actionIdLimit} characters`,
  dilution: booleanProblem,
  size: (size) => orderSizeProblem(size),
  forceSize: booleanProblem,
}

/** Of actions that open. Each copies a value. */
const openingOptions = { __proto__: null, protection: copyProtection, entry: copyEntry }

/** @param action `LONG`, `SHORT` or `EXIT` */
export function checkActionOptions(options, action) {
  const checked = {}
  if (options === undefined) return checked
  if (!isPlainObject(options))
    throw new TypeError(`options must be a plain object such as { size: 10 }, got ${kindOf(options)}`)
  for (const key of keys(options)) {
    const copy = openingOptions[key]
    if (copy !== undefined) {
      // An exit opens nothing, and never fails because of how an opening would be.
      const value = action === 'EXIT' ? undefined : options[key]
      if (value !== undefined) checked[key] = copy(value)
      continue
    }
    const check = actionOptionChecks[key]
    if (check === undefined) throw new TypeError(`${member('options', key)} is not an option of an action`)
    const value = options[key]
    if (value === undefined) continue
    const problem = check(value)
    if (problem !== null) throw new TypeError(`options.${key} ${problem}`)
    checked[key] = value
  }
  return checked
}
