import { decimal } from '../../base/decimals.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../market/live/ccxt-trading.ts'
import { rulesOf } from '../../market/live/market-rules.ts'
import { leverageRefusal } from '../leverage-limit.ts'
import type { MarginSetting, MarginWish, OrderRequest } from '../types.ts'
import { readPositions } from './account-reader.ts'
import { type Dialect, type MarginDialect, type ModeOf, UnfitAccount } from './dialects/dialect.ts'

/** For so long, what the account was found to have for a symbol is not read again. */
const knownMs = 60_000
/** By symbol and wish: until when it counts, by `performance.now()`. */
const known = new WeakMap<CcxtAccount, Map<string, number>>()

export type OpeningMargin = {
  account: CcxtAccount
  dialect: Dialect
  market: CcxtTradedMarket
  order: OrderRequest
}

/**
 * Makes leverage and margin mode of a symbol what the bot is set to, before an order opens a position. The account is
 * read again after a change, and only what it says then counts. Nothing changes while the account has a position there.
 * @throws {UnfitAccount} if the account has, or keeps, another setting, with both figures
 * @throws the errors of ccxt
 */
export async function ensureMargin({ account, dialect, market, order }: OpeningMargin): Promise<void> {
  const { margin: wish, symbol } = order
  if (wish === undefined || order.purpose !== 'open') return
  const { margin } = dialect
  if (margin === undefined || market.contract !== true) throw new UnfitAccount(notSettable(symbol))
  const seen = known.get(account) ?? new Map<string, number>()
  known.set(account, seen)
  const name = `${symbol} ${wish.leverage} ${wish.mode} ${order.side}`
  if ((seen.get(name) ?? 0) > performance.now()) return
  const excess = leverageRefusal(wish, rulesOf(market))
  if (excess !== null) throw new UnfitAccount(excess)
  const found = await margin.read(account, market, order)
  const before = differences(wish, found)
  if (before.length > 0) {
    const isOther = isOtherMode(wish, found)
    if (isOther && (await modeOf(margin, account)) === 'account')
      throw new UnfitAccount(`${told(symbol, before)} ${modeOfAccount}`)
    const positions = await readPositions(account, dialect)
    if (positions.some((position) => position.symbol === symbol)) {
      throw new UnfitAccount(`${told(symbol, before)} ${whileOpen}`)
    }
    if (isOther) await margin.setMode?.(account, market, wish.mode!, order)
    // Some exchanges have a leverage for each mode.
    if (wish.leverage !== null) await margin.setLeverage(account, market, order, wish.leverage)
    const after = differences(wish, await margin.read(account, market, order))
    if (after.length > 0) throw new UnfitAccount(`${told(symbol, after)} ${notTaken}`)
  }
  seen.set(name, performance.now() + knownMs)
}

/** What an opening would have, by symbol and side, and when it was read by `performance.now()`. */
const found = new WeakMap<CcxtAccount, Map<string, { setting: MarginSetting; readMs: number }>>()

/**
 * What an opening in a symbol would have, as the exchange says, or said in the last minute.
 * @throws the errors of ccxt
 */
export async function marginOfOpening(
  { account, dialect: { margin }, market }: Omit<OpeningMargin, 'order'>,
  side: OrderRequest['side'],
): Promise<MarginSetting> {
  if (margin === undefined || market.contract !== true) return { leverage: null, mode: null }
  const { symbol } = market
  const seen = found.get(account) ?? new Map()
  found.set(account, seen)
  const last = seen.get(`${symbol} ${side}`)
  if (last !== undefined && performance.now() - last.readMs < knownMs) return last.setting
  const opening = { symbol, side, purpose: 'open', reduceOnly: false, size: '0', clientOrderId: '' } as const
  const setting = await margin.read(account, market, opening)
  seen.set(`${symbol} ${side}`, { setting, readMs: performance.now() })
  return setting
}

async function modeOf({ modeOf: of }: MarginDialect, account: CcxtAccount): Promise<ModeOf> {
  return typeof of === 'function' ? of(account) : of
}

const whileOpen =
  'The service does not change this while the account has a position there, so it opens nothing. Close the position, or change the bot.'
const modeOfAccount =
  'There, the service cannot change the margin mode of a single symbol, so it opens nothing. Change it at the exchange, or in the bot.'
const notTaken = 'The exchange did not take the change, so the bot opens nothing.'

function notSettable(symbol: string): string {
  return `The service does not set the leverage or the margin mode of ${symbol}. Set them at the exchange, and take them away from the bot (leverage, margin_mode).`
}

function isOtherMode(wish: MarginWish, { mode }: MarginSetting): boolean {
  return wish.mode !== null && wish.mode !== mode
}

/** What the account has, and what the bot is set to, in words. */
function differences(wish: MarginWish, found: MarginSetting): string[] {
  const { leverage, mode } = found
  const isOther =
    wish.leverage !== null && (leverage === null || !decimal(leverage).eq(String(wish.leverage)))
  return [
    ...(isOtherMode(wish, found)
      ? [`${mode ?? 'an unknown'} margin, and the bot is set to ${wish.mode} (margin_mode)`]
      : []),
    ...(isOther
      ? [`a leverage of ${leverage ?? 'an unknown size'}, and the bot is set to ${wish.leverage} (leverage)`]
      : []),
  ]
}

function told(symbol: string, differences: string[]): string {
  return `The account has for ${symbol} ${differences.join('; it has ')}.`
}
