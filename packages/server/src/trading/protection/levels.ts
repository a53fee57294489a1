/**
 * The levels of a protection. People write a price (`50000`), a distance from the entry price (`2%`), or a multiple of
 * the distance to the stop (`2R`). They stay as they were written until there is a position to measure them from.
 */
import { leastOrderSize, levelLengthLimit, mostOrderSize } from '@tickwright/sandbox'
import { type Decimal, decimal, isZero, plain } from '../../base/decimals.ts'

export type LevelKind = 'price' | 'percent' | 'risk'
export type Level = { kind: LevelKind; value: Decimal }
export type PositionSide = 'long' | 'short'

/** What levels are measured from. `risk`: the distance to the first stop, in quote currency; `null` without one. */
export type Measure = { side: PositionSide; entry: Decimal; risk: Decimal | null }

/** A value is no level. The message completes a sentence that begins with the name of the field. */
export class WrongLevel extends Error {
  override name = 'WrongLevel'
}

const hundred = decimal('100')
const mostPercent = decimal('100000')
const mostRisks = decimal('1000')
const leastPrice = decimal(String(leastOrderSize))
const mostPrice = decimal(String(mostOrderSize))
const mostDecimalPlaces = 18

const written = /^(\d{1,40}(?:\.\d{1,40})?|\.\d{1,40})\s*(%|r)?$/i

/**
 * Reads a level as a person or a template wrote it: a number, or a text.
 * @returns the level in its one spelling: `50000`, `2%`, `2R`
 * @throws {WrongLevel}
 */
export function readLevel(given: unknown, kinds: readonly LevelKind[]): string {
  const words = expected(kinds)
  const text = typeof given === 'number' && Number.isFinite(given) ? plainOf(given) : given
  const match = typeof text === 'string' && text.length <= levelLengthLimit ? written.exec(text.trim()) : null
  if (match === null) throw new WrongLevel(`must be ${words}, got ${shown(given)}`)
  const value = decimal(match[1]!.startsWith('.') ? `0${match[1]}` : match[1]!)
  const kind = kindOf(match[2])
  if (!kinds.includes(kind)) throw new WrongLevel(`must be ${words}, got ${shown(given)}`)
  if ((plain(value).split('.')[1]?.length ?? 0) > mostDecimalPlaces) {
    throw new WrongLevel(`must have at most ${mostDecimalPlaces} digits after the point`)
  }
  const problem = boundsProblem(kind, value)
  if (problem !== null) throw new WrongLevel(`${problem}, got ${shown(given)}`)
  return `${plain(value)}${suffixes[kind]}`
}

/** A level that {@link readLevel} has read. @throws {RangeError} for any other text */
export function levelOf(text: string): Level {
  const match = written.exec(text)
  if (match === null) throw new RangeError(`"${text.slice(0, 40)}" is no level.`)
  return { kind: kindOf(match[2]), value: decimal(match[1]!) }
}

/**
 * The price of a level.
 * @param towards whether a distance is measured towards a gain or towards a loss
 * @returns `null` for a multiple of the distance to the stop, if there is no stop
 */
export function priceOf(text: string, measure: Measure, towards: 'gain' | 'loss'): Decimal | null {
  const level = levelOf(text)
  if (level.kind === 'price') return level.value
  const distance = distanceOf(text, measure, measure.entry)
  if (distance === null) return null
  return isUp(measure.side, towards) ? measure.entry.plus(distance) : measure.entry.minus(distance)
}

/** The length of a distance in quote currency. Percents are of `of`. `null`: it depends on a stop, and there is none. */
export function distanceOf(text: string, { risk }: Pick<Measure, 'risk'>, of: Decimal): Decimal | null {
  const { kind, value } = levelOf(text)
  if (kind === 'percent') return of.times(value).div(hundred)
  if (kind === 'risk') return risk === null ? null : risk.times(value)
  throw new RangeError(`"${text}" is a price, not a distance.`)
}

/** Whether a price is better for the holder of a position than another: higher for a long, lower for a short. */
export function isBetter(side: PositionSide, price: Decimal, than: Decimal): boolean {
  return side === 'long' ? price.gt(than) : price.lt(than)
}

function isUp(side: PositionSide, towards: 'gain' | 'loss'): boolean {
  return (side === 'long') === (towards === 'gain')
}

const suffixes: Record<LevelKind, string> = { price: '', percent: '%', risk: 'R' }

function kindOf(suffix: string | undefined): LevelKind {
  if (suffix === undefined) return 'price'
  return suffix === '%' ? 'percent' : 'risk'
}

function boundsProblem(kind: LevelKind, value: Decimal): string | null {
  if (isZero(value)) return 'must be more than 0'
  if (kind === 'percent') return value.gt(mostPercent) ? `must be at most ${plain(mostPercent)}%` : null
  if (kind === 'risk') return value.gt(mostRisks) ? `must be at most ${plain(mostRisks)}R` : null
  const isPrice = value.gte(leastPrice) && value.lte(mostPrice)
  return isPrice ? null : `must be a price from ${leastOrderSize} to ${mostOrderSize}`
}

function expected(kinds: readonly LevelKind[]): string {
  const words = {
    price: 'a price such as 50000',
    percent: 'a distance such as "2%"',
    risk: 'a multiple of the distance to the stop such as "2R"',
  }
  const [last, ...others] = kinds.map((kind) => words[kind]).reverse()
  return others.length === 0 ? last! : `${others.reverse().join(', ')} or ${last}`
}

/** `1e-7` is `0.0000001`. No level has as many digits as the numbers that this leaves as they are. */
function plainOf(given: number): string {
  return given > 1e-40 && given < 1e40 ? plain(decimal(String(given))) : String(given)
}

function shown(given: unknown): string {
  const text = given === undefined ? 'nothing' : JSON.stringify(given)
  return (text ?? typeof given).slice(0, 40)
}
