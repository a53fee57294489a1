/** Reads accounts of Binance: spot (`/api/v3`) and USD-M futures (`/fapi`). */
import { decimal, one, plain } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtFunding, CcxtPosition, CcxtTrade } from '../../../market/live/ccxt-trading.ts'
import type { AccountEquity, AccountFacts, TradeKind } from '../../account.ts'
import { allPages, mostPages, tradeLimit } from './lookups.ts'
import { request, unlessRefused, withKind } from './requests.ts'

const dayMs = 86_400_000
/** The longest time between the start and the end of a question for trades. */
const windowMs = { spot: dayMs, futures: 7 * dayMs }

export async function tradesSince(account: CcxtAccount, symbol: string, since: number): Promise<CcxtTrade[]> {
  if (account.markets[symbol]?.contract === true) {
    return withKinds(account, symbol, await tradesByTime(account, symbol, since, windowMs.futures))
  }
  // Without a time, spot returns the latest trades.
  const latest = await account.fetchMyTrades(symbol, undefined, tradeLimit)
  const isEnough = latest.length < tradeLimit || latest.some(({ timestamp = since }) => timestamp < since)
  return isEnough ? latest : tradesByTime(account, symbol, since, windowMs.spot)
}

/** From the first trade on, ids lead to the later ones, without a limit of time. */
async function tradesByTime(
  account: CcxtAccount,
  symbol: string,
  since: number,
  spanMs: number,
): Promise<CcxtTrade[]> {
  for (let page = 0; page < mostPages; page++) {
    const from = since + page * spanMs
    // The exchange's clock may be ahead of this machine's, so the last question has no end.
    const isLast = from + spanMs > Date.now()
    const end = isLast ? {} : { until: from + spanMs - 1 }
    const first = await account.fetchMyTrades(symbol, from, tradeLimit, end)
    if (isLast && first.length < tradeLimit) return first
    if (first.length > 0) return [...first, ...(await tradesAfter(account, symbol, first.at(-1)))]
  }
  throw new Error('The trades are too old to read.')
}

function tradesAfter(account: CcxtAccount, symbol: string, trade: CcxtTrade | undefined) {
  return allPages(tradeLimit, (last = trade) =>
    account.fetchMyTrades(symbol, undefined, tradeLimit, after(last)),
  )
}

/** The question for the trades after one. */
export function after(last: CcxtTrade | undefined): { fromId?: string } {
  return last?.id === undefined ? {} : { fromId: plain(decimal(last.id).plus(one)) }
}

type ForceOrder = { orderId: string; clientOrderId: string; time: string }

const forceLimit = 100
const memoryLimit = 10_000
/** By order id. */
const knownKinds = new WeakMap<CcxtAccount, Map<string, TradeKind>>()
/** A list of orders may lag behind the trades. */
const settledMs = 60_000

/**
 * A trade says only of which order it is. Orders of the exchange itself are in a list of their own, which goes back seven
 * days.
 */
async function withKinds(account: CcxtAccount, symbol: string, trades: CcxtTrade[]): Promise<CcxtTrade[]> {
  const known = knownKinds.get(account) ?? new Map<string, TradeKind>()
  knownKinds.set(account, known)
  const unknown = trades.filter(({ order = '' }) => !known.has(order))
  if (unknown.length > 0) {
    const oldest = Math.min(...unknown.map(({ timestamp = 0 }) => timestamp)) - settledMs
    const startTime = Math.max(oldest, Date.now() - windowMs.futures + settledMs)
    // A mirror may not have this list.
    const forced = (await unlessRefused(forceOrders(account, symbol, startTime))) ?? []
    for (const { orderId, clientOrderId } of forced) {
      known.set(orderId, kindByClientOrderId(clientOrderId))
    }
    for (const { order = '', timestamp = 0 } of unknown) {
      if (!known.has(order) && timestamp < Date.now() - settledMs) known.set(order, 'order')
    }
  }
  const marked = trades.map((trade) => withKind(trade, known.get(trade.order ?? '') ?? 'order'))
  for (const order of known.keys()) if (known.size > memoryLimit) known.delete(order)
  return marked
}

