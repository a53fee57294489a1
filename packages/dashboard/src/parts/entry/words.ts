/** How a bot enters, in words. */

import type { ApprovalInList } from '@tickwright/client'
import { formatNumber } from '../../base/numbers.ts'
import { formatDuration } from '../../base/times.ts'
import { formatPrice } from '../protection/words.ts'
import type { Entry } from './texts.ts'

/** In a line of facts. */
export function entryInShort(entry: Entry | null): string {
  if (entry === null) return 'at market'
  const { type, offset, timeout_seconds, on_timeout } = entry
  const best = type === 'post_only' ? 'at the best bid or offer' : 'at the current price'
  const where = offset === null ? best : `${percent(offset)} better than the current price`
  const what = type === 'post_only' ? 'with a post-only order' : 'with a limit order'
  return `${what} ${where}, for ${formatDuration(timeout_seconds * 1_000)}${afterwards[on_timeout]}`
}

type SignalEntry = NonNullable<ApprovalInList['options']['entry']>

/** What an action says about its entry. What it does not say is up to the bot. */
export function signalEntryInShort({
  type,
  price,
  offset,
  timeout_seconds,
  on_timeout,
}: SignalEntry): string {
  if (type === 'market') return 'at market'
  const what = type === 'post_only' ? 'with a post-only order' : 'with a limit order'
  const better = offset == null ? '' : ` ${percent(offset)} better than the current price`
  const where = price === undefined ? better : ` at ${formatPrice(price)}`
  const time = timeout_seconds === undefined ? '' : `, for ${formatDuration(timeout_seconds * 1_000)}`
  return `${what}${where}${time}${on_timeout === undefined ? '' : afterwards[on_timeout]}`
}

const afterwards: Record<Entry['on_timeout'], string> = {
  cancel: '',
  market: ', then at market',
  chase: ', then at the price of that time',
}

const examplePrice = 100

/** What an entry does at a price of 100, worked out. Text that is being typed may be anything. */
export function entryExample({
  type,
  offset,
  timeout_seconds,
  on_timeout,
  chases,
  max_slippage,
}: Entry): string {
  const distance = offset === null ? 0 : partOf(offset)
  if (!Number.isFinite(distance) || !Number.isFinite(timeout_seconds))
    return 'An offset is a distance such as 0.5%.'
  const limit = examplePrice * (1 - distance)
  const from = type === 'post_only' && offset === null ? 'a best bid' : 'a price'
  const begin = `At ${from} of ${examplePrice}, a long rests at ${shown(limit)} for ${formatDuration(timeout_seconds * 1_000)}.`
  if (on_timeout === 'cancel') return `${begin} Then it is cancelled.`
  const room = max_slippage === null ? null : partOf(max_slippage)
  const most =
    room === null || !Number.isFinite(room) ? '' : `, if that is at most ${shown(limit * (1 + room))}`
  if (on_timeout === 'market') return `${begin} Then the rest is bought at the price of that time${most}.`
  const times = chases === 1 ? 'once' : `up to ${chases ?? 0} times`
  return `${begin} Then it moves to the price of that time, ${times}${most}.`
}

/** `0.5%` or `0.5` is 0.005. */
function partOf(text: string): number {
  return Number(text.trim().replace(/%$/, '')) / 100
}

function percent(text: string): string {
  return `${formatNumber(text.replace(/%$/, ''))} %`
}

function shown(price: number): string {
  return formatNumber(String(Number(price.toPrecision(8))))
}
