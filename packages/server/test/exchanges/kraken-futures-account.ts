import Big from 'big.js'
import { type FuturesMarket, feeSchedule } from './kraken-futures.ts'
import type { Reply } from './stand-in.ts'
import type { AccountBook, BookOrder, BookTrade, Key } from './trading.ts'

type Context = { sent: URLSearchParams; listed: FuturesMarket[]; book: AccountBook; key: Key }

const accountUid = 'f92fc7de-2fce-4265-b806-4f3c1efb37ee'

/**
 * Answers about an account, and answers whose shape has no `result`. Shapes: "Check v3 API key" of Kraken's documentation,
 * and the samples of real answers in ccxt's comments on `fetchPositions`, `fetchLedger`, `fetchFundingHistory` and
 * `fetchTradingFees`.
 */
export const accountAnswers: Record<string, (context: Context) => Reply> = {
  'GET /api/auth/v1/api-keys/v3/check': ({ key }) => ({ json: checkedKey(key) }),
  'GET /api/history/v3/account-log': ({ sent, listed, book }) => ({
    json: { accountUid, logs: logPage(sent, listed, book) },
  }),
  'GET /derivatives/api/v3/openpositions': ({ listed, book }) => ({
    json: { result: 'success', openPositions: openPositions(listed, book), serverTime: timeText(Date.now()) },
  }),
  // Only contracts with isolated margin are listed: "Get leverage settings".
  'GET /derivatives/api/v3/leveragepreferences': ({ listed, book }) => {
    const isIsolated = book.mode.margin === 'isolated'
    const isolated = isIsolated ? listed.filter(({ type }) => type === 'flexible_futures') : []
    const leveragePreferences = isolated.map(({ id, symbol }) => {
      return { symbol: id, maxLeverage: Number(book.leverageOf(symbol)) }
    })
    return answered({ leveragePreferences })
  },
  'PUT /derivatives/api/v3/leveragepreferences': ({ sent, listed, book }) => {
    const market = listed.find(({ id }) => id === sent.get('symbol'))
    const leverage = sent.get('maxLeverage')
    if (market === undefined || Number(leverage) > 50) {
      return answered({ result: 'error', error: 'invalidArgument' })
    }
    book.setMargin(leverage === null ? 'cross' : 'isolated')
    if (leverage !== null) book.setLeverage(market.symbol, leverage)
    return answered({})
  },
  'GET /derivatives/api/v3/feeschedules/volumes': () => ({
    json: { result: 'success', volumesByFeeSchedule: { [feeSchedule]: 6_217_587.88 } },
  }),
}

function answered(values: object): Reply {
  return { json: { result: 'success', ...values, serverTime: timeText(Date.now()) } }
}

function checkedKey({ apiKey, mayTrade, mayWithdraw, ips = [] }: Key) {
  return {
    apiKey,
    accountUid,
    iiban: 'AA88 N84G WOAK NMOI',
    createdAt: '2026-01-01T00:00:00Z',
    permissions: {
      general: mayTrade === false ? 'READ_ONLY' : 'FULL_ACCESS',
      transfer: mayWithdraw === true ? 'FULL_ACCESS' : 'NO_ACCESS',
    },
    allowedCidrBlock: ips[0] ?? null,
    allowedCidrBlocks: ips,
  }
}

function openPositions(listed: FuturesMarket[], book: AccountBook) {
  return book.positions().flatMap(({ symbol, side, size, entryPrice, unrealised }) => {
    const id = idOf(listed, symbol)
    if (id === undefined) return []
    return {
      side,
      symbol: id,
      price: Number(entryPrice),
      fillTime: timeText(Date.now()),
      size: Number(size),
      unrealizedPnl: Number(unrealised),
      unrealizedFunding: 0,
      pnlCurrency: 'USD',
      ...(book.mode.margin === 'isolated' ? { maxFixedLeverage: Number(book.leverageOf(symbol)) } : {}),
    }
  })
}

type Row = Record<string, unknown> & { id: number; at: number }

