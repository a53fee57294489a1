import { decimal, zero } from '../../../base/decimals.ts'
import type {
  CcxtAccount,
  CcxtFunding,
  CcxtOrder,
  CcxtPosition,
  CcxtTrade,
  CcxtTradedMarket,
} from '../../../market/live/ccxt-trading.ts'
import type { AccountFacts, TradeKind } from '../../account.ts'
import {
  type AccountInfo,
  accountInfo,
  classicAccount,
  isClassic,
  isHedged,
  orderParams,
  type Page,
  type Result,
  type Row,
  readAccountInfo,
  requireUnified,
} from './bybit-account.ts'
import { bybitEntries, bybitSpotEntries } from './bybit-entries.ts'
import { bybitLegs, bybitSpotLegs, findRow, withExactStatus } from './bybit-legs.ts'
import { bybitTargets } from './bybit-targets.ts'
import type { Dialect } from './dialect.ts'
import {
  beforeOf,
  dayMs,
  mostPages,
  positionSideOf,
  validOr,
  windowsSince,
  withClientOrderId,
} from './lookups.ts'
import { request } from './requests.ts'

/**
 * Bybit's unified trading account. The facts about its API come from https://bybit-exchange.github.io/docs/v5 and from
 * the samples in ccxt's bybit.js.
 */
