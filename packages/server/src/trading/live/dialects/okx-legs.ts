/**
 * Stops at OKX, on spot and perpetual futures. They are algo orders of the type `conditional`, on paths of their own, with
 * ids of their own, which have only letters and digits. Sizes of futures are in contracts. With a target, a stop is of the
 * type `oco`: the level that is reached first becomes a market order, and the other one is gone. As on the pages "Place algo
 * order", "Algo order details" and "Cancel algo order".
 */
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import { type LegDialect, UnfitAccount } from './dialect.ts'
import { validOr } from './lookups.ts'
import {
  accountConfig,
  borrowing,
  borrows,
  isSpotMode,
  marginModeOf,
  type Page,
  positionModeOf,
  spotIsCross,
  spotMode,
} from './okx-account.ts'
import { request } from './requests.ts'

type AlgoOrder = {
  algoId: string
  instId?: string
  side?: string
  state: string
  /** The latest of the orders that it has become; empty before it is triggered. */
  ordId?: string
  ordIdList?: string[]
  /** Which level was reached: `tp` is that of the target. */
  actualSide?: string
  failCode?: string
}

const portfolioMargin =
  'In portfolio margin mode, OKX does not take orders that only reduce a position. So a stop or a target there could open one.'

export const okxLegs: LegDialect = {
  supports: ({ contract, linear, swap }) => contract === true && linear === true && swap === true,
  locksFunds: false,
  // Unlike an order, an algo order has no time after which OKX does not carry it out, except that of the signature.
  requestLifeMs: 30_000,
  clientId: (id) => validOr(id, /^[A-Za-z0-9]{1,32}$/),
  place: placing(futuresMode),
  find,
  cancel: async (account, { clientId }, { id }) => {
    await request(account, 'privatePostTradeCancelAlgos', [{ instId: id, algoClOrdId: clientId }])
  },
  // "SL trigger price can not be lower than the last price", and higher.
  isBeyond: /"sCode":\s*"(51278|51280)"/,
}

export const okxSpotLegs: LegDialect = {
  ...okxLegs,
  supports: ({ spot }) => spot === true,
  // OKX locks nothing for it. But there, an order cannot say that it only reduces, so one goes before the other comes.
  locksFunds: true,
  hasOco: () => true,
  place: placing(spotModeOf),
}

type Mode = { tdMode: string; posSide?: 'long' | 'short'; reduceOnly?: true }
type ModeOf = (account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) => Promise<Mode>

/** @throws {UnfitAccount} */
export async function futuresMode(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  { side }: LegRequest,
): Promise<Mode> {
  const config = await accountConfig.of(account)
  if (isSpotMode(config)) throw new UnfitAccount(spotMode)
  const isHedged = positionModeOf(config) === 'hedge'
  if (config.acctLv === '4' && !isHedged) throw new UnfitAccount(portfolioMargin)
  const tdMode = await marginModeOf(account, config, market, { side, purpose: 'close' })
  // In hedge mode, an order against the named position can only reduce it.
  return isHedged ? { tdMode, posSide: side === 'sell' ? 'long' : 'short' } : { tdMode, reduceOnly: true }
}

/** @throws {UnfitAccount} */
async function spotModeOf(account: CcxtAccount): Promise<Mode> {
  const config = await accountConfig.of(account)
  if (borrows(config)) throw new UnfitAccount(borrowing)
  return { tdMode: spotIsCross(config) ? 'cross' : 'cash' }
}

function placing(modeOf: ModeOf): LegDialect['place'] {
  return async (account, market, leg, amount) => {
    const { data } = await request<Page>(account, 'privatePostTradeOrderAlgo', {
      instId: market.id,
      side: leg.side,
      ordType: leg.oco === undefined ? 'conditional' : 'oco',
      sz: amount,
      slTriggerPx: leg.price,
      // At the market price.
      slOrdPx: '-1',
      // The price that the service watches, too.
      slTriggerPxType: 'last',
      ...(leg.oco && { tpTriggerPx: leg.oco.price, tpOrdPx: '-1', tpTriggerPxType: 'last' }),
      ...(await modeOf(account, market, leg)),
      algoClOrdId: leg.clientId,
    })
    return data?.[0]?.algoId ?? ''
  }
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const query = { algoClOrdId: leg.clientId }
  const { data } = await request<{ data?: AlgoOrder[] }>(account, 'privateGetTradeOrderAlgo', query)
  if (data === undefined) throw new Error('OKX sent no list.')
  const order = data.find(({ instId, side }) => instId === market.id && side === leg.side)
  return order && foundOf(order)
}

function foundOf({
  algoId: exchangeId,
  state,
  ordId = '',
  ordIdList = [],
  actualSide,
  failCode = '',
}: AlgoOrder): FoundLeg {
  // OKX splits a stop that is larger than the largest order. Then this follows the first order, and the comparison with
  // the account counts what the others execute.
  const orderId = [...ordIdList, ordId].find((id) => /^[1-9]\d*$/.test(id))
  if (orderId !== undefined) {
    const isTarget = actualSide === 'tp'
    return { state: 'triggered', exchangeId, orderId, reason: null, ...(isTarget && { isTarget }) }
  }
  switch (state) {
    case 'live':
      return { state: 'open', exchangeId, reason: null }
    case 'effective':
    case 'partially_effective':
      return { state: 'triggering', exchangeId, reason: null }
    case 'canceled':
      return { state: 'ended', exchangeId, reason: 'The stop was cancelled at the exchange.' }
    case 'order_failed': {
      const code = /^[1-9]\d{0,9}$/.test(failCode) ? ` (code ${failCode})` : ''
      const reason = `The price reached the stop, but the exchange refused its order${code}.`
      return { state: 'ended', exchangeId, reason }
    }
    default:
      throw new Error(`The stop has the unknown status ${state.slice(0, 40)}.`)
  }
}
