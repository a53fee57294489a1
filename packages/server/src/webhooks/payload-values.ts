import { orderSizeProblem } from '@tickwright/sandbox'
import type { SignalFlag } from '../db/schema.ts'
import { signalFlags } from '../signals/flags.ts'
import { type PayloadReader, Wrong } from './payload-reader.ts'

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

/** What a payload may say in every format, besides its order. */
export type Extras = { flags: SignalFlag[]; debug: boolean; callback: URL | null }

/** @param checkCallback throws, with a sentence, if no callback may go to the address */
export function readExtras(payload: PayloadReader, checkCallback: (url: URL) => void): Extras {
  const flags = payload.read('flag', readFlags) ?? []
  const callback = payload.read('callback', (value) => readCallback(value, checkCallback)) ?? null
  const asks = payload.read('debug', asksForDebug) ?? false
  return { flags, debug: flags.includes('DEBUG') || asks, callback }
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

export function readSymbol(value: unknown): string {
  const symbol = readName(value)
  if (symbol.length > symbolLengthLimit) {
    throw new Wrong(`must have at most ${symbolLengthLimit} characters`)
  }
  if (symbol.includes(',')) throw new Wrong('must be one symbol; send one signal for each symbol')
  return symbol
}

export function readName(value: unknown): string {
  if (typeof value !== 'string') throw new Wrong('must be a string')
  const name = value.trim()
  if (name === '') throw new Wrong('must not be empty')
  if (name.length > textLengthLimit) throw new Wrong(`must have at most ${textLengthLimit} characters`)
  if (placeholder.test(name)) throw new Wrong('has a placeholder that the sender did not fill in')
  if (unprintable.test(name)) throw new Wrong('must not have control characters')
  return name
}

/** The sender's own name for the signal. It has no effect. */
export function readId(value: unknown): string {
  const id = typeof value === 'number' ? String(value) : value
  if (typeof id !== 'string') throw new Wrong('must be a string')
  if (id.length > textLengthLimit) throw new Wrong(`must have at most ${textLengthLimit} characters`)
  // PostgreSQL stores neither NUL nor half a surrogate pair.
  return id.toWellFormed().replaceAll('\0', '\ufffd')
}

export function readSize(value: unknown): number {
  const text = typeof value === 'string' && value.length <= numberLengthLimit ? value.trim() : ''
  const size = decimal.test(text) ? Number(text) : value
  const problem = orderSizeProblem(size, value)
  if (problem !== null) throw new Wrong(problem)
  return size as number
}

export function readBoolean(value: unknown): boolean {
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
export function definedFields<T extends object>(
  fields: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(pairs) as { [Name in keyof T]?: Exclude<T[Name], undefined> }
}
