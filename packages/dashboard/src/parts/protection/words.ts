/** What protects a position, in words. */

import type { Position, SignalBotInList } from '@tickwright/client'
import { formatNumber, roundPrice } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { formatDuration } from '../../base/times.ts'

export type Protection = NonNullable<SignalBotInList['protection']>

/** Some of its fields, as a signal names them. */
export type SomeProtection = { [Field in keyof Protection]?: Protection[Field] | undefined }

/** What the words need of an open position. */
export type Protected = Pick<Position, 'side' | 'size' | 'entry_price' | 'protection'>

export function formatPrice(price: string): string {
  return formatNumber(roundPrice(price))
}

/** A level as it was asked for: `2 %`, `2 R` or a price. */
export function formatLevel(level: string): string {
  const unit = /[%R]$/i.exec(level)?.[0]
  if (unit !== undefined) return `${formatNumber(level.slice(0, -1))} ${unit.toUpperCase()}`
  // Text that is being typed may be anything.
  return Number.isFinite(Number(level)) ? formatNumber(level) : plainText(level)
}

/** In a line of a list: where the stop is and what it would bring, and what else there is. */
export function inShort({ side, entry_price, protection }: Protected): string {
  if (protection === null) return 'Not protected'
  const { state, kept_at, stop_price, targets, settings } = protection
  if (state === 'CALLED_OFF') return 'Not protected any more'
  if (state === 'CLOSING') return 'Being closed'
  const percent = stop_price === null ? null : percentFrom(entry_price, stop_price)
  const result = percent === null ? '' : ` (${signedPercent(side === 'short' ? -percent : percent)})`
  return [
    stop_price === null ? 'No stop' : `Stop ${formatPrice(stop_price)}${result}`,
    ...(kept_at === 'exchange' ? ['at the exchange'] : []),
    ...(targets.length === 0 ? [] : [targets.length === 1 ? '1 target' : `${targets.length} targets`]),
    ...(settings.trailing === null ? [] : ['trailing']),
    ...(settings.exit_after_seconds === null ? [] : ['time limit']),
    ...(state === 'ADRIFT' ? ['books and account differ'] : []),
  ].join(', ')
}

/** Each thing that protects a position in a sentence, the stop first. Says so if there is no stop. */
export function inSentences(position: Protected): string[] {
  const { protection, entry_price: entry, size } = position
  if (protection === null)
    return ['Nothing protects this position. It stays open until a signal or you close it.']
  const { state, kept_at, exchange_stop, stop_price, stop_reason, targets, best_price, settings } = protection
  const { unprotected_seconds: unprotected } = protection
  if (state === 'CALLED_OFF') return []
  const { trailing, break_even, stop_loss } = settings
  const isMixed = kept_at === 'exchange' || targets.some((target) => target.kept_at === 'exchange')
  /** If something rests at the exchange, each level says where it is kept. */
  const place = (kept: 'exchange' | 'service' | null) =>
    !isMixed || kept === null
      ? ''
      : kept === 'exchange'
        ? ' It is an order at the exchange.'
        : ' The service watches it.'
  return [
    stop_price === null
      ? `There is no stop${trailing === null ? '' : ' yet'}: no loss closes this position.`
      : `Stop at ${formatPrice(stop_price)}, ${distance(entry, stop_price)}${stopWords[stop_reason ?? 'stop_loss']}.${place(state === 'PROTECTED' ? 'exchange' : kept_at === 'exchange' ? null : 'service')}`,
    ...(exchange_stop === null || state === 'PROTECTED'
      ? []
      : [
          `The order at the exchange closes ${shareOf(exchange_stop.size, size)} at ${formatPrice(exchange_stop.price)}.`,
        ]),
    ...(unprotected === null || unprotected < 1
      ? []
      : [`So far, it was ${formatDuration(unprotected * 1000)} without a stop at the exchange.`]),
    ...targets.map(
      ({ price, size: part, kept_at: keptAt }) =>
        `Target at ${formatPrice(price)}, ${distance(entry, price)}: closes ${shareOf(part, size)}.${place(keptAt)}`,
    ),
    ...(trailing === null ? [] : [trailingSentence(trailing, best_price)]),
    ...(break_even === null || stop_reason === 'break_even' ? [] : [breakEvenSentence(break_even)]),
    ...(usesRisk(settings) && stop_loss !== null
      ? [`1 R is the distance from the entry price to the first stop, ${formatLevel(stop_loss)}.`]
      : []),
  ]
}

