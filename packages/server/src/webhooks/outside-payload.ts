import type { SignalFlag, SignalOptions } from '../db/schema.ts'
import type { Signal } from '../signals/signals.ts'
import { entryFields, readSignalEntry } from '../trading/entries/settings.ts'
import { protectionFields, readProtection } from '../trading/protection/settings.ts'
import { PayloadReader, Wrong } from './payload-reader.ts'
import {
  definedFields,
  type Extras,
  readBoolean,
  readExtras,
  readId,
  readName,
  readSize,
  readSymbol,
} from './payload-values.ts'

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
const otherSide = { long: 'short', short: 'long' } as const

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
  const fields = new PayloadReader(payload)
  const isPrediction = isForPrediction(payload)
  const symbol = isPrediction ? undefined : fields.need('symbol', readSymbol)
  const subject = isPrediction
    ? { slug: fields.need('slug', readName), outcome: fields.need('outcome', readName) }
    : undefined
  const action = fields.need('side', readSide)
  const extras = readExtras(fields, checkCallback)
  const opens = !isPrediction && action !== 'EXIT'
  const options = definedFields({
    id: fields.read('id', readId),
    size: fields.read('size', readSize),
    dilution: fields.read('dilution', readBoolean),
    forceSize: fields.read('forceSize', readBoolean),
    protection: opens ? readStops(fields) : undefined,
    entry: opens ? readEntry(fields) : undefined,
    ...subject,
  })
  fields.check()
  return signalOf({ action: action!, symbols: symbol === undefined ? [] : [symbol], options }, extras)
}

/** The signal that a payload asks for. REVERSE turns it around. */
export function signalOf(
  { action, symbols, options }: Pick<OutsideSignal, 'action' | 'symbols' | 'options'>,
  { flags, ...extras }: Extras,
): OutsideSignal {
  if (!flags.includes('REVERSE')) return { action, symbols, options, flags, ...extras }
  const { closes } = options
  const turned = closes === undefined ? options : { ...options, closes: otherSide[closes] }
  return { action: reversed[action], symbols, options: turned, flags, ...extras }
}

/** The protection of the position that the signal opens; `undefined` if the payload says nothing about it. */
export function readStops(fields: PayloadReader): SignalOptions['protection'] | undefined {
  const given = protectionFields.filter((name) => fields.has(name))
  fields.use(...given)
  if (given.length === 0) return undefined
  const read = readProtection(Object.fromEntries(given.map((name) => [name, fields.value(name)])), 'body.')
  fields.add(read.problems)
  return read.changes
}

/** How the bots enter the position; `undefined` if the payload leaves it to them. */
export function readEntry(fields: PayloadReader): SignalOptions['entry'] {
  const given = entryFields.filter((name) => fields.has(name))
  // A price without a limit is the one that the sender sees.
  fields.use(...given.filter((name) => name !== 'price'))
  const read = readSignalEntry(Object.fromEntries(given.map((name) => [name, fields.value(name)])), 'body.')
  fields.add(read.problems)
  if (read.entry?.price !== undefined) fields.use('price')
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
  const isIgnored = (name: string) => {
    if (payload[name] === null || knownFields.has(name)) return false
    if (isPrediction && predictionFields.has(name)) return false
    if (isProtected && protectionFields.some((field) => field === name)) return false
    if (!isProtected || !entryFields.some((field) => field === name)) return true
    // A price without a limit is the one that the sender sees.
    return name === 'price' && entry?.price === undefined
  }
  return namesOf(Object.keys(payload).values().filter(isIgnored))
}

/** The first 20 names of ignored fields, each cut to 64 characters. */
export function namesOf(ignored: IteratorObject<string>): string[] {
  const shown = ignored.take(ignoredLimit)
  return [...shown.map((name) => name.slice(0, ignoredNameLimit).toWellFormed())]
}

function isForPrediction({ symbol, slug, outcome }: Record<string, unknown>): boolean {
  return symbol == null && (slug != null || outcome != null)
}

function readSide(value: unknown): Signal['action'] {
  const action = typeof value === 'string' ? sides[value.trim().toUpperCase()] : undefined
  if (action === undefined) throw new Wrong('must be BUY or SELL, or EXIT to close')
  return action
}
