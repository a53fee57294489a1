import { orderSizeProblem } from '@tickwright/sandbox'
import { AppError, type ErrorDetail } from '../base/errors.ts'
import type { SignalFlag, SignalOptions } from '../db/schema.ts'
import { signalFlags } from '../signals/flags.ts'
import type { Signal } from '../signals/signals.ts'
import { entryFields, readSignalEntry } from '../trading/entries/settings.ts'
import { protectionFields, readProtection } from '../trading/protection/settings.ts'

/**
 * A signal from outside. `debug`: the sender wants to see how the service understood it. `callback`: the address that
 * wants to know what became of it.
 */
export type OutsideSignal = {
  action: Signal['action']
  /** One, or none for a prediction market, which `options` name. */
  symbols: string[]
  options: SignalOptions
  flags: SignalFlag[]
  debug: boolean
  callback: URL | null
}

/** The values of `side`: the words of exchanges, of strategies, and of TradingView's positions. */
const sides: Record<string, Signal['action']> = {
  BUY: 'LONG',
  LONG: 'LONG',
  SELL: 'SHORT',
  SHORT: 'SHORT',
  EXIT: 'EXIT',
  CLOSE: 'EXIT',
  FLAT: 'EXIT',
}
/** An exit has no opposite, so it stays an exit. */
const reversed: Record<Signal['action'], Signal['action']> = { LONG: 'SHORT', SHORT: 'LONG', EXIT: 'EXIT' }

/** Longer than the name of any market. */
const symbolLengthLimit = 64
const textLengthLimit = 255
const addressLengthLimit = 2_048
/** Longer than any number that a template writes, and short enough to parse quickly. */
const numberLengthLimit = 64
const decimal = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
/** A placeholder that the sender did not fill in, such as `{{ticker}}`. */
const placeholder = /\{\{.*\}\}/
// biome-ignore lint/suspicious/noControlCharactersInRegex: names have none of these
const unprintable = /[\u0000-\u001f\u007f\u2028\u2029\ud800-\udfff]/u

/**
 * Reads the payload of a bot webhook. Numbers and booleans may be strings, as templates write them; `null` counts as
 * absent; other fields are ignored.
 * @param checkCallback throws, with a sentence, if no callback may go to the address
 * @throws {AppError} 400, naming every invalid field
 */
export function readOutsideSignal(
  payload: Record<string, unknown>,
  checkCallback: (url: URL) => void = () => undefined,
): OutsideSignal {
  const problems: ErrorDetail[] = []
  const read = <T>(name: string, reader: (value: unknown) => T): T | undefined => {
    // Own members only: in JSON, `__proto__` is a name like any other.
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
  const flags = read('flag', readFlags) ?? []
  const options = definedFields({
    id: read('id', readId),
    size: read('size', readSize),
    dilution: read('dilution', readBoolean),
    forceSize: read('forceSize', readBoolean),
    protection: isPrediction || action === 'EXIT' ? undefined : readStops(payload, problems),
    entry: isPrediction || action === 'EXIT' ? undefined : readEntry(payload, problems),
    ...subject,
  })
  const callback = read('callback', (value) => readCallback(value, checkCallback)) ?? null
  const debug = flags.includes('DEBUG') || (read('debug', asksForDebug) ?? false)
  if (problems.length > 0) throw invalid(problems)
  return {
    action: flags.includes('REVERSE') ? reversed[action!] : action!,
    symbols: symbol === undefined ? [] : [symbol],
    options,
    flags,
    debug,
    callback,
  }
}

/** The protection of the position that the signal opens; `undefined` if the payload says nothing about it. */
function readStops(
  payload: Record<string, unknown>,
  problems: ErrorDetail[],
): SignalOptions['protection'] | undefined {
  const given = protectionFields.filter((name) => Object.hasOwn(payload, name) && payload[name] !== null)
  if (given.length === 0) return undefined
  const read = readProtection(Object.fromEntries(given.map((name) => [name, payload[name]])), 'body.')
  problems.push(...read.problems)
  return read.changes
}

/** How the bots enter the position; `undefined` if the payload leaves it to them. */
function readEntry(payload: Record<string, unknown>, problems: ErrorDetail[]): SignalOptions['entry'] {
  const own = entryFields.filter((name) => Object.hasOwn(payload, name))
  const read = readSignalEntry(Object.fromEntries(own.map((name) => [name, payload[name]])), 'body.')
  problems.push(...read.problems)
  return read.entry
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
  'callback',
  // The password, which the webhook reads.
  'key',
])
const predictionFields = new Set(['slug', 'outcome'])
const ignoredLimit = 20
const ignoredNameLimit = 64

/**
 * The fields of a payload that nothing acts on, such as `leverage` or a misspelt `Flag`, so that its sender does not
 * rely on them. At most 20 names, each cut to 64 characters.
 * @param signal as the payload was understood: an EXIT opens nothing that could be protected
 */
