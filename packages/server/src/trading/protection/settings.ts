/**
 * The one shape of a protection, wherever it comes from: the settings of a bot, a signal, or the owner of a position. It
 * is stored as it is shown.
 */
import { targetsPerProtection } from '@tickwright/sandbox'
import { decimal, plain, zero } from '../../base/decimals.ts'
import type { ErrorDetail } from '../../base/errors.ts'
import type { Protection, Target } from '../../db/schema.ts'
import { type LevelKind, levelOf, readLevel, WrongLevel } from './levels.ts'

export type { Protection, Target }

/** A field that is absent stays as it is; `null` takes it away. */
export type ProtectionChanges = Partial<Protection>

export const noProtection: Protection = {
  stop_loss: null,
  take_profit: [],
  trailing: null,
  break_even: null,
  exit_after_seconds: null,
}

export const protectionFields = Object.keys(noProtection) as (keyof Protection)[]

export const longestExitSeconds = 31_536_000

const anyLevel = ['price', 'percent', 'risk'] as const
const distances = ['percent', 'risk'] as const

/** Collects what is wrong, so that one answer names all of it. */
class Problems {
  readonly details: ErrorDetail[] = []

  /** @returns what `read` returns; `undefined` if the value is wrong */
  check<T>(field: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof WrongLevel)) throw error
      this.add(field, error.message)
      return undefined
    }
  }

  add(field: string, message: string): void {
    this.details.push({ field, message })
  }
}

/**
 * Reads the fields of a protection that are present. Numbers may be texts, as templates write them.
 * @param prefix the path of the fields in messages, such as `body.protection.`
 * @returns the fields, and what is wrong with them: then they must not be used
 */
export function readProtection(
  given: Record<string, unknown>,
  prefix: string,
): { changes: ProtectionChanges; problems: ErrorDetail[] } {
  const problems = new Problems()
  const changes: ProtectionChanges = {}
  const has = (field: keyof Protection) => Object.hasOwn(given, field) && given[field] !== undefined
  const read = <Field extends keyof Protection>(
    field: Field,
    reader: (value: unknown, path: string, problems: Problems) => Protection[Field] | undefined,
  ) => {
    if (!has(field)) return
    const value = given[field]
    const empty = noProtection[field]
    const result = value === null ? empty : reader(value, `${prefix}${field}`, problems)
    if (result !== undefined) changes[field] = result
  }
  read('stop_loss', readStop)
  read('take_profit', readTargets)
  read('trailing', readTrailing)
  read('break_even', readBreakEven)
  read('exit_after_seconds', readExit)
  return { changes, problems: problems.details }
}

/**
 * Reads a whole protection: a field that is absent is `null`.
 * @param prefix see {@link readProtection}
 * @returns `whole` is `null` if nothing protects, and must not be used if there are problems
 */
export function readWhole(
  given: Record<string, unknown>,
  prefix: string,
): { whole: Protection | null; problems: ErrorDetail[] } {
  const { changes, problems } = readProtection(given, prefix)
  const whole = changed(null, changes)
  const problem = problems.length > 0 || whole === null ? null : wholeProblem(whole)
  if (problem !== null) problems.push({ ...problem, field: `${prefix}${problem.field}` })
  return { whole, problems }
}

/** A distance from the price, such as `2%`. @throws {WrongLevel} */
export function readDistance(given: unknown): string {
  return below100(readLevel(given, ['percent']))
}

/** The protection after changes; `null` if nothing of it is left. */
export function changed(before: Protection | null, changes: ProtectionChanges): Protection | null {
  const after = { ...noProtection, ...before, ...changes }
  return isNone(after) ? null : after
}

export function isNone({ take_profit, ...single }: Protection): boolean {
  return take_profit.length === 0 && Object.values(single).every((value) => value === null)
}

/** What is wrong with a protection as a whole, whatever position it is for. */
export function wholeProblem(protection: Protection): { field: keyof Protection; message: string } | null {
  const { stop_loss, take_profit, trailing, break_even } = protection
  if (stop_loss !== null) return null
  const usesRisk = (texts: (string | null)[]) => texts.some((text) => text !== null && isRisk(text))
  const field =
    (usesRisk(take_profit.map(({ at }) => at)) && 'take_profit') ||
    (trailing !== null && usesRisk([trailing.by, trailing.from, trailing.step]) && 'trailing') ||
    (break_even !== null && usesRisk([break_even.after, break_even.plus]) && 'break_even')
  return field ? { field, message: 'has a level in R, which needs a stop_loss to measure from' } : null
}

function isRisk(text: string): boolean {
  return levelOf(text).kind === 'risk'
}

function readStop(value: unknown, path: string, problems: Problems): string | undefined {
  return problems.check(path, () => below100(readLevel(value, ['price', 'percent'])))
}

/** A stop 100 % away from a long would be at 0. */
function below100(text: string): string {
  const { kind, value } = levelOf(text)
  if (kind === 'percent' && value.gte('100')) throw new WrongLevel(`must be less than 100%, got ${text}`)
  return text
}