async function forceOrders(account: CcxtAccount, symbol: string, startTime: number): Promise<ForceOrder[]> {
  const found = new Map<string, ForceOrder>()
  const { id } = account.markets[symbol] as { id: string }
  for (let page = 0, from = startTime; page < mostPages; page++) {
    const before = found.size
    const orders = await request<ForceOrder[]>(account, 'fapiPrivateGetForceOrders', {
      symbol: id,
      startTime: from,
      limit: forceLimit,
    })
    for (const order of orders) found.set(order.orderId, order)
    if (orders.length < forceLimit || found.size === before) break
    from = Math.max(...orders.map(({ time }) => Number(time)))
  }
  return [...found.values()]
}

/** The prefixes are those of the page "Event: Order Update". */
function kindByClientOrderId(clientOrderId: string): TradeKind {
  if (clientOrderId.startsWith('autoclose-')) return 'liquidation'
  return clientOrderId.startsWith('adl_autoclose') ? 'adl' : 'order'
}

type PositionRisk = {
  symbol: string
  positionSide: string
  positionAmt: string
  entryPrice: string
  liquidationPrice?: string
  isolatedMargin: string
}

/** Without the leverage brackets of all symbols, which ccxt would read first. */
export async function positions(account: CcxtAccount): Promise<CcxtPosition[]> {
  const rows = await request<PositionRisk[]>(account, 'fapiPrivateV3GetPositionRisk')
  const leverages = rows.length === 0 ? undefined : await leveragesOf(account)
  return rows.map((info) => {
    const { symbol: id, positionSide, positionAmt, entryPrice, liquidationPrice, isolatedMargin } = info
    const size = decimal(positionAmt)
    const side = positionSide === 'BOTH' ? (size.gt('0') ? 'long' : 'short') : positionSide.toLowerCase()
    return {
      symbol: account.markets_by_id?.[id]?.find(({ type }) => type !== 'spot')?.symbol,
      side,
      contracts: plain(size.abs()),
      entryPrice,
      marginMode: decimal(isolatedMargin).eq('0') ? 'cross' : 'isolated',
      leverage: leverages?.get(id),
      liquidationPrice,
      hedged: positionSide !== 'BOTH',
      info,
    }
  })
}

/** Of all symbols, in one answer. A mirror may not have it. */
async function leveragesOf(account: CcxtAccount): Promise<Map<string, string> | undefined> {
  const configs = await unlessRefused(
    request<{ symbol: string; leverage: string }[]>(account, 'fapiPrivateGetSymbolConfig'),
  )
  return configs && new Map(configs.map(({ symbol, leverage }) => [symbol, leverage]))
}

export function funding(account: CcxtAccount, symbol: string, since: number): Promise<CcxtFunding[]> {
  return allPages(tradeLimit, (_, page) => account.fetchFundingHistory(symbol, since, tradeLimit, { page }))
}

/** Spot: the value of the spot wallet. Futures: the margin with unrealised profit. Both are the exchange's own figures. */
export async function equity(account: CcxtAccount): Promise<AccountEquity | null> {
  if (isFutures(account)) {
    const { totalMarginBalance } = await request<{ totalMarginBalance: string }>(
      account,
      'fapiPrivateV3GetAccount',
    )
    return { currency: 'USDT', amount: plain(decimal(totalMarginBalance)) }
  }
  if (isDemo(account)) return null
  const wallets = await unlessRefused(
    request<{ walletName: string; balance: string }[]>(account, 'sapiGetAssetWalletBalance', {
      quoteAsset: 'USDT',
    }),
  )
  const spot = wallets?.find(({ walletName }) => walletName === 'Spot')
  return spot === undefined ? null : { currency: 'USDT', amount: plain(decimal(spot.balance)) }
}

