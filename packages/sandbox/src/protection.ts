/**
 * The protection that code asks for with an action. The sandbox checks only its shape, so that nothing large or unknown
 * passes. What the levels mean, and whether they make sense, is the business of the host.
 */

import { levelLengthLimit, targetsPerProtection } from './limits.ts'
import { isFiniteNumber, isRecord, isTextWithin } from './shapes.ts'

/** A finite number, or a text such as `2%` or `2R`. */
export type GivenLevel = number | string | null

export type GivenTarget = { at?: GivenLevel; part?: GivenLevel }

export type GivenProtection = {
  stop_loss?: GivenLevel
  /** One level, one target, or a list of at most {@link targetsPerProtection} targets. */
  take_profit?: GivenLevel | GivenTarget | GivenTarget[]
  trailing?: { by?: GivenLevel; from?: GivenLevel; step?: GivenLevel } | null
  break_even?: { after?: GivenLevel; plus?: GivenLevel } | null
  exit_after_seconds?: GivenLevel
}

type Check = (value: unknown) => boolean

export const isLevel: Check = (value) =>
  value === null || isFiniteNumber(value) || isTextWithin(value, levelLengthLimit)

/** Own members only: in JSON, `__proto__` is a name like any other. */
export const hasOnly =
  (fields: Record<string, Check>): Check =>
  (value) =>
    isRecord(value) &&
    Object.entries(value).every(([name, each]) => Object.hasOwn(fields, name) && fields[name]!(each))

const orNull =
  (is: Check): Check =>
  (value) =>
    value === null || is(value)

const isTarget = hasOnly({ at: isLevel, part: isLevel })

const isTakeProfit: Check = (value) =>
  Array.isArray(value)
    ? value.length <= targetsPerProtection && value.every(isTarget)
    : isLevel(value) || isTarget(value)

const isProtection = hasOnly({
  stop_loss: isLevel,
  take_profit: isTakeProfit,
  trailing: orNull(hasOnly({ by: isLevel, from: isLevel, step: isLevel })),
  break_even: orNull(hasOnly({ after: isLevel, plus: isLevel })),
  exit_after_seconds: isLevel,
})

/** Whether a value of JSON has the shape of a protection. */
export const isGivenProtection = (value: unknown): value is GivenProtection => isProtection(value)
