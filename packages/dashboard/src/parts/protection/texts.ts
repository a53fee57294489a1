/** A protection as the fields of a form have it: texts, each under the name that the service gives its field. */

import { ApiError } from '@tickwright/client'
import type { Protection } from './words.ts'

export const mostTargets = 8

const levels = [
  'stop_loss',
  'trailing.by',
  'trailing.from',
  'trailing.step',
  'break_even.after',
  'break_even.plus',
]

const targetFields = (index: number) => [`take_profit[${index}].at`, `take_profit[${index}].part`] as const

/** The fields that show their own problems, with the whole things that the service may name instead. */
export const protectionFields = [
  ...['take_profit', 'trailing', 'break_even', 'exit_after_seconds', ...levels],
  ...Array.from({ length: mostTargets }, (_, index) => targetFields(index)).flat(),
].map((field) => `protection.${field}`)

/** What a form shows of a protection. A field that is not set has no text. */
export function textsOfProtection(protection: Protection | null): Record<string, string> {
  const { stop_loss, take_profit = [], trailing, break_even, exit_after_seconds } = protection ?? {}
  const texts = {
    stop_loss,
    ...Object.fromEntries(
      take_profit.flatMap(({ at, part }, index) => {
        const [atField, partField] = targetFields(index)
        return [
          [atField, at],
          [partField, part],
        ]
      }),
    ),
    ...{ 'trailing.by': trailing?.by, 'trailing.from': trailing?.from, 'trailing.step': trailing?.step },
    ...{ 'break_even.after': break_even?.after, 'break_even.plus': break_even?.plus },
    exit_after_seconds: exit_after_seconds == null ? null : String(exit_after_seconds),
  }
  const set = Object.entries(texts).filter(([, text]) => text != null)
  return Object.fromEntries(set.map(([field, text]) => [`protection.${field}`, text!]))
}

/**
 * What the service gets. A part of a field that is missing stays an empty text, which the service refuses by its name.
 * @returns `null` if all fields are empty
 * @throws {ApiError} as the service does, for seconds that are no whole number
 */
export function protectionOf(data: FormData): Protection | null {
  const text = (field: string) => String(data.get(`protection.${field}`) ?? '').trim()
  const orNull = (field: string) => text(field) || null
  const isAny = (...fields: string[]) => fields.some((field) => text(field) !== '')
  const count =
    Array.from({ length: mostTargets }).findLastIndex((_, index) => isAny(...targetFields(index))) + 1
  const take_profit = Array.from({ length: count }, (_, index) => {
    const [at, part] = targetFields(index)
    return { at: text(at), part: text(part) || (count === 1 ? '1' : '') }
  })
  const hasTrailing = isAny('trailing.by', 'trailing.from', 'trailing.step')
  const protection = {
    stop_loss: orNull('stop_loss'),
    take_profit,
    trailing: hasTrailing
      ? { by: text('trailing.by'), from: orNull('trailing.from'), step: orNull('trailing.step') }
      : null,
    break_even: isAny('break_even.after', 'break_even.plus')
      ? { after: text('break_even.after'), plus: orNull('break_even.plus') }
      : null,
    exit_after_seconds: text('exit_after_seconds') === '' ? null : seconds(text('exit_after_seconds')),
  }
  return isSameProtection(protection, null) ? null : protection
}

export function isSameProtection(one: Protection | null, other: Protection | null): boolean {
  const [texts, others] = [textsOfProtection(one), textsOfProtection(other)]
  const names = Object.keys(texts)
  return names.length === Object.keys(others).length && names.every((name) => texts[name] === others[name])
}

function seconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const message = 'must be a whole number of seconds'
  throw new ApiError({
    status: 400,
    code: 'request_invalid',
    message: `exit_after_seconds ${message}.`,
    details: [{ field: 'body.protection.exit_after_seconds', message }],
  })
}
