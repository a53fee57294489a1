import { decimal, plain, zero } from '../../../base/decimals.ts'
import type {
  CcxtAccount,
  CcxtFunding,
  CcxtOrder,
  CcxtPosition,
  CcxtTrade,
} from '../../../market/live/ccxt-trading.ts'
import type { AccountEquity, AccountFacts, TradeKind } from '../../account.ts'
import { isTemporary } from '../temporary-errors.ts'
import type { Dialect } from './dialect.ts'
import { endedEntry, krakenFuturesEntries } from './kraken-futures-entries.ts'
import { withFees } from './kraken-futures-fees.ts'
import { cliOrdIdOf, fillsWhere, fromFills, readFills } from './kraken-futures-fills.ts'
import { krakenFuturesLegs } from './kraken-futures-legs.ts'
import { logSince } from './kraken-futures-log.ts'
import { krakenFuturesMargin } from './kraken-futures-margin.ts'
import { krakenFuturesTargets } from './kraken-futures-targets.ts'
import { validOr, withClientOrderId } from './lookups.ts'
import { ofSymbol, request } from './requests.ts'

export const krakenFutures: Dialect = {
  clientOrderId: (id) => validOr(id, /^[\w-]{1,100}$/),
  spotBuys: 'base',
  find: async (account, query) => {
    const { clientOrderId, symbol } = query
    const asked = account.fetchOrders(symbol, undefined, undefined, { cliOrdIds: clientOrderId })
    // If the exchange does not serve this list: an open order is in the list below, an executed one in the fills.
    const orders = await asked.then(
      (list) => list.map((order) => withWholeAmount(order, query.amount)),
      (error: unknown) => (isTemporary(error) ? Promise.reject(error) : account.fetchOpenOrders(symbol)),
    )
    // Orders that ended more than five seconds ago are no longer listed.
    const listed = withClientOrderId(orders, clientOrderId)
    if (listed !== undefined) return listed
    return query.rests === undefined
      ? fromFills(account, query, (fill) => cliOrdIdOf(fill) === clientOrderId)
      : endedEntry(account, query)
  },
  findMade: async (account, query, id) => {
    const listed = await account.fetchOrders(query.symbol, undefined, undefined, { orderIds: [id] })
    const made = listed.find((order) => order.id === id)
    return made === undefined
      ? fromFills(account, query, ({ order }) => order === id)
      : withWholeAmount(made, query.amount)
  },
  legs: { futures: { ...krakenFuturesLegs, targets: krakenFuturesTargets } },
  entries: { futures: krakenFuturesEntries },
  margin: krakenFuturesMargin,
  trades: async (account, { id }) =>
    withFees(account, await fillsWhere(account, ({ order }) => order === id)),
  refusals: /createOrder failed due to \w+|"error":\s*"accountInactive"/,
  adjust: refuseAllRefusals,
  tradesSince,
  kindOf: ({ info }) => kinds[(info as { fillType?: string }).fillType ?? ''] ?? 'order',
  positions,
  funding,
  equity,
  facts,
  useDemo: (account) => account.setSandboxMode(true),
}

/** Words for refused orders of the page "Send order" that ccxt does not know. It takes such an answer for an order. */
const otherRefusals = [
  'clientOrderIdInvalid',
  'clientOrderIdTooBig',
  'fixedLeverageTooHigh',
  'marketIsPostOnly',
  'tooManyOrders',
  'wouldCauseLiquidation',
  'wouldIncreasePriceDislocation',
  'wouldProcessAfterSpecifiedTime',
]

type Verifying = { verifyOrderActionSuccess(status: string, method: string, omit?: string[]): void }

/** Makes ccxt throw for these words what it throws for one that it knows, such as `selfFill`. */
function refuseAllRefusals(account: CcxtAccount): void {
  const verifying = account as unknown as Verifying
  const { verifyOrderActionSuccess: verify } = verifying
  verifying.verifyOrderActionSuccess = (status, method, omit) => {
    if (!otherRefusals.includes(status)) return verify.call(account, status, method, omit)
    try {
      verify.call(account, 'selfFill', method, omit)
    } catch (error) {
      if (error instanceof Error) error.message = error.message.replace('selfFill', status)
      throw error
    }
  }
}

