/**
 * Stops at Hyperliquid perpetuals: trigger orders, which the mark price triggers. As on the pages "Exchange endpoint" (Place an
 * order, Cancel order(s) by cloid), "Info endpoint" (Query order status by oid or cloid), "Tick and lot size" and "Take profit
 * and stop loss orders (TP/SL)" of Hyperliquid's documentation. The order that a stop becomes has its id.
 */
import { decimal, floorToStep, plain, stepOfDigits } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import type { LegDialect } from './dialect.ts'
import { act, addressOf, assetOf, coinOf } from './hyperliquid-actions.ts'
import { beforeOf, hashOf } from './lookups.ts'
import { request } from './requests.ts'

/** A price has at most so many significant digits. Whole numbers are always allowed. */
export const priceDigits = 5

export const hyperliquidLegs: LegDialect = {
  supports: ({ contract, linear, swap }) => contract === true && linear === true && swap === true,
  locksFunds: false,
  // Hyperliquid has no time after which it does not carry out an action.
  requestLifeMs: 30_000,
  priceDigits,
  priceStep: smallestStep,
  clientId: (id) => `0x${hashOf(id)}`,
  place,
  find,
  cancel: async (account, { clientId, symbol }) => {
    await act(account, {
      type: 'cancelByCloid',
      cancels: [{ asset: assetOf(account, symbol), cloid: clientId }],
    })
  },
  // The page "Error responses" has no other words for it.
  isBeyond: /Invalid TP\/SL price/,
}

/** The decimals of a price and of a size are at most six together; on spot eight. */
export function smallestStep({ precision, contract }: CcxtTradedMarket): string {
  const sizeDecimals = -decimal(String(precision.amount ?? '1')).e
  return plain(decimal(`1e${sizeDecimals - (contract === true ? 6 : 8)}`))
}

function place(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string) {
  const t = { trigger: { isMarket: true, triggerPx: plain(decimal(leg.price)), tpsl: 'sl' } }
  return sendOrder(account, leg, { p: worstPrice(market, leg), s: amount, t })
}

/**
 * Sends an order. The signature is over its fields in their order.
 * @param order `p`: the limit price, `s`: the size, `t`: the type, `r`: whether it only reduces the position; default: it does
 * @returns the id that the exchange gave it
 * @throws the errors of ccxt
 */
export async function sendOrder(
  account: CcxtAccount,
  { symbol, side, clientId }: Pick<LegRequest, 'symbol' | 'side' | 'clientId'>,
  { p, s, t, r = true }: { p: string; s: string; t: object; r?: boolean },
): Promise<string> {
  type Placed = { response: { data: { statuses: Partial<Record<'resting' | 'filled', { oid: string }>>[] } } }
  const order = {
    a: assetOf(account, symbol),
    b: side === 'buy',
    p,
    s: plain(decimal(s)),
    r,
    t,
    c: clientId,
  }
  const { response } = await act<Placed>(account, { type: 'order', orders: [order], grouping: 'na' })
  const [status] = response.data.statuses
  return (status?.resting ?? status?.filled)?.oid ?? ''
}

/** The exchange executes the order of a stop at most this far beyond it: as far as for stops of its own page. */
const slippage = '0.1'

function worstPrice(market: CcxtTradedMarket, { side, price }: LegRequest): string {
  const level = decimal(price)
  const away = level.times(slippage)
  const worst = side === 'sell' ? level.minus(away) : level.plus(away)
  const [fine, coarse] = [decimal(smallestStep(market)), stepOfDigits(worst, priceDigits)]
  return plain(floorToStep(worst, coarse.gt(fine) ? coarse : fine))
}

/** An order as the exchange lists it, and what became of it. */
export type Status = {
  order: { coin: string; side: 'A' | 'B'; oid: string; sz: string; origSz: string; isTrigger: unknown }
  status: string
  statusTimestamp: string
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const found = await orderOf(account, market, leg)
  return found && foundOf(account, found)
}

/** @returns `undefined` if there is none with this id, or it is another order. @throws the errors of ccxt */
export async function orderOf(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  leg: LegRequest,
): Promise<Status | undefined> {
  const asked = { type: 'orderStatus', user: addressOf(account), oid: leg.clientId }
  const { order: found } = await request<{ order?: Status }>(account, 'publicPostInfo', asked)
  if (found === undefined) return undefined
  const coin = coinOf(market)
  const isOther = coin !== undefined && found.order.coin !== coin
  return isOther || (found.order.side === 'B') !== (leg.side === 'buy') ? undefined : found
}

async function foundOf(account: CcxtAccount, { order, status, statusTimestamp }: Status): Promise<FoundLeg> {
  const { oid: exchangeId, isTrigger } = order
  const triggered: FoundLeg = { state: 'triggered', exchangeId, orderId: exchangeId, reason: null }
  if (status === 'open') return isTrigger === true ? { state: 'open', exchangeId, reason: null } : triggered
  if (status === 'triggered' || status === 'filled') return triggered
  const reason = endingOf(status)
  if (reason === undefined) throw new Error(`The stop has the unknown status ${status.slice(0, 40)}.`)
  // Its order may have ended after it had executed a part. That happens at once.
  const fills = await account.fetchMyTrades(undefined, beforeOf(Number(statusTimestamp)))
  if (fills.length >= fillPage) throw new Error('There are too many fills to search.')
  const hasExecuted =
    decimal(order.sz).lt(decimal(order.origSz)) || fills.some((fill) => fill.order === exchangeId)
  return hasExecuted ? triggered : { state: 'ended', exchangeId, reason }
}

/** The exchange returns at most so many fills at once. */
const fillPage = 2_000

/** Whether an order in this state executes nothing any more, and was not executed wholly. */
export function isEnd(status: string): boolean {
  return status === 'canceled' || cancellations.has(status) || rejections.has(status)
}

function endingOf(status: string): string | undefined {
  if (status === 'canceled') return 'The stop was cancelled at the exchange.'
  if (cancellations.has(status)) return `The exchange cancelled the stop (${status}).`
  return rejections.has(status)
    ? `The price reached the stop, but the exchange refused its order (${status}).`
    : undefined
}

const cancellations = new Set([
  ...['marginCanceled', 'vaultWithdrawalCanceled', 'openInterestCapCanceled', 'selfTradeCanceled'],
  ...[
    'reduceOnlyCanceled',
    'siblingFilledCanceled',
    'delistedCanceled',
    'liquidatedCanceled',
    'scheduledCancel',
  ],
])

const rejections = new Set([
  ...['rejected', 'tickRejected', 'minTradeNtlRejected', 'perpMarginRejected', 'reduceOnlyRejected'],
  ...['badAloPxRejected', 'iocCancelRejected', 'badTriggerPxRejected', 'marketOrderNoLiquidityRejected'],
  ...['positionIncreaseAtOpenInterestCapRejected', 'positionFlipAtOpenInterestCapRejected'],
  ...['tooAggressiveAtOpenInterestCapRejected', 'openInterestIncreaseRejected', 'oracleRejected'],
  ...['insufficientSpotBalanceRejected', 'perpMaxPositionRejected'],
])
