/**
 * Targets at Bybit on perpetual futures: limit orders that only reduce the position. As on the pages "Place Order", "Get Open
 * & Closed Orders", "Get Order History", "Cancel Order" and "Enums Definitions".
 */
import { decimal, zero } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import { type Result, type Row, requireUnified } from './bybit-account.ts'
import { bybitLegs, findRow, positionOf } from './bybit-legs.ts'
import type { TargetDialect } from './dialect.ts'
import { request } from './requests.ts'

export const bybitTargets: TargetDialect = { place, find, cancel: bybitLegs.cancel }

async function place(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string) {
  await requireUnified(account)
  const { result } = await request<Result<Row>>(account, 'privatePostV5OrderCreate', {
    category: 'linear',
    symbol: market.id,
    side: leg.side === 'buy' ? 'Buy' : 'Sell',
    orderType: 'Limit',
    qty: amount,
    price: leg.price,
    timeInForce: 'GTC',
    reduceOnly: true,
    ...(await positionOf(account, market, leg)),
    orderLinkId: leg.clientId,
  })
  return result?.orderId ?? ''
}

async function find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
  const row = await findRow(account, market, { orderLinkId: leg.clientId }, leg.sentAt)
  if (row === undefined || row.symbol !== market.id) return undefined
  return row.side?.toLowerCase() === leg.side ? foundOf(row) : undefined
}

function foundOf({ orderId = '', orderStatus = '', cumExecQty = '' }: Row): FoundLeg {
  const hasExecuted = cumExecQty !== '' && decimal(cumExecQty).gt(zero)
  const found = { exchangeId: orderId, reason: null }
  switch (orderStatus) {
    case 'New':
    case 'PartiallyFilled':
      return { ...found, state: hasExecuted ? 'filling' : 'open' }
    case 'Filled':
    case 'PartiallyFilledCanceled':
    case 'Cancelled':
    case 'Rejected':
    case 'Deactivated':
      if (hasExecuted) return { ...found, state: 'triggered', orderId, size: cumExecQty }
      return {
        ...found,
        state: 'ended',
        reason: 'The exchange ended the target, or somebody cancelled it there.',
      }
    default:
      throw new Error(`The target has the unknown status ${orderStatus.slice(0, 40)}.`)
  }
}