type SpotAccount = { uid?: string; accountType?: string; canTrade?: boolean }
type KeyRights = {
  ipRestrict: boolean
  enableWithdrawals: boolean
  enableFutures: boolean
  enableSpotAndMarginTrading: boolean
}

/** Of the exchange, a demo has only the trading itself, without what is known about keys. */
export async function facts(account: CcxtAccount): Promise<AccountFacts> {
  const ask = <T>(name: string) => unlessRefused(request<T>(account, name))
  const askWallet = <T>(name: string) => (isDemo(account) ? undefined : ask<T>(name))
  const [spot, key, info, isHedge] = await Promise.all([
    ask<SpotAccount>('privateGetAccount'),
    askWallet<KeyRights>('sapiGetAccountApiRestrictions'),
    isFutures(account)
      ? askWallet<{ isPortfolioMarginRetailEnabled: boolean }>('sapiGetAccountInfo')
      : undefined,
    isFutures(account) ? isHedgeMode(account) : undefined,
  ])
  // With a wrong key, the account itself refuses too, and with the reason.
  if (spot === undefined && key === undefined) await account.fetchBalance()
  const isPortfolio = info?.isPortfolioMarginRetailEnabled === true
  const mayTrade = isFutures(account)
    ? key?.enableFutures
    : (key?.enableSpotAndMarginTrading ?? spot?.canTrade)
  return {
    accountId: spot?.uid ?? null,
    accountType: isPortfolio ? 'portfolio' : (spot?.accountType?.toLowerCase() ?? null),
    mayTrade: spot?.canTrade === false ? false : (mayTrade ?? null),
    mayWithdraw: key?.enableWithdrawals ?? null,
    isIpRestricted: key?.ipRestrict ?? null,
    positionMode: isHedge === undefined ? null : isHedge ? 'hedge' : 'one-way',
    obstacles: isPortfolio
      ? [
          'The account uses portfolio margin, whose futures the service cannot trade. Leave portfolio margin at Binance, or use a sub-account without it.',
        ]
      : [],
  }
}

const modeMs = 60_000
const modes = new WeakMap<CcxtAccount, { isHedge: boolean; readMs: number }>()

/**
 * Whether a symbol can have a long and a short at the same time. The answer is at most a minute old. It changes only
 * while the account has no position and no open order.
 */
export async function isHedgeMode(account: CcxtAccount): Promise<boolean> {
  const known = modes.get(account)
  if (known !== undefined && performance.now() - known.readMs < modeMs) return known.isHedge
  const readMs = performance.now()
  // A mirror may not have this question. One-way mode is the default of new accounts.
  const answer = await unlessRefused(
    request<{ dualSidePosition: boolean }>(account, 'fapiPrivateGetPositionSideDual'),
  )
  const isHedge = answer?.dualSidePosition === true
  modes.set(account, { isHedge, readMs })
  return isHedge
}

/** How an order says that it only reduces a position. In hedge mode, one against the named position can do nothing else, and must not say so. */
export async function reducing(account: CcxtAccount, { side }: { side: 'buy' | 'sell' }): Promise<object> {
  if (!(await isHedgeMode(account))) return { reduceOnly: 'true' }
  return { positionSide: side === 'sell' ? 'LONG' : 'SHORT' }
}

/** Whether an order was refused because the mode has been changed since it was read. It is read again then. */
export function isOutdated(account: CcxtAccount, error: unknown): boolean {
  const isOld = error instanceof Error && /"code":\s*-4061\b/.test(error.message) && modes.has(account)
  if (isOld) modes.delete(account)
  return isOld
}

function isFutures({ options }: CcxtAccount): boolean {
  return options.defaultType === 'swap'
}

function isDemo({ options }: CcxtAccount): boolean {
  return options.enableDemoTrading === true
}