function logPage(sent: URLSearchParams, listed: FuturesMarket[], book: AccountBook) {
  const since = Number(sent.get('since') ?? 0)
  const from = Number(sent.get('from') ?? 1)
  const rows = logRows(listed, book).filter(({ id, at }) => at >= since && id >= from)
  if (sent.get('sort') !== 'asc') rows.reverse()
  return rows.slice(0, Number(sent.get('count') ?? 500)).map(({ at: _, ...row }) => row)
}

/** Each trade has two rows: one of its size, whose asset is the contract, and one of money. */
function logRows(listed: FuturesMarket[], book: AccountBook): Row[] {
  const traded = book
    .trades(({ symbol }) => idOf(listed, symbol) !== undefined)
    .map(({ order, trade }) => ({
      at: trade.at,
      rows: tradeRows(idOf(listed, order.symbol) ?? '', order, trade),
    }))
  const paid = book
    .fundingPayments()
    .filter(({ symbol }) => idOf(listed, symbol) !== undefined)
    .map(({ symbol, amount, at }) => ({ at, rows: [fundingRow(idOf(listed, symbol) ?? '', amount)] }))
  return [...traded, ...paid]
    .sort((a, b) => a.at - b.at)
    .flatMap(({ at, rows }) => rows.map((row) => ({ ...row, date: timeText(at), at })))
    .map((row, i) => ({ ...row, id: i + 1 }))
}

const empty = {
  booking_uid: '10ca244e-1b73-4467-8c3c-74539c7ae677',
  collateral: null,
  execution: null,
  fee: null,
  funding_rate: null,
  liquidation_fee: null,
  margin_account: 'flex',
  mark_price: null,
  new_average_entry_price: null,
  new_balance: 0,
  old_average_entry_price: null,
  old_balance: 0,
  position_uid: null,
  realized_funding: null,
  realized_pnl: null,
  trade_price: null,
}

function tradeRows(id: string, { kind }: BookOrder, trade: BookTrade) {
  const contract = id.toLowerCase()
  const info = kind === 'order' ? 'futures trade' : 'futures liquidation'
  const common = { ...empty, contract, execution: fillIdOf(trade.id), info, trade_price: Number(trade.price) }
  // The two fees of a liquidation add up to the fee that the account pays.
  const fees =
    kind === 'liquidation'
      ? { fee: 0, liquidation_fee: Number(trade.fee) }
      : { fee: Number(trade.fee), liquidation_fee: null }
  return [
    { ...common, asset: contract },
    { ...common, asset: trade.feeAsset.toLowerCase(), ...fees, realized_pnl: 0, realized_funding: 0 },
  ]
}

function fundingRow(id: string, amount: string) {
  const contract = id.toLowerCase()
  const funding = { funding_rate: 9.288451412e-7, realized_funding: Number(amount) }
  return { ...empty, asset: 'usd', contract, info: 'funding rate change', fee: 0, ...funding }
}

/** As "Get wallets". The collateral has no haircut here. */
export function accounts(book: AccountBook) {
  const currencies = Object.fromEntries(
    book.balances().map(([asset, amount]) => {
      const value = Number(amount)
      return [asset, { quantity: value, value, collateral: value, available: value }]
    }),
  )
  const money = Number(book.balance('USD'))
  const unrealised = new Big(book.equity('USD')).minus(book.balance('USD')).toNumber()
  return {
    flex: {
      type: 'multiCollateralMarginAccount',
      currencies,
      initialMargin: 0,
      initialMarginWithOrders: 0,
      maintenanceMargin: 0,
      balanceValue: money,
      portfolioValue: Number(book.equity('USD')),
      collateralValue: money,
      pnl: unrealised,
      unrealizedFunding: 0,
      totalUnrealized: unrealised,
      totalUnrealizedAsMargin: unrealised,
      availableMargin: money,
      marginEquity: Number(book.equity('USD')),
    },
  }
}

export function fillIdOf(id: string): string {
  return `522d4e08-96e7-4b44-9694-${id.padStart(12, '0')}`
}

function idOf(listed: FuturesMarket[], symbol: string): string | undefined {
  return listed.find((market) => market.symbol === symbol)?.id
}

function timeText(at: number): string {
  return new Date(at).toISOString()
}