export const bybit: Dialect = {
  clientOrderId: (id) => validOr(id, /^[\w-]{1,36}$/),
  // ccxt sends `marketUnit: baseCoin`, which only unified accounts respect.
  spotBuys: 'base',
  find: async (account, { clientOrderId, symbol }) => {
    const query = { orderLinkId: clientOrderId }
    // Open orders first: the history may lag behind. This list contains the latest 500 orders that have ended, too.
    const latest = await account.fetchOpenOrders(symbol, undefined, undefined, query)
    const found = withClientOrderId(latest, clientOrderId)
    if (found !== undefined) return withExactStatus(found)
    const ended = await asBybit(account).fetchCanceledAndClosedOrders(symbol, undefined, undefined, query)
    const old = withClientOrderId(ended, clientOrderId)
    return old === undefined ? undefined : withExactStatus(old)
  },
  findMade: async (account, { symbol }, id, since) => {
    const market = account.markets[symbol] as CcxtTradedMarket
    const row = await findRow(account, market, { orderId: id }, since)
    return row && withExactStatus(asBybit(account).parseOrder(row, market))
  },
  legs: { futures: { ...bybitLegs, targets: bybitTargets }, spot: bybitSpotLegs },
  entries: { futures: bybitEntries, spot: bybitSpotEntries },
  trades: (account, { id, timestamp }, symbol) =>
    executions(account, symbol, { orderId: id, startTime: beforeOf(timestamp) }),
  // A server timeout, a server error, and an order whose creation took too long.
  unsure: /"retCode":\s*"?(429|10000|10016|10019|170001|170007|170032|170146|170149|170234|340099)\b/,
  refusals: /"retCode":\s*"?-?[1-9]/,
  adjust: (account) => {
    // ccxt would ask twice before its first request. Orders ask themselves, see below.
    Object.assign(account.options, {
      enableUnifiedMargin: false,
      enableUnifiedAccount: true,
      unifiedMarginStatus: 6,
    })
    // ccxt names itself as the broker, which would earn it a part of the fees.
    const { sign } = asBybit(account)
    asBybit(account).sign = (...request) => {
      const signed = sign.apply(account, request)
      delete signed.headers?.Referer
      return signed
    }
    const { fetchBalance, fetchOpenOrders } = account
    account.fetchOpenOrders = (symbol, since, _limit, params) => {
      const read = (page: object) =>
        fetchOpenOrders.call(account, symbol, since, orderPage, { ...params, ...page })
      return allRows(read, orderPage)
    }
    account.fetchBalance = async (params) => {
      await requireUnified(account)
      return fetchBalance.call(account, params)
    }
  },
  orderParams,
  margin: {
    modeOf: 'account',
    read: async (account, { id: symbol }, opening) => {
      const [{ marginMode = '' }, { result }] = await Promise.all([
        accountInfo.of(account),
        request<Page>(account, 'privateGetV5PositionList', { category: 'linear', symbol }),
      ])
      const side = positionSideOf(opening) === 'long' ? 1 : 2
      const row = result?.list?.find(({ positionIdx }) => [0, side].includes(Number(positionIdx)))
      const mode = marginModes[marginMode] ?? marginMode.toLowerCase().replaceAll('_', ' ')
      return { leverage: row?.leverage || null, mode }
    },
    setLeverage: async (account, { id: symbol }, _opening, leverage) => {
      const both = { buyLeverage: String(leverage), sellLeverage: String(leverage) }
      const query = { category: 'linear', symbol, ...both }
      await request(account, 'privatePostV5PositionSetLeverage', query).catch((error: unknown) => {
        // "Set leverage has not been modified."
        if (!/"retCode":\s*"?110043\b/.test(String(error))) throw error
      })
    },
  },
  // "Position idx not match position mode."
  isOutdated: (account, error) => /position ?idx/i.test(String(error)) && isHedged.forget(account),
  tradesSince: async (account, symbol, since) => {
    const found: CcxtTrade[] = []
    for (const window of windowsSince(since, windowMs, historyMs)) {
      found.push(...(await executions(account, symbol, { ...window })))
    }
    return found
  },
  kindOf: ({ info }) => {
    const { execType = '', createType = '' } = info as { execType?: string; createType?: string }
    return kinds[execType] ?? kinds[createType] ?? 'order'
  },
  positions: async (account) => {
    const { marginMode } = await accountInfo.of(account)
    const found: CcxtPosition[] = []
    for (const settleCoin of settleCoins(account)) {
      found.push(...(await allRows((page) => account.fetchPositions(undefined, { settleCoin, ...page }))))
    }
    return found.map((position) => ({ ...position, marginMode: marginModes[marginMode ?? ''] }))
  },
  funding: async (account, symbol, since) => {
    const { id, settle } = account.markets[symbol] as CcxtTradedMarket
    const query = { accountType: 'UNIFIED', category: 'linear', type: 'SETTLEMENT', currency: settle }
    const found: CcxtFunding[] = []
    for (const window of windowsSince(since, windowMs, historyMs)) {
      const rows = await transactions(account, { ...query, ...window })
      found.push(...rows.filter((row) => row.symbol === id).flatMap(paymentOf))
    }
    return found
  },
  equity: async (account) => {
    const { info } = (await account.fetchBalance()) as { info: Result<{ list?: { totalEquity?: string }[] }> }
    const amount = info.result?.list?.[0]?.totalEquity ?? ''
    return amount === '' ? null : { currency: 'USD', amount }
  },
  facts: async (account) => {
    // A demo account does not say what its key may do.
    const isDemo = account.options.enableDemoTrading === true
    const asked = isDemo ? {} : await request<Result<KeyInfo>>(account, 'privateGetV5UserQueryApi')
    const info = await readAccountInfo(account)
    const isFutures = account.options.defaultType !== 'spot'
    const obstacles = isClassic(info) ? [classicAccount] : []
    const positionMode = isFutures && obstacles.length === 0 ? await positionModeOf(account) : null
    return { ...keyFacts(asked.result, isFutures), accountType: typeOf(info), positionMode, obstacles }
  },
  useDemo: (account) => asBybit(account).enableDemoTrading(true),
}

type KeyInfo = {
  userID?: number | string
  readOnly?: number | string
  ips?: string[]
  permissions?: Record<string, string[] | undefined>
}
type Signed = { headers?: Record<string, string> }
type Bybit = CcxtAccount & {
  sign(...request: unknown[]): Signed
  enableDemoTrading(on: boolean): void
  fetchCanceledAndClosedOrders: CcxtAccount['fetchClosedOrders']
  parseOrder(row: Row, market: CcxtTradedMarket): CcxtOrder
}

/** The longest time that a request for trades or payments may span, and how far back they go. */
const windowMs = 7 * dayMs
const historyMs = 730 * dayMs
const executionPage = 100
/** Without a limit, Bybit lists 20 open orders. */
const orderPage = 50
const marginModes: Record<string, string | undefined> = {
  REGULAR_MARGIN: 'cross',
  ISOLATED_MARGIN: 'isolated',
}
/** By `execType`, or by `createType` if the liquidation engine placed an order. */
const kinds: Record<string, TradeKind | undefined> = {
  BustTrade: 'liquidation',
  AdlTrade: 'adl',
  CreateByLiq: 'liquidation',
  CreateByTakeOver_PassThrough: 'liquidation',
  CreateByAdl_PassThrough: 'adl',
}
/** Payments, which the list of executions contains too. */
const payments = ['Funding', 'Settle', 'SessionSettlePnL']

function asBybit(account: CcxtAccount): Bybit {
  return account as Bybit
}

function typeOf(info: AccountInfo): string {
  if (isClassic(info)) return 'classic'
  return info.marginMode === 'PORTFOLIO_MARGIN' ? 'unified, portfolio margin' : 'unified'
}

function keyFacts(key: KeyInfo | undefined, isFutures: boolean): Omit<AccountFacts, 'obstacles'> {
  const unknown = { accountType: null, positionMode: null }
  if (key === undefined) {
    return { accountId: null, mayTrade: null, mayWithdraw: null, isIpRestricted: null, ...unknown }
  }
  const { userID, readOnly, ips = [], permissions = {} } = key
  const may = (group: string, what: string) => permissions[group]?.includes(what) === true
  const mayFutures = may('ContractTrade', 'Order') || may('Derivatives', 'DerivativesTrade')
  return {
    accountId: userID === undefined ? null : String(userID),
    mayTrade: Number(readOnly) === 0 && (isFutures ? mayFutures : may('Spot', 'SpotTrade')),
    mayWithdraw: may('Wallet', 'Withdraw'),
    isIpRestricted: ips.length > 0 && !ips.includes('*'),
    ...unknown,
  }
}

/** The mode of an open position, otherwise that of the account's most traded symbol: there is no mode of the account. */
async function positionModeOf(account: CcxtAccount): Promise<AccountFacts['positionMode']> {
  const [open] = (await bybit.positions?.(account)) ?? []
  if (open?.hedged !== undefined) return open.hedged ? 'hedge' : 'one-way'
  return (await isHedged.of(account, 'BTCUSDT')) ? 'hedge' : 'one-way'
}

/** All trades, with liquidations, of an order or of a symbol. ccxt would ask only for trades of orders. */
async function executions(account: CcxtAccount, symbol: string, query: object): Promise<CcxtTrade[]> {
  const rows = await allRows((page) =>
    account.fetchMyTrades(symbol, undefined, executionPage, { execType: undefined, ...query, ...page }),
  )
  return rows.filter(({ info }) => !payments.includes((info as Row).execType ?? '')).map(withFeeCoin)
}

/** Fees may be paid in MNT. ccxt derives the currency from the side of the trade. */
function withFeeCoin(trade: CcxtTrade): CcxtTrade {
  const { feeCurrency = '' } = trade.info as Row
  if (feeCurrency === '') return trade
  const { fees: _, ...rest } = trade
  return { ...rest, fee: { ...trade.fee, currency: feeCurrency } }
}

/**
 * Reads all pages. ccxt puts the cursor of the next page into one of the rows.
 * @param pageLimit a shorter page is the last one
 */
async function allRows<T extends { info: unknown }>(
  read: (page: object) => Promise<T[]>,
  pageLimit = 1,
): Promise<T[]> {
  const found: T[] = []
  let page: object = {}
  for (let count = 0; count < mostPages; count++) {
    const rows = await read(page)
    found.push(...rows)
    const cursor = rows.map(({ info }) => (info as Row).nextPageCursor).find((one) => (one ?? '') !== '')
    if (cursor === undefined || rows.length < pageLimit) return found
    page = { cursor }
  }
  throw new Error('Bybit lists too many rows to read.')
}

async function transactions(account: CcxtAccount, query: object): Promise<Row[]> {
  const rows = await allRows(async (page) => {
    const params = { limit: 50, ...query, ...page }
    const { result } = await request<Page>(account, 'privateGetV5AccountTransactionLog', params)
    const { list = [], nextPageCursor } = result ?? {}
    return list.map((row, i) => ({ info: i === 0 ? { ...row, nextPageCursor } : row }))
  })
  return rows.map(({ info }) => info)
}

/**
 * `funding` is negative if the account paid. The list of executions has the same payments with the opposite sign, which
 * ccxt does not turn.
 */
function paymentOf({ id, tradeId, funding = '', currency, transactionTime }: Row): CcxtFunding[] {
  if (funding === '' || decimal(funding).eq(zero)) return []
  const timestamp = Number(transactionTime)
  return [{ id: id ?? tradeId, code: currency, amount: funding, timestamp, info: undefined }]
}

/** The currencies in which the account may hold positions. */
function settleCoins(account: CcxtAccount): string[] {
  const linear = Object.values(account.markets).filter((market) => market.linear === true)
  return [...new Set(linear.flatMap(({ settle }) => settle ?? []))]
}