export function ignoredFields(
  payload: Record<string, unknown>,
  { action, options: { entry } }: Pick<OutsideSignal, 'action' | 'options'>,
): string[] {
  const isPrediction = isForPrediction(payload)
  const isProtected = !isPrediction && action !== 'EXIT'
  const ignored: string[] = []
  for (const name of Object.keys(payload)) {
    if (payload[name] === null || knownFields.has(name)) continue
    if (isPrediction && predictionFields.has(name)) continue
    if (isProtected && protectionFields.some((field) => field === name)) continue
    // A price without a limit is the one that the sender sees.
    if (isProtected && entryFields.some((field) => field === name)) {
      if (name !== 'price' || entry?.price !== undefined) continue
    }
    ignored.push(name.slice(0, ignoredNameLimit).toWellFormed())
    if (ignored.length === ignoredLimit) break
  }
  return ignored
}

function isForPrediction({ symbol, slug, outcome }: Record<string, unknown>): boolean {
  return symbol == null && (slug != null || outcome != null)
}

/** A value is invalid. The message says what it must be. */
class Wrong extends Error {}

function readSide(value: unknown): Signal['action'] {
  const action = typeof value === 'string' ? sides[value.trim().toUpperCase()] : undefined
  if (action === undefined) throw new Wrong('must be BUY or SELL, or EXIT to close')
  return action
}

/** One flag or a list. An unknown flag is refused: the sender may have meant it to prevent a trade. */
function readFlags(value: unknown): SignalFlag[] {
  const given = new Set((Array.isArray(value) ? value : [value]).map(readFlag))
  return signalFlags.filter((flag) => given.has(flag))
}

function readFlag(value: unknown): SignalFlag {
  const text = typeof value === 'string' ? value.trim().toUpperCase() : undefined
  const flag = signalFlags.find((known) => known === text)
  if (flag === undefined) throw new Wrong('must be TEST, REVERSE or DEBUG, a list of these, or absent')
  return flag
}

/** Any value is allowed: senders also use `debug` for notes of their own. */
function asksForDebug(value: unknown): boolean {
  const isNo = typeof value === 'string' && ['', 'false'].includes(value.trim().toLowerCase())
  return !isNo && Boolean(value)
}

function readSymbol(value: unknown): string {
  const symbol = readName(value)
  if (symbol.length > symbolLengthLimit) {
    throw new Wrong(`must have at most ${symbolLengthLimit} characters`)
  }
  if (symbol.includes(',')) throw new Wrong('must be one symbol; send one signal for each symbol')
  return symbol
}

function readName(value: unknown): string {
  if (typeof value !== 'string') throw new Wrong('must be a string')
  const name = value.trim()
  if (name === '') throw new Wrong('must not be empty')
  if (name.length > textLengthLimit) throw new Wrong(`must have at most ${textLengthLimit} characters`)
  if (placeholder.test(name)) throw new Wrong('has a placeholder that the sender did not fill in')
  if (unprintable.test(name)) throw new Wrong('must not have control characters')
  return name
}

/** The sender's own name for the signal. It has no effect. */
function readId(value: unknown): string {
  const id = typeof value === 'number' ? String(value) : value
  if (typeof id !== 'string') throw new Wrong('must be a string')
  if (id.length > textLengthLimit) throw new Wrong(`must have at most ${textLengthLimit} characters`)
  // PostgreSQL stores neither NUL nor half a surrogate pair.
  return id.toWellFormed().replaceAll('\0', '\ufffd')
}

function readSize(value: unknown): number {
  const text = typeof value === 'string' && value.length <= numberLengthLimit ? value.trim() : ''
  const size = decimal.test(text) ? Number(text) : value
  const problem = orderSizeProblem(size, value)
  if (problem !== null) throw new Wrong(problem)
  return size as number
}

function readBoolean(value: unknown): boolean {
  const truth = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (truth === true || truth === 'true') return true
  if (truth === false || truth === 'false') return false
  throw new Wrong('must be true or false')
}

function readCallback(value: unknown, check: (url: URL) => void): URL {
  if (typeof value !== 'string') throw new Wrong('must be a string')
  const text = value.trim()
  if (text.length > addressLengthLimit) {
    throw new Wrong(`must have at most ${addressLengthLimit} characters`)
  }
  if (placeholder.test(text)) throw new Wrong('has a placeholder that the sender did not fill in')
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new Wrong('must be an https address, such as https://example.com/told')
  }
  url.hash = ''
  try {
    check(url)
  } catch (error) {
    // The message is a sentence and becomes part of one.
    throw new Wrong(`cannot be used. ${(error as Error).message.replace(/\.$/, '')}`)
  }
  return url
}

/** The fields that are not `undefined`. */
function definedFields<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(pairs) as { [Name in keyof T]?: Exclude<T[Name], undefined> }
}

function invalid(problems: ErrorDetail[]): AppError {
  const sentence = problems.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new AppError('request_invalid', `Invalid request: ${sentence}.`, { details: problems })
}
