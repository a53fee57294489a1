import { decimal, plain, zero } from '../../../base/decimals.ts'
import type {
  CcxtAccount,
  CcxtFunding,
  CcxtOrder,
  CcxtTrade,
  CcxtTradedMarket,
} from '../../../market/live/ccxt-trading.ts'
import type { TradeKind } from '../../account.ts'
import { kindOf, productOf } from './bitget-account.ts'
import { allPages, dayMs, fillPage, mostPages, windowsSince } from './lookups.ts'
import { request } from './requests.ts'

/** Bitget keeps trades and bills for 90 days. */
const historyMs = 90 * dayMs
/** The longest time that one request of the API v3, or for bills, may cover. */
const windowMs = 30 * dayMs

type UnifiedFee = { feeCoin?: string | null; fee?: string | null }
type UnifiedFill = {
  execId: string
  orderId: string
  category: string
  symbol: string
  side: string
  execPrice: string
  execQty: string
  createdTime: string
  feeDetail?: UnifiedFee[]
}
type UnifiedOrder = { orderId: string; execType?: string }
type ClassicFee = { deduction?: string; feeCoin?: string; totalFee?: string }
type ClassicFill = {
  feeDetail?: ClassicFee | ClassicFee[]
  side?: string
  posMode?: string
  tradeSide?: string
}
type FinancialRecord = { id: string; symbol: string; coin: string; type: string; amount: string; ts: string }
type Bill = { billId: string; symbol: string; coin: string; amount: string; cTime: string }
type Page<T> = { data: { list: T[]; cursor?: string | null } }

/** All trades of an order. */
export async function tradesOf(account: CcxtAccount, order: string, symbol: string): Promise<CcxtTrade[]> {
  const market = account.markets[symbol] as CcxtTradedMarket
  const asked = { orderId: order }
  const trades =
    (await kindOf(account)) === 'unified'
      ? await unifiedFills(account, market, asked)
      : await classicFills(account, market, asked)
  return trades.filter((trade) => trade.order === order)
}

/** The oldest first: several trades may have the same time, and their order matters. */
export async function tradesSince(account: CcxtAccount, symbol: string, since: number): Promise<CcxtTrade[]> {
  const market = account.markets[symbol] as CcxtTradedMarket
  if ((await kindOf(account)) === 'classic') {
    const [{ startTime } = { startTime: since }] = windowsSince(since, historyMs, historyMs)
    return (await classicFills(account, market, { startTime })).reverse()
  }
  const trades: CcxtTrade[] = []
  for (const asked of windowsSince(since, windowMs, historyMs)) {
    const found = (await unifiedFills(account, market, asked)).reverse()
    trades.push(...(market.contract === true ? await withKinds(account, market, asked, found) : found))
  }
  return trades
}

type Query = { orderId?: string; startTime?: number; endTime?: number }

/** Reads page after page, from the latest trade back. */
function classicFills(account: CcxtAccount, market: CcxtTradedMarket, query: Query): Promise<CcxtTrade[]> {
  return allPages(fillPage, async (last) => {
    const before = last?.id === undefined ? {} : { idLessThan: last.id }
    const page = await account.fetchMyTrades(market.symbol, undefined, fillPage, { ...query, ...before })
    return page
      .map((trade) => classicTrade(account, trade))
      .sort((a, b) => Number(BigInt(b.id ?? 0) - BigInt(a.id ?? 0)))
  })
}

/**
 * `totalFee` is negative if it was paid, and positive for a rebate. A fee that was deducted in BGB is paid whatever its
 * sign: Bitget has sent both. https://github.com/ccxt/ccxt/pull/21530 has recorded samples of all three cases.
 */
