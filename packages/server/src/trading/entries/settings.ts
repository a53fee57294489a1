/**
 * How a bot enters a position: with a market order, or with an order that rests at a price. The one shape of it, wherever
 * it comes from: the settings of a bot or a signal. It is stored as it is shown.
 */
import type { ErrorDetail } from '../../base/errors.ts'
import type { Entry, SignalEntry } from '../../db/schema.ts'
import { levelOf, readLevel, WrongLevel } from '../protection/levels.ts'

export type { Entry, SignalEntry }

export const entryTypes = ['market', 'limit', 'post_only'] as const
export const timeoutActions = ['cancel', 'market', 'chase'] as const

/** The fields of a payload that say how to enter. */
export const entryFields = [
  'type',
  'price',
  'offset',
  'timeout_seconds',
  'on_timeout',
  'chases',
  'max_slippage',
] as const

export const longestRestSeconds = 86_400
export const mostChases = 100

/** What an order that rests has, where nobody says otherwise. */
const defaults: Entry = {
  ...{ type: 'limit', offset: null, timeout_seconds: 300, on_timeout: 'cancel' },
  ...{ chases: null, max_slippage: null },
}
const defaultChases = 3

/** Why a live bot does not place an order that rests, where nobody knows more. */
export const liveEntryReason =
  'The service places no orders with a limit (limit, post_only) at this exchange. A market order needs no type.'

type Type = (typeof entryTypes)[number]
type Read = Partial<Omit<SignalEntry, 'type'>> & { type?: Type }

/**
 * Reads the `entry` of a bot. A field that is absent or `null` has its default, except `type`.
 * @param prefix the path of the fields in messages, such as `body.entry.`
 * @returns `entry`: `null` for a market order. It must not be used if there are problems
 */
export function readEntry(
  given: Record<string, unknown>,
  prefix: string,
): { entry: Entry | null; problems: ErrorDetail[] } {
  const { read, problems } = readFields(given, prefix, defaults.on_timeout)
  if (given.price != null) {
    problems.push({ field: `${prefix}price`, message: 'belongs in a signal; a bot has an offset' })
  }
  const { type = defaults.type, price: _, ...fields } = read
  if (given.type == null) {
    problems.push({ field: `${prefix}type`, message: `is required: ${listOf(entryTypes)}` })
  }
  return { entry: type === 'market' ? null : complete({ ...defaults, type, ...fields }), problems }
}

/**
 * Reads what a signal says about its entry. `price` alone says nothing: many senders add the price that they see.
 * @param prefix see {@link readEntry}
 * @returns `entry`: `undefined` if the signal leaves it to the bot. It must not be used if there are problems
 */
export function readSignalEntry(
  given: Record<string, unknown>,
  prefix: string,
): { entry: SignalEntry | undefined; problems: ErrorDetail[] } {
  const { read, problems } = readFields(given, prefix)
  const { type, price, ...fields } = read
  const [first] = Object.keys(fields)
  if (type === undefined && first !== undefined && problems.length === 0) {
    problems.push({ field: `${prefix}type`, message: `is required with ${first}: limit or post_only` })
  }
  if (type === undefined) return { entry: undefined, problems }
  const isResting = type !== 'market'
  return { entry: { type, ...fields, ...(isResting && price !== undefined && { price }) }, problems }
}

/** How a bot enters on a signal. A signal that rests leaves to the bot what it does not say. `null`: a market order. */
export function entryOf(
  bot: Entry | null | undefined,
  signal: SignalEntry | undefined,
): (Entry & { price: string | null }) | null {
  if (signal === undefined) return bot == null ? null : { ...bot, price: null }
  const { type, price = null, ...fields } = signal
  if (type === 'market') return null
  return { ...complete({ ...defaults, ...bot, ...fields, type }), price }
}

function complete(entry: Entry): Entry {
  return { ...entry, chases: entry.on_timeout === 'chase' ? (entry.chases ?? defaultChases) : null }
}

/**
 * Each field by itself, and whether they go together.
 * @param otherwise what `on_timeout` is if it is absent; `undefined`: nobody knows here
 */
