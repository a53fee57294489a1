/**
 * Targets at OKX on perpetual futures: limit orders that only reduce the position. Sizes are in contracts. As on the pages
 * "Place order", "Order details" and "Cancel order". Where orders could close more than the position, OKX itself ends those
 * with the worst price, so a target never keeps a stop from closing: "OKX to upgrade the position-closing feature for
 * futures and perpetual contracts".
 */
import { decimal, zero } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import { toBase } from '../../../market/live/market-rules.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import type { TargetDialect } from './dialect.ts'
import type { Page, Row } from './okx-account.ts'
import { futuresMode } from './okx-legs.ts'
import { request } from './requests.ts'

export const okxTargets: TargetDialect = {
  requireFit: futuresMode,
  place: async (account, market, leg, amount) => {
    const { data } = await request<Page>(account, 'privatePostTradeOrder', {
      instId: market.id,
      side: leg.side,
      ordType: 'limit',
      sz: amount,
      px: leg.price,
      ...(await futuresMode(account, market, leg)),
      clOrdId: leg.clientId,
    })
    return data?.[0]?.ordId ?? ''
  },
  find,
  cancel: async (account, { clientId }, { id }) => {
    await request(account, 'privatePostTradeCancelOrder', { instId: id, clOrdId: clientId })
  },
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const query = { instId: market.id, clOrdId: leg.clientId }
  const { data } = await request<Page>(account, 'privateGetTradeOrder', query)
  if (data === undefined) throw new Error('OKX sent no list.')
  const order = data.find(({ instId, side }) => instId === market.id && side === leg.side)
  return order && foundOf(market, order)
}

function foundOf(market: CcxtTradedMarket, { ordId = '', state = '', accFillSz = '' }: Row): FoundLeg {
  const hasExecuted = accFillSz !== '' && decimal(accFillSz).gt(zero)
  const found = { exchangeId: ordId, reason: null }
  switch (state) {
    case 'live':
    case 'partially_filled':
      return { ...found, state: hasExecuted ? 'filling' : 'open' }
    case 'filled':
    case 'canceled':
    case 'mmp_canceled':
      if (hasExecuted)
        return { ...found, state: 'triggered', orderId: ordId, size: toBase(market, accFillSz) }
      return { ...found, state: 'ended', reason: 'OKX ended the target, or somebody cancelled it there.' }
    default:
      throw new Error(`The target has the unknown status ${state.slice(0, 40)}.`)
  }
}
