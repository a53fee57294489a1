import { orderSizeProblem } from '@tickwright/sandbox'
import { AppError, type ErrorDetail } from '../base/errors.ts'
import type { SignalOptions } from '../db/schema.ts'
import type { Signal } from '../signals/signals.ts'

/** A signal as somebody outside has written it. `debug`: its sender wants to know what becomes of it. */
export type OutsideSignal = {
  action: Signal['action']
  /** One, or none where it is about an outcome of a prediction market, which `options` then name. */
  symbols: string[]
  options: SignalOptions
  flag: Signal['flag']
  debug: boolean
}

/** What `side` may say, in the words of exchanges, of strategies, and of what TradingView calls a position. */
const sides: Record<string, Signal['action']> = {
  BUY: 'LONG',
  LONG: 'LONG',
  SELL: 'SHORT',
  SHORT: 'SHORT',
  EXIT: 'EXIT',
  CLOSE: 'EXIT',
  FLAT: 'EXIT',
}
/** An exit has no other side, so that it stays one. */
const otherWay: Record<Signal['action'], Signal['action']> = { LONG: 'SHORT', SHORT: 'LONG', EXIT: 'EXIT' }

/** No market has a longer name. */
const symbolLengthLimit = 64
const textLengthLimit = 255
/** Longer than any number that a template writes, and short enough to be read at a glance. */
const numberLengthLimit = 64
const decimal = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
/** What a template is left with where its sender has filled nothing in, such as `{{ticker}}`. */
const placeholder = /\{\{.*\}\}/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no name has
const unprintable = /[\u0000-\u001f\u007f\u2028\u2029\ud800-\udfff]/u

/**
 * Reads what was posted to a bot webhook. Numbers and truth values may come as texts, since templates write them
 * so; `null` is as good as absent; what it does not know it leaves alone.
 * @throws {AppError} 400 naming every field that is wrong
 */
export function readOutsideSignal(payload: Record<string, unknown>): OutsideSignal {
  const problems: ErrorDetail[] = []
  const read = <T>(name: string, reader: (value: unknown) => T): T | undefined => {
    // An own member: `__proto__` in JSON is a name like any other.
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined
    if (value === undefined || value === null) return undefined
    try {
      return reader(value)
    } catch (error) {
      if (!(error instanceof Wrong)) throw error
      problems.push({ field: `body.${name}`, message: error.message })
      return undefined
    }
  }
  const need = <T>(name: string, reader: (value: unknown) => T): T | undefined => {
    const before = problems.length
    const value = read(name, reader)
    if (value === undefined && problems.length === before) {
      problems.push({ field: `body.${name}`, message: 'is required' })
    }
    return value
  }

  const isPrediction = isForPrediction(payload)
  const symbol = isPrediction ? undefined : need('symbol', readSymbol)
  const subject = isPrediction
    ? { slug: need('slug', readName), outcome: need('outcome', readName) }
    : undefined
  const action = need('side', readSide)
  const flag = read('flag', readFlag) ?? null
  const options = given({
    id: read('id', readId),
    size: read('size', readSize),
    dilution: read('dilution', readTruth),
    forceSize: read('forceSize', readTruth),
    ...subject,
  })
  const debug = read('debug', readTruth) ?? false
  if (problems.length > 0) throw invalid(problems)
  return {
    action: flag === 'REVERSE' ? otherWay[action!] : action!,
    symbols: symbol === undefined ? [] : [symbol],
    options,
    flag,
    debug,
  }
}

const knownFields = new Set([
  'symbol',
  'side',
  'size',
  'dilution',
  'forceSize',
  'id',
  'flag',
  'debug',
  // The webhook reads it: a password.
  'key',
])
const predictionFields = new Set(['slug', 'outcome'])
const ignoredLimit = 20
const ignoredNameLimit = 64

/**
 * The fields of a payload that nothing acts on, such as `stop_loss` or a misspelt `Flag`, so that its sender does not
 * rely on them. At most 20 names, each cut to 64 characters.
 */
export function ignoredFields(payload: Record<string, unknown>): string[] {
  const isPrediction = isForPrediction(payload)
  const ignored: string[] = []
  for (const name of Object.keys(payload)) {
    if (payload[name] === null || knownFields.has(name) || (isPrediction && predictionFields.has(name)))
      continue
    ignored.push(name.slice(0, ignoredNameLimit).toWellFormed())
    if (ignored.length === ignoredLimit) break
  }
  return ignored
}

function isForPrediction({ symbol, slug, outcome }: Record<string, unknown>): boolean {
  return symbol == null && (slug != null || outcome != null)
}

/** Says of a value what it must be. */
class Wrong extends Error {}

function readSide(value: unknown): Signal['action'] {
  const action = typeof value === 'string' ? sides[value.trim().toUpperCase()] : undefined
  if (action === undefined) throw new Wrong('must be BUY or SELL, or EXIT to close')
  return action
}

/** A flag that nobody knows may have been meant to keep the signal from being traded. */
function readFlag(value: unknown): 'TEST' | 'REVERSE' {
  const flag = typeof value === 'string' ? value.trim().toUpperCase() : undefined
  if (flag !== 'TEST' && flag !== 'REVERSE') throw new Wrong('must be TEST or REVERSE, or left out')
  return flag
}

function readSymbol(value: unknown): string {
  const symbol = readName(value)
  if (symbol.length > symbolLengthLimit) {
    throw new Wrong(`must not have more than ${symbolLengthLimit} characters`)
  }
  if (symbol.includes(',')) throw new Wrong('must be one symbol: send a signal for each')
  return symbol
}

function readName(value: unknown): string {
  if (typeof value !== 'string') throw new Wrong('must be a text')
  const name = value.trim()
  if (name === '') throw new Wrong('must not be empty')
  if (name.length > textLengthLimit) throw new Wrong(`must not have more than ${textLengthLimit} characters`)
  if (placeholder.test(name)) throw new Wrong('has a placeholder that was not filled in')
  if (unprintable.test(name)) throw new Wrong('must not have control characters')
  return name
}

/** The sender's own words for it, of which nothing depends. */
function readId(value: unknown): string {
  const id = typeof value === 'number' ? String(value) : value
  if (typeof id !== 'string') throw new Wrong('must be a text')
  if (id.length > textLengthLimit) throw new Wrong(`must not have more than ${textLengthLimit} characters`)
  // PostgreSQL has neither NUL nor half a surrogate pair.
  return id.toWellFormed().replaceAll('\0', '\ufffd')
}

function readSize(value: unknown): number {
  const text = typeof value === 'string' && value.length <= numberLengthLimit ? value.trim() : ''
  const size = decimal.test(text) ? Number(text) : value
  const problem = orderSizeProblem(size, value)
  if (problem !== null) throw new Wrong(problem)
  return size as number
}

function readTruth(value: unknown): boolean {
  const truth = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (truth === true || truth === 'true') return true
  if (truth === false || truth === 'false') return false
  throw new Wrong('must be true or false')
}

/** Without what was not said. */
function given<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(pairs) as { [Name in keyof T]?: Exclude<T[Name], undefined> }
}

function invalid(problems: ErrorDetail[]): AppError {
  const said = problems.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new AppError('request_invalid', `Invalid request: ${said}.`, { details: problems })
}