/** The types of fills in which the exchange itself closes a position. The other side of a liquidation is an order. */
const kinds: Record<string, TradeKind> = {
  liquidation: 'liquidation',
  partialLiquidation: 'liquidation',
  assignor: 'liquidation',
  unwindBankrupt: 'liquidation',
  unwindCounterparty: 'adl',
}

type ListedOrder = { order?: { quantity?: unknown; filled?: unknown } }

/** The quantity of an order in the list is what is left of it. Of a cancelled order, nothing may be left. */
function withWholeAmount(listed: CcxtOrder, wanted: string): CcxtOrder {
  const { quantity, filled } = (listed.info as ListedOrder).order ?? {}
  if (quantity === undefined || filled === undefined) return listed
  const whole = decimal(String(quantity)).plus(decimal(String(filled)))
  const isCut = listed.status === 'canceled' && whole.lt(decimal(wanted))
  return { ...listed, amount: isCut ? wanted : plain(whole) }
}

/** Only isolated positions have a leverage of their own. ccxt reads this, but gives it another name. */
async function positions(account: CcxtAccount): Promise<CcxtPosition[]> {
  const read = await account.fetchPositions()
  return read.map((position) => {
    const { maxFixedLeverage } = position.info as { maxFixedLeverage?: unknown }
    return { ...position, marginMode: maxFixedLeverage == null ? 'cross' : 'isolated' }
  })
}

/** @throws if the fee of a fill is not known yet */
async function tradesSince(account: CcxtAccount, symbol: string, since: number): Promise<CcxtTrade[]> {
  const all = await readFills(account, since)
  const fills = ofSymbol(all, symbol).filter(({ timestamp = 0 }) => timestamp >= since)
  const charged = await withFees(account, fills)
  // Later questions would start after the last fill, and never see the one that is missing.
  if (charged.length < fills.length) throw new Error('The exchange has not listed every fee yet.')
  return charged
}

/** Kraken pays funding hourly, and also with each trade that changes the position. */
async function funding(account: CcxtAccount, symbol: string, since: number): Promise<CcxtFunding[]> {
  const { id: contract } = account.markets[symbol] as { id: string }
  const rows = await logSince(account, since)
  return rows
    .filter((row) => row.contract?.toUpperCase() === contract.toUpperCase() && row.asset !== row.contract)
    .filter(({ realized_funding: amount }) => amount !== null && !decimal(amount).eq(zero))
    .map((info) => {
      const code = info.asset.toUpperCase()
      return {
        id: info.id,
        code: account.commonCurrencies[code] ?? code,
        amount: info.realized_funding ?? '0',
        timestamp: Date.parse(info.date),
        info,
      }
    })
}

/** The value of everything that serves as collateral, with unrealised profit. */
async function equity(account: CcxtAccount): Promise<AccountEquity | null> {
  type Accounts = { accounts: { flex?: { portfolioValue?: string } } }
  const { accounts } = await request<Accounts>(account, 'privateGetAccounts')
  const value = accounts.flex?.portfolioValue
  return value === undefined ? null : { currency: 'USD', amount: plain(decimal(value)) }
}

type CheckedKey = {
  accountUid: string
  permissions: { general: string; transfer: string }
  allowedCidrBlocks?: string[] | null
}

async function facts(account: CcxtAccount): Promise<AccountFacts> {
  const { accountUid, permissions, allowedCidrBlocks } = await checkKey(account)
  const mayTrade = permissions.general === 'FULL_ACCESS'
  return {
    accountId: accountUid,
    accountType: null,
    mayTrade,
    mayWithdraw: permissions.transfer === 'FULL_ACCESS',
    isIpRestricted: (allowedCidrBlocks ?? []).some((block) => !block.endsWith('/0')),
    positionMode: 'one-way',
    obstacles: mayTrade
      ? []
      : ['The key may only read. Create a key with "Full Access" to the general API at Kraken Futures.'],
  }
}

/** ccxt does not know this question, but can sign it. */
async function checkKey(account: CcxtAccount): Promise<CheckedKey> {
  const { urls, options } = account
  const api = urls.api as Record<string, string>
  api.auth ??= new URL('/api/auth/', api.private).href
  options.access = { ...(options.access as object), auth: { GET: { [checkPath]: 'private' } } }
  return (await account.fetch2(checkPath, 'auth', 'GET', { version: 'v1' })) as CheckedKey
}

const checkPath = 'api-keys/v3/check'