function classicTrade(account: CcxtAccount, trade: CcxtTrade): CcxtTrade {
  const { feeDetail } = trade.info as ClassicFill
  const details = Array.isArray(feeDetail) ? feeDetail : feeDetail === undefined ? [] : [feeDetail]
  const fees = details.flatMap(({ deduction, feeCoin, totalFee }) => {
    if (!totalFee) return []
    const fee = decimal(totalFee)
    return [
      { currency: codeOf(account, feeCoin), cost: plain(deduction === 'yes' ? fee.abs() : fee.times('-1')) },
    ]
  })
  return { ...trade, side: classicSide(trade.info), fee: fees[0], fees }
}

function codeOf({ commonCurrencies }: CcxtAccount, coin: string | undefined): string | undefined {
  return coin === undefined ? undefined : (commonCurrencies[coin] ?? coin)
}

/**
 * In hedge mode, the side of a classic order or fill is the side of the position: `buy` and `close` means that a long was sold.
 * The recorded sample in ccxt's `fetchMyTrades` is such a fill. Where the name of `tradeSide` says it, that counts.
 */
function classicSide(info: unknown): string | undefined {
  const { posMode, tradeSide = '', side } = info as ClassicFill
  if (posMode !== 'hedge_mode') return side
  if (tradeSide.endsWith('_long')) return 'sell'
  if (tradeSide.endsWith('_short')) return 'buy'
  if (tradeSide !== 'close') return side
  return side === 'buy' ? 'sell' : 'buy'
}

/** The API v3 lists the fills of all symbols of a category. */
async function unifiedFills(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  query: Query,
): Promise<CcxtTrade[]> {
  const category = productOf(market)
  const fills = await cursorPages<UnifiedFill>(account, 'privateUtaGetV3TradeFills', { category, ...query })
  return fills
    .filter((fill) => fill.category.toUpperCase() === category && fill.symbol === market.id)
    .map((fill) => ({
      id: fill.execId,
      order: fill.orderId,
      symbol: market.symbol,
      side: fill.side.toLowerCase(),
      amount: fill.execQty,
      price: fill.execPrice,
      timestamp: Number(fill.createdTime),
      fees: unifiedFees(account, market, fill.feeDetail),
      info: fill,
    }))
}

/**
 * In the API v3, a positive fee was paid, and a negative one is a rebate; ccxt takes the sign of the API v2. A fee in the
 * bought currency comes first: it reduces what the account holds.
 */
function unifiedFees(account: CcxtAccount, market: CcxtTradedMarket, details: UnifiedFee[] = []) {
  const fees = details.flatMap(({ feeCoin, fee }) =>
    feeCoin && fee ? [{ currency: codeOf(account, feeCoin), cost: plain(decimal(fee)) }] : [],
  )
  return fees.sort((a, b) => Number(b.currency === market.base) - Number(a.currency === market.base))
}

/** An order with the side, the average price and the fee that it really has. */
export async function correctOrder(
  account: CcxtAccount,
  order: CcxtOrder,
  symbol: string,
): Promise<CcxtOrder> {
  if ((await kindOf(account)) === 'classic') return { ...order, side: classicSide(order.info) }
  const { feeDetail, avgPrice } = order.info as { feeDetail?: UnifiedFee[]; avgPrice?: string }
  const market = account.markets[symbol] as CcxtTradedMarket
  const fees = unifiedFees(account, market, feeDetail)
  return { ...order, average: order.average ?? avgPrice, fee: undefined, fees }
}

/** A fill of the API v3 does not say whether it was a liquidation, but its order does. */
async function withKinds(
  account: CcxtAccount,
  market: CcxtTradedMarket,
  query: Query,
  trades: CcxtTrade[],
): Promise<CcxtTrade[]> {
  if (trades.length === 0) return []
  const orders = await cursorPages<UnifiedOrder>(account, 'privateUtaGetV3TradeHistoryOrders', {
    category: productOf(market),
    symbol: market.id,
    ...query,
  })
  const types = new Map(orders.map(({ orderId, execType }) => [orderId, execType]))
  return trades.map((trade) => ({
    ...trade,
    info: { ...(trade.info as object), execType: types.get(trade.order ?? '') },
  }))
}