/** A single level closes the whole position. */
function readTargets(value: unknown, path: string, problems: Problems): Target[] | undefined {
  if (!Array.isArray(value)) {
    const isOne = typeof value === 'object'
    return readTargets([isOne ? value : { at: value }], path, problems)
  }
  if (value.length > targetsPerProtection) {
    problems.add(path, `must have at most ${targetsPerProtection} targets, got ${value.length}`)
    return undefined
  }
  const before = problems.details.length
  const targets = value.map((each, index) =>
    readTarget(each, `${path}[${index}]`, problems, value.length === 1),
  )
  if (problems.details.length > before) return undefined
  const read = targets as Target[]
  const sum = read.reduce((all, { part }) => all.plus(part), zero)
  if (sum.gt('1')) problems.add(path, `must have parts that are at most 1 together, got ${plain(sum)}`)
  if (!isInOrder(read)) problems.add(path, 'must list its targets in order, the nearest first, each one once')
  return problems.details.length > before ? undefined : read
}

function readTarget(value: unknown, path: string, problems: Problems, isOnly: boolean): Target | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.add(path, 'must be an object such as { "at": "2%", "part": 0.5 }')
    return undefined
  }
  const { at, part = isOnly ? 1 : undefined, ...others } = value as Record<string, unknown>
  refuseOthers(others, path, problems, 'at and part')
  const level = problems.check(`${path}.at`, () => readLevel(at, anyLevel))
  const fraction = problems.check(`${path}.part`, () => readPart(part))
  return level === undefined || fraction === undefined ? undefined : { at: level, part: fraction }
}

function readPart(value: unknown): string {
  const text = fractionOf(value)
  if (text === null) throw new WrongLevel('must be a fraction of the position, such as 0.5')
  if (decimal(text).gt('1'))
    throw new WrongLevel(`must be a fraction of the position, at most 1, got ${text}`)
  return text
}

/** A fraction is written as a price is, but its messages speak of fractions. */
function fractionOf(value: unknown): string | null {
  try {
    return readLevel(value, ['price'])
  } catch {
    return null
  }
}

/** Levels of one kind can be compared without a position. Prices rise for a long and fall for a short. */
function isInOrder(targets: readonly Target[]): boolean {
  const levels = targets.map(({ at }) => levelOf(at))
  const risesWithin = (kind: LevelKind, sign: number) => {
    const values = levels.filter((level) => level.kind === kind).map(({ value }) => value)
    return values.every((value, index) => index === 0 || value.cmp(values[index - 1]!) === sign)
  }
  const hasOrder = risesWithin('price', 1) || risesWithin('price', -1)
  return hasOrder && risesWithin('percent', 1) && risesWithin('risk', 1)
}

function readTrailing(value: unknown, path: string, problems: Problems): Protection['trailing'] | undefined {
  const fields = objectOf(value, path, problems, '{ "by": "1%" }')
  if (fields === undefined) return undefined
  const { by, from, step, ...others } = fields
  refuseOthers(others, path, problems, 'by, from and step')
  if (by === undefined || by === null) {
    problems.add(`${path}.by`, 'is required: the distance at which the stop follows the best price')
    return undefined
  }
  const read = {
    by: problems.check(`${path}.by`, () => below100(readLevel(by, distances))),
    from: from == null ? null : problems.check(`${path}.from`, () => readLevel(from, anyLevel)),
    step: step == null ? null : problems.check(`${path}.step`, () => readLevel(step, distances)),
  }
  return allRead(read)
}

function readBreakEven(
  value: unknown,
  path: string,
  problems: Problems,
): Protection['break_even'] | undefined {
  const fields = objectOf(value, path, problems, '{ "after": "1R" }')
  if (fields === undefined) return undefined
  const { after, plus, ...others } = fields
  refuseOthers(others, path, problems, 'after and plus')
  const isNothing = plus == null || (isNumber(plus) && Number(plus) === 0)
  const read = {
    after: problems.check(`${path}.after`, () => readLevel(after, anyLevel)),
    plus: isNothing ? null : problems.check(`${path}.plus`, () => readLevel(plus, distances)),
  }
  const whole = allRead(read)
  if (whole === undefined || whole.plus === null) return whole
  const [reached, stop] = [levelOf(whole.after), levelOf(whole.plus)]
  if (reached.kind !== stop.kind || stop.value.lt(reached.value)) return whole
  problems.add(`${path}.plus`, `must be less than after, or the stop would close at once, got ${whole.plus}`)
  return undefined
}

function readExit(value: unknown, path: string, problems: Problems): number | undefined {
  const seconds = isNumber(value) ? Number(value) : Number.NaN
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= longestExitSeconds) return seconds
  problems.add(path, `must be a whole number of seconds from 1 to ${longestExitSeconds}`)
  return undefined
}

function isNumber(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && /^\s*\d{1,12}\s*$/.test(value))
}

function objectOf(
  value: unknown,
  path: string,
  problems: Problems,
  example: string,
): Record<string, unknown> | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  problems.add(path, `must be an object such as ${example}`)
  return undefined
}

/** A misspelt field of a stop must not leave a position without it. */
function refuseOthers(others: object, path: string, problems: Problems, known: string): void {
  const [unknown] = Object.keys(others)
  if (unknown === undefined) return
  problems.add(`${path}.${unknown.slice(0, 64)}`, `is not known here; ${path.split('.').at(-1)} has ${known}`)
}

/** `undefined` if one of the fields could not be read. */
function allRead<T extends object>(
  fields: T,
): { [Name in keyof T]: Exclude<T[Name], undefined> } | undefined {
  const isComplete = Object.values(fields).every((value) => value !== undefined)
  return isComplete ? (fields as { [Name in keyof T]: Exclude<T[Name], undefined> }) : undefined
}
