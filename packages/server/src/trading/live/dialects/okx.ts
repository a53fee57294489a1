import { decimal, zero } from '../../../base/decimals.ts'
import type {
  CcxtAccount,
  CcxtFunding,
  CcxtOrder,
  CcxtTrade,
  CcxtTradedMarket,
} from '../../../market/live/ccxt-trading.ts'
import { requestLifeMs } from '../request-life.ts'
import type { Dialect } from './dialect.ts'
import { byClientOrderId, fillPage, mostPages, positionSideOf, unlessNotFound, validOr } from './lookups.ts'
import {
  accountConfig,
  borrowing,
  borrows,
  futuresOrderMode,
  isSpotMode,
  marginModeOf,
  type Page,
  positionModeOf,
  type Row,
  readConfig,
  spotIsCross,
  spotMode,
} from './okx-account.ts'
import { okxEntries, okxSpotEntries } from './okx-entries.ts'
import { okxLegs, okxSpotLegs } from './okx-legs.ts'
import { okxTargets } from './okx-targets.ts'
import { request } from './requests.ts'

/** OKX. The facts about its API come from https://www.okx.com/docs-v5/en and from the samples in ccxt's okx.js. */
export const okx: Dialect = {
  clientOrderId: (id) => validOr(id, /^[A-Za-z0-9]{1,32}$/),
  spotBuys: 'base',
  find: async (account, query) => named(await byClientOrderId(account, query)),
  findMade: async (account, { symbol }, id) =>
    named(await unlessNotFound(() => account.fetchOrder(id, symbol))),
  legs: { futures: { ...okxLegs, targets: okxTargets }, spot: okxSpotLegs },
  entries: { futures: okxEntries, spot: okxSpotEntries },
  trades: (account, { id, timestamp }, symbol) => fills(account, symbol, { ordId: id }, timestamp),
  // Of a timeout or a failure of the server, OKX says itself that the order may have been placed.
  unsure: /"s?code":\s*"(50001|50004|50005|50013|50026|51054|51149)"/i,
  refusals: /"s?code":\s*"[1-9]/i,
  rateLimits: /"s?code":\s*"50061"/i,
  adjust: (account) => {
    const { sign } = asOkx(account)
    asOkx(account).sign = (...request) => {
      const signed = sign.apply(account, withoutBroker(request))
      // OKX would accept a request for 30 seconds. With this, it does not carry out an old one.
      if (signed.method === 'POST' && signed.headers !== undefined) {
        signed.headers.expTime = String(account.nonce() + requestLifeMs)
      }
      return signed
    }
    // The other way to place an order is a list of one.
    account.options.createOrder = 'privatePostTradeOrder'
  },
  orderParams: async (account, market, order) => {
    if (market.contract === true) {
      const mode = await futuresOrderMode(account, market, order)
      // With sides, OKX does not know `reduceOnly`: an order that closes a side never opens the other.
      return mode.posSide === undefined ? mode : { ...mode, reduceOnly: undefined }
    }
    const config = await accountConfig.of(account)
    // The size of a market buy is in quote currency, unless the order says otherwise.
    return { tgtCcy: 'base_ccy', ...(spotIsCross(config) ? { tdMode: 'cross' } : {}) }
  },
  margin: {
    modeOf: 'order',
    read: async (account, market, opening) => {
      const config = await accountConfig.of(account)
      const mode = await marginModeOf(account, config, market, opening)
      const query = { instId: market.id, mgnMode: mode }
      const { data = [] } = await request<Page>(account, 'privateGetAccountLeverageInfo', query)
      const row = data.find(({ posSide = 'net' }) => ['net', positionSideOf(opening)].includes(posSide))
      return { leverage: row?.lever || null, mode }
    },
    setLeverage: async (account, market, opening, leverage) => {
      const config = await accountConfig.of(account)
      const mgnMode = await marginModeOf(account, config, market, opening)
      // Only isolated positions in hedge mode have a leverage for each side.
      const isOfSide = mgnMode === 'isolated' && positionModeOf(config) === 'hedge'
      const query = { instId: market.id, lever: String(leverage), mgnMode }
      await request(account, 'privatePostAccountSetLeverage', {
        ...query,
        ...(isOfSide && { posSide: positionSideOf(opening) }),
      })
    },
  },
  // "Parameter posSide error", or a mode that the account does not have.
  isOutdated: (account, error) =>
    /posSide|tdMode|"sCode":\s*"51010"/.test(String(error)) && accountConfig.forget(account),
  tradesSince: (account, symbol, since) => fills(account, symbol, { begin: String(since) }, since),
  kindOf: ({ info }) => {
    const type = Number((info as Row).subType)
    if (type >= 100 && type <= 111) return 'liquidation'
    return type >= 125 && type <= 128 ? 'adl' : 'order'
  },
  funding: async (account, symbol, since) => {
    const { id } = account.markets[symbol] as CcxtTradedMarket
    const query = { instType: 'SWAP', type: fundingType, begin: String(since) }
    const isRecent = since > Date.now() - recentBillsMs
    const list = isRecent ? 'privateGetAccountBills' : 'privateGetAccountBillsArchive'
    const rows = await allRows((page) => request(account, list, { ...query, ...page }))
    return rows.filter(({ instId }) => instId === id).flatMap(paymentOf)
  },
  equity: async (account) => {
    const { info } = (await account.fetchBalance()) as { info: Page }
    const amount = info.data?.[0]?.totalEq ?? ''
    return amount === '' ? null : { currency: 'USD', amount }
  },
  facts: async (account) => {
    const config = await readConfig(account)
    const isFutures = account.options.defaultType !== 'spot'
    const permissions = config.perm?.split(',')
    return {
      accountId: config.uid ?? null,
      accountType: accountTypes[config.acctLv ?? ''] ?? null,
      mayTrade: permissions?.includes('trade') ?? null,
      mayWithdraw: permissions?.includes('withdraw') ?? null,
      isIpRestricted: config.ip === undefined ? null : config.ip !== '',
      positionMode: isFutures ? positionModeOf(config) : null,
      obstacles: isFutures ? (isSpotMode(config) ? [spotMode] : []) : borrows(config) ? [borrowing] : [],
    }
  },
  useDemo: (account) => asOkx(account).setSandboxMode(true),
}