/** Bitget describes the values in "Fill Channel" (`tradeSide`) and in "Get Order History" of the API v3 (`execType`). */
export function kindOfTrade({ info }: CcxtTrade): TradeKind {
  const { tradeSide = '', execType = '' } = info as { tradeSide?: string; execType?: string }
  if (/^dte_sys_adl|^adl/.test(tradeSide) || /adl/i.test(execType)) return 'adl'
  const isForced = /^(burst|reduce|offset)_/.test(tradeSide) || /^(liquidation|reduce|offset)$/.test(execType)
  return isForced ? 'liquidation' : 'order'
}

export async function funding(account: CcxtAccount, symbol: string, since: number): Promise<CcxtFunding[]> {
  const market = account.markets[symbol] as CcxtTradedMarket
  const isUnified = (await kindOf(account)) === 'unified'
  const payments: CcxtFunding[] = []
  for (const query of windowsSince(since, windowMs, historyMs)) {
    const read = isUnified ? unifiedFunding : classicFunding
    payments.push(...(await read(account, market, query)).reverse())
  }
  return payments
}

async function unifiedFunding(account: CcxtAccount, market: CcxtTradedMarket, query: Query) {
  const payments: CcxtFunding[] = []
  // The type says the direction. The sign of the amount is not documented.
  for (const [type, sign] of [
    ['CONTRACT_MAIN_SETTLE_FEE_USER_IN', '1'],
    ['CONTRACT_MAIN_SETTLE_FEE_USER_OUT', '-1'],
  ] as const) {
    const asked = { category: productOf(market), coin: market.settle, type, ...query }
    const records = await cursorPages<FinancialRecord>(
      account,
      'privateUtaGetV3AccountFinancialRecords',
      asked,
    )
    for (const { id, symbol, coin, amount, ts } of records) {
      if (symbol !== market.id) continue
      const signed = plain(decimal(amount).abs().times(sign))
      payments.push({ id, code: coin, amount: signed, timestamp: Number(ts), info: type })
    }
  }
  return payments
}

async function classicFunding(account: CcxtAccount, market: CcxtTradedMarket, query: Query) {
  const asked = { productType: productOf(market), businessType: 'contract_settle_fee', limit: fillPage }
  const bills: Bill[] = []
  for (let page = 0; page < mostPages; page++) {
    const before = bills.at(-1)
    const { data } = await request<{ data: { bills: Bill[] } }>(account, 'privateMixGetV2MixAccountBill', {
      ...asked,
      ...query,
      ...(before === undefined ? {} : { idLessThan: before.billId }),
    })
    bills.push(...data.bills)
    if (data.bills.length < fillPage) return bills.filter(isOf(market)).map(fundingOf)
  }
  throw new Error('There are too many funding payments to read.')
}

function isOf({ id }: CcxtTradedMarket) {
  return ({ symbol, amount }: Bill) => symbol === id && !decimal(amount).eq(zero)
}

function fundingOf({ billId, coin, amount, cTime }: Bill): CcxtFunding {
  return { id: billId, code: coin, amount: plain(decimal(amount)), timestamp: Number(cTime), info: billId }
}

/** Reads all pages of a list of the API v3. */
async function cursorPages<T>(account: CcxtAccount, list: string, query: object): Promise<T[]> {
  const found: T[] = []
  let cursor: string | null | undefined
  for (let page = 0; page < mostPages; page++) {
    const asked = { ...query, limit: fillPage, ...(cursor ? { cursor } : {}) }
    const { data } = await request<Page<T>>(account, list, asked)
    // An empty list may come as null.
    const rows = data?.list ?? []
    found.push(...rows)
    cursor = data?.cursor
    if (rows.length < fillPage || !cursor) return found
  }
  throw new Error('The list is too long to read.')
}
