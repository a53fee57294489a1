import { decimal, plain } from '../../base/decimals.ts'
import type {
  CcxtAccount,
  CcxtBalance,
  CcxtOrder,
  CcxtPosition,
  CcxtTrade,
  CcxtTradedMarket,
} from '../../market/live/ccxt-trading.ts'
import { toBase } from '../../market/live/market-rules.ts'
import type {
  AccountBalance,
  AccountFacts,
  AccountOrder,
  AccountPosition,
  AccountTrade,
  FundingPayment,
} from '../account.ts'
import type { Side } from '../types.ts'
import type { Dialect } from './dialects/dialect.ts'
import { executionOf } from './reports.ts'

export const unknownFacts: AccountFacts = {
  accountId: null,
  accountType: null,
  mayTrade: null,
  mayWithdraw: null,
  isIpRestricted: null,
  positionMode: null,
  obstacles: [],
}

/** Reads the open positions of the account's futures. A position in a market that the service does not know is left out. */
export async function readPositions(account: CcxtAccount, dialect: Dialect): Promise<AccountPosition[]> {
  const positions = await (dialect.positions?.(account) ?? account.fetchPositions())
  return positions.flatMap((position) => {
    const market = position.symbol === undefined ? undefined : account.markets[position.symbol]
    return market === undefined ? [] : (positionOf(market, position) ?? [])
  })
}

function positionOf(market: CcxtTradedMarket, position: CcxtPosition): AccountPosition | undefined {
  const contracts = decimal(position.contracts ?? '0')
  if (contracts.eq('0')) return undefined
  const { side, entryPrice, marginMode } = position
  return {
    symbol: market.symbol,
    // Some exchanges give a signed size instead of a side.
    side: side === 'long' || side === 'short' ? side : contracts.gt('0') ? 'long' : 'short',
    size: toBase(market, plain(contracts.abs())),
    entryPrice: entryPrice === undefined ? null : plain(decimal(entryPrice)),
    marginMode: marginMode === 'cross' || marginMode === 'isolated' ? marginMode : null,
    leverage: positiveOrNull(position.leverage),
    liquidationPrice: positiveOrNull(position.liquidationPrice),
  }
}

/** Exchanges write what they do not say as 0, as nothing, or below 0. */
function positiveOrNull(text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  const value = decimal(text)
  return value.gt('0') ? plain(value) : null
}

export async function readBalances(account: CcxtAccount): Promise<AccountBalance[]> {
  const { total, free } = (await account.fetchBalance()) as CcxtBalance
  return Object.entries(total ?? {}).map(([asset, amount]) => ({
    asset,
    total: plain(decimal(amount ?? '0')),
    free: plain(decimal(free?.[asset] ?? '0')),
  }))
}

export async function readOpenOrders(
  account: CcxtAccount,
  market: CcxtTradedMarket,
): Promise<AccountOrder[]> {
  const orders = await account.fetchOpenOrders(market.symbol)
  return orders.map((order) => openOrderOf(market, order))
}

function openOrderOf(market: CcxtTradedMarket, order: CcxtOrder): AccountOrder {
  const { id = '', clientOrderId, side, amount = '0', filled = '0', timestamp = 0 } = order
  return {
    exchangeOrderId: id,
    // Kraken gives 0 for an order without one.
    clientOrderId: clientOrderId === '' || clientOrderId === '0' ? null : (clientOrderId ?? null),
    symbol: market.symbol,
    side: sideOf(side),
    size: toBase(market, amount),
    filledSize: toBase(market, filled),
    reduceOnly: order.reduceOnly === true,
    at: timestamp,
  }
}

/** @throws if a trade lacks its id, amount, price or side: booking a part of the trades would be worse than none */
export async function readTrades(
  account: CcxtAccount,
  dialect: Dialect,
  market: CcxtTradedMarket,
  since: number,
): Promise<AccountTrade[]> {
  const trades = await (dialect.tradesSince?.(account, market.symbol, since) ??
    account.fetchMyTrades(market.symbol, since))
  const unique = new Map(trades.map((trade) => [trade.id, tradeOf(market, dialect, trade)]))
  return [...unique.values()]
    .filter(({ filledAt }) => filledAt >= since)
    .sort((a, b) => a.filledAt - b.filledAt)
}

function tradeOf(market: CcxtTradedMarket, dialect: Dialect, trade: CcxtTrade): AccountTrade {
  return {
    ...executionOf(market, {}, trade),
    symbol: market.symbol,
    side: sideOf(trade.side),
    exchangeOrderId: trade.order ?? null,
    kind: dialect.kindOf?.(trade) ?? 'order',
  }
}

export async function readFunding(
  account: CcxtAccount,
  dialect: Dialect,
  market: CcxtTradedMarket,
  since: number,
): Promise<FundingPayment[]> {
  if (market.contract !== true || market.swap !== true) return []
  const payments = await (dialect.funding?.(account, market.symbol, since) ??
    account.fetchFundingHistory(market.symbol, since))
  const read = payments.flatMap(({ id, amount, code, timestamp }): FundingPayment[] => {
    if (amount === undefined || timestamp === undefined || timestamp < since) return []
    const asset = code ?? market.settle ?? market.quote
    return [
      {
        // Some exchanges give no id, but a symbol has one payment at a time.
        id: id ?? String(timestamp),
        symbol: market.symbol,
        asset,
        amount: plain(decimal(amount)),
        at: timestamp,
      },
    ]
  })
  return [...new Map(read.map((payment) => [payment.id, payment])).values()].sort((a, b) => a.at - b.at)
}

function sideOf(side: string | undefined): Side {
  if (side === 'buy' || side === 'sell') return side
  throw new Error('The exchange gave no side.')
}