function readFields(
  given: Record<string, unknown>,
  prefix: string,
  otherwise?: Entry['on_timeout'],
): { read: Read; problems: ErrorDetail[] } {
  const problems: ErrorDetail[] = []
  const check = <T>(field: (typeof entryFields)[number], reader: (value: unknown) => T): T | undefined => {
    const value = Object.hasOwn(given, field) ? given[field] : undefined
    if (value === undefined || value === null) return undefined
    try {
      return reader(value)
    } catch (error) {
      if (!(error instanceof WrongLevel)) throw error
      problems.push({ field: `${prefix}${field}`, message: error.message })
      return undefined
    }
  }
  const found: Record<keyof Read, unknown> = {
    type: check('type', (value) => wordOf(value, entryTypes)),
    // Without a limit, it is the price that the sender sees.
    price: mayRest(given) ? check('price', (value) => readLevel(value, ['price'])) : undefined,
    offset: check('offset', readOffset),
    timeout_seconds: check('timeout_seconds', (value) => wholeOf(value, 1, longestRestSeconds)),
    on_timeout: check('on_timeout', (value) => wordOf(value, timeoutActions)),
    chases: check('chases', (value) => wholeOf(value, 1, mostChases)),
    max_slippage: check('max_slippage', readPercent),
  }
  const read = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as Read
  if (problems.length === 0)
    problems.push(...contradictions({ on_timeout: otherwise, ...read }, read, prefix))
  return { read, problems }
}

function mayRest({ type }: Record<string, unknown>): boolean {
  return type != null && (typeof type !== 'string' || type.trim().toLowerCase() !== 'market')
}

/** A field that would change nothing is refused, so that nobody relies on it. */
function contradictions(
  { on_timeout }: { on_timeout: Entry['on_timeout'] | undefined },
  read: Read,
  prefix: string,
): ErrorDetail[] {
  const { type, price, offset, chases, max_slippage } = read
  const problems: ErrorDetail[] = []
  const refuse = (field: string, message: string) => problems.push({ field: `${prefix}${field}`, message })
  if (type === 'market') {
    for (const field of entryFields) {
      if (field === 'type' || field === 'price' || read[field] === undefined) continue
      refuse(field, 'needs the type limit or post_only: a market order waits for nothing')
    }
    return problems
  }
  if (price !== undefined && offset !== undefined) refuse('offset', 'cannot be given together with price')
  if (chases !== undefined && on_timeout !== undefined && on_timeout !== 'chase')
    refuse('chases', 'needs on_timeout chase')
  if (max_slippage !== undefined && on_timeout === 'cancel') {
    refuse('max_slippage', 'needs on_timeout market or chase: a limit order has no slippage')
  }
  return problems
}

function wordOf<Word extends string>(value: unknown, words: readonly Word[]): Word {
  const text = typeof value === 'string' ? value.trim().toLowerCase().replaceAll(/[- ]/g, '_') : null
  const word = words.find((each) => each === text || each.replace('_', '') === text)
  if (word === undefined) throw new WrongLevel(`must be ${listOf(words)}`)
  return word
}

function listOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function wholeOf(value: unknown, least: number, most: number): number {
  const isText = typeof value === 'string' && /^\s*\d{1,12}\s*$/.test(value)
  const number = isText ? Number(value) : value
  if (Number.isInteger(number) && Number(number) >= least && Number(number) <= most) return Number(number)
  throw new WrongLevel(`must be a whole number from ${least} to ${most}`)
}

/** No offset is the current price itself. */
function readOffset(value: unknown): string | null {
  const isNothing =
    (typeof value === 'number' || typeof value === 'string') && /^0+(\.0+)?%?$/.test(`${value}`)
  return isNothing ? null : readPercent(value)
}

function readPercent(value: unknown): string {
  const text = readLevel(value, ['percent'])
  if (levelOf(text).value.gte('100')) throw new WrongLevel(`must be less than 100%, got ${text}`)
  return text
}