type SignRequest = [path: string, api: string, method: string, params: object, ...rest: unknown[]]
type Signed = { method: string; headers?: Record<string, string> }
type Okx = CcxtAccount & {
  sign(...request: SignRequest): Signed
  setSandboxMode(on: boolean): void
  parseTrades(rows: Row[], market: CcxtTradedMarket): CcxtTrade[]
}

const accountTypes: Record<string, string | undefined> = {
  '1': 'spot mode',
  '2': 'futures mode',
  '3': 'multi-currency margin',
  '4': 'portfolio margin',
}
const fundingType = '8'
const dayMs = 86_400_000
/** OKX lists the latest three days of fills and seven days of bills, and older ones up to three months in an archive. */
const recentFillsMs = 2.5 * dayMs
const recentBillsMs = 6 * dayMs

/** ccxt makes an empty order from an empty list. */
function named(found: CcxtOrder | undefined): CcxtOrder | undefined {
  if (found !== undefined && found.id === undefined) throw new Error('OKX listed no order and no error.')
  return found
}

/**
 * ccxt names itself as the broker of an order without a `clOrdId`, which would earn it a part of the fees. Stops have
 * another id. With the end of their path as a parameter of the path, ccxt adds nothing.
 */
function withoutBroker([path, api, method, params, ...rest]: SignRequest): SignRequest {
  if (path !== 'trade/order-algo' || method !== 'POST') return [path, api, method, params, ...rest]
  return ['trade/{list}', api, method, { ...params, list: 'order-algo' }, ...rest]
}

function asOkx(account: CcxtAccount): Okx {
  return account as Okx
}

/** All fills of a query, of which the oldest may be from `since`. */
async function fills(
  account: CcxtAccount,
  symbol: string,
  query: object,
  since: number | undefined,
): Promise<CcxtTrade[]> {
  const market = account.markets[symbol] as CcxtTradedMarket
  const instType = market.spot === true ? 'SPOT' : market.swap === true ? 'SWAP' : 'FUTURES'
  const isRecent = since !== undefined && since > Date.now() - recentFillsMs
  const list = isRecent ? 'privateGetTradeFills' : 'privateGetTradeFillsHistory'
  const rows = await allRows((page) =>
    request(account, list, { instType, instId: market.id, ...query, ...page }),
  )
  // Without the id of a trade, one could not be told from another.
  const named = rows.map((row) => ((row.tradeId ?? '') === '' ? { ...row, tradeId: row.billId } : row))
  return asOkx(account).parseTrades(named, market)
}

/** Reads all pages, the latest first. A page begins after the last bill of the previous one. */
async function allRows(read: (page: object) => Promise<Page>): Promise<Row[]> {
  const found: Row[] = []
  let after: string | undefined
  for (let count = 0; count < mostPages; count++) {
    const { data } = await read({ limit: String(fillPage), ...(after === undefined ? {} : { after }) })
    if (data === undefined) throw new Error('OKX sent no list.')
    found.push(...data)
    after = data.at(-1)?.billId
    if (data.length < fillPage || after === undefined) return found
  }
  throw new Error('OKX lists too many rows to read.')
}

/** The funding of an isolated position changes the position's own balance. Negative if the account paid. */
function paymentOf({ billId, ccy, balChg = '', posBalChg = '', ts }: Row): CcxtFunding[] {
  const amount = [balChg, posBalChg].find((change) => change !== '' && !decimal(change).eq(zero))
  if (amount === undefined) return []
  return [{ id: billId, code: ccy, amount, timestamp: Number(ts), info: undefined }]
}