const stopWords = {
  stop_loss: '',
  break_even: ', where break-even has moved it',
  trailing: ', where it has followed the best price',
}

function trailingSentence(
  { by, from, step }: NonNullable<Protection['trailing']>,
  best: string | null,
): string {
  const known = best === null ? '' : ` (${formatPrice(best)} so far)`
  const since = from === null ? '' : `, once that has reached ${levelWords(from)}`
  const steps = step === null ? '' : `, in steps of at least ${formatLevel(step)}`
  return `The stop follows the best price${known} at a distance of ${formatLevel(by)}${since}${steps}.`
}

function breakEvenSentence({ after, plus }: NonNullable<Protection['break_even']>): string {
  const beyond = plus === null ? '' : ` plus ${formatLevel(plus)}`
  return `Once the price has reached ${levelWords(after)}, the stop moves to the entry price${beyond}.`
}

function levelWords(level: string): string {
  return /[%R]$/i.test(level) ? `${formatLevel(level)} of profit` : formatLevel(level)
}

/** What was asked for, by the name of each part. What is not asked for is `none`. */
export function settingsInWords(
  protection: SomeProtection | null,
): (readonly [name: string, words: string])[] {
  const { stop_loss, take_profit = [], trailing, break_even, exit_after_seconds } = protection ?? {}
  return [
    ['Stop', stop_loss == null ? 'none' : formatLevel(stop_loss)],
    [
      'Targets',
      take_profit.map(({ at, part }) => `${formatLevel(at)} closes ${partWords(part)}`).join('; ') || 'none',
    ],
    [
      'Trailing stop',
      trailing == null
        ? 'none'
        : `${formatLevel(trailing.by)} from the best price${trailing.from === null ? '' : `, once it has reached ${levelWords(trailing.from)}`}${trailing.step === null ? '' : `, in steps of ${formatLevel(trailing.step)}`}`,
    ],
    [
      'Break-even',
      break_even == null
        ? 'none'
        : `after ${formatLevel(break_even.after)}${break_even.plus === null ? '' : `, plus ${formatLevel(break_even.plus)}`}`,
    ],
    ['Time limit', exit_after_seconds == null ? 'none' : formatDuration(exit_after_seconds * 1000)],
  ]
}

/** The same in one line, without what is not asked for. */
export function settingsInShort(protection: SomeProtection | null): string {
  const present = settingsInWords(protection).filter(([, words]) => words !== 'none')
  if (present.length === 0) return 'nothing'
  return present.map(([name, words]) => `${name.toLowerCase()}: ${words}`).join('. ')
}

function partWords(part: string): string {
  return Number(part) === 1 ? 'all' : `${formatNumber(round(Number(part) * 100))} %`
}

function shareOf(part: string, size: string): string {
  const share = round((Number(part) / Number(size)) * 100)
  return share >= 100 ? 'all of it' : `${formatNumber(share)} % of it (${formatNumber(part)})`
}

/** How far a price is from the entry price, in percent of that. `null` if nobody knows. */
function percentFrom(entry: string | null, price: string): number | null {
  const percent = entry === null ? Number.NaN : (Number(price) / Number(entry) - 1) * 100
  return Number.isFinite(percent) ? round(percent) : null
}

function distance(entry: string | null, price: string): string {
  const percent = percentFrom(entry, price)
  if (percent === null) return 'at a distance that nobody knows'
  if (percent === 0) return 'at the entry price'
  return `${formatNumber(Math.abs(percent))} % ${percent < 0 ? 'below' : 'above'} the entry price`
}

function signedPercent(percent: number): string {
  return `${formatNumber(percent, { isSigned: true })} %`
}

function round(percent: number): number {
  return Math.round(percent * 100) / 100
}

export function usesRisk({ take_profit, trailing, break_even }: Protection): boolean {
  const levels = [
    ...take_profit.map(({ at }) => at),
    ...Object.values(trailing ?? {}),
    ...Object.values(break_even ?? {}),
  ]
  return levels.some((level) => level !== null && /R$/i.test(level))
}
