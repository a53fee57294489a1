import { decimal, plain } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtFunding, CcxtOrder, CcxtTrade } from '../../../market/live/ccxt-trading.ts'
import type { AccountEquity, AccountFacts, TradeKind } from '../../account.ts'
import type { Dialect } from './dialect.ts'
import { hyperliquidEntries, hyperliquidSpotEntries } from './hyperliquid-entries.ts'
import { hyperliquidLegs } from './hyperliquid-legs.ts'
import { hyperliquidMargin } from './hyperliquid-margin.ts'
import { hyperliquidTargets } from './hyperliquid-targets.ts'
import { beforeOf, byClientOrderId, hashOf, mostPages, unlessNotFound } from './lookups.ts'
import { kindOf, ofSymbol, request, withKind } from './requests.ts'

export const hyperliquid: Dialect = {
  clientOrderId: (id) => `0x${hashOf(id)}`,
  spotBuys: 'base',
  needsPrice: true,
  find: async (account, query) => withStatus(await byClientOrderId(account, query)),
  findMade: async (account, { symbol }, id) =>
    withStatus(await unlessNotFound(() => account.fetchOrder(id, symbol))),
  legs: { futures: { ...hyperliquidLegs, targets: hyperliquidTargets } },
  entries: { futures: hyperliquidEntries, spot: hyperliquidSpotEntries },
  margin: hyperliquidMargin,
  trades: async (account, { id, timestamp }, symbol) => {
    const since = beforeOf(timestamp)
    const fills = since === undefined ? account.fetchMyTrades(symbol) : fillsSince(account, since)
    return (await fills).filter(({ order }) => order === id).map((fill) => readable(account, fill))
  },
  // All refusals have this form, but ccxt knows only some of them by name.
  refusals: /"error":|"status":\s*"err"/,
  // The time of a request is its number. A number that was used before does not say what became of the other request.
  clockRefusals: /Invalid nonce(?!: duplicate)/,
  tradesSince: async (account, symbol, since) =>
    ofSymbol(await fillsSince(account, since), symbol).map((fill) => readable(account, fill)),
  kindOf,
  funding,
  equity,
  facts,
  useDemo: (account) => account.setSandboxMode(true),
}

/** Methods of ccxt, and what it knows of the account. */
type Wallet = CcxtAccount & {
  walletAddress: string
  privateKey: string
  ethGetAddressFromPrivateKey(key: string): string
}

/** Hyperliquid has more than twenty states of orders that have ended. ccxt hands on those that it does not know. */
function withStatus(found: CcxtOrder | undefined): CcxtOrder | undefined {
  if (found === undefined || ends.includes(found.status ?? '')) return found
  return { ...found, status: found.status === 'scheduledCancel' ? 'canceled' : 'open' }
}

const ends = ['closed', 'canceled', 'rejected']
const fillPage = 2_000
const fundingPage = 500

/** All fills of the account. A page continues with the time of the last fill, so it repeats some. */
function fillsSince(account: CcxtAccount, since: number): Promise<CcxtTrade[]> {
  return byTime(fillPage, since, (from) => account.fetchMyTrades(undefined, from))
}

/** @throws if there are more than the exchange keeps, or too many at one time */
async function byTime<T extends { id?: string | undefined; timestamp?: number | undefined }>(
  pageLimit: number,
  since: number,
  fetch: (from: number) => Promise<T[]>,
): Promise<T[]> {
  const found = new Map<string, T>()
  for (let page = 0, from = since; page < mostPages; page++) {
    const list = await fetch(from)
    for (const one of list) found.set(one.id ?? String(found.size), one)
    if (list.length < pageLimit) return [...found.values()]
    const last = Math.max(...list.map(({ timestamp = 0 }) => timestamp))
    if (last === from) break
    from = last
  }
  throw new Error('The list is too long to read.')
}

type Fill = { dir?: string; fee?: string; liquidation?: { liquidatedUser?: string } | null }

/** ccxt adds the share of a builder to the fee, which contains it already. */
function readable(account: CcxtAccount, trade: CcxtTrade): CcxtTrade {
  const { fee = trade.fee?.cost, ...fill } = trade.info as Fill
  // Fees have the exchange's names of wrapped coins, such as `UBTC`; markets have the common names, such as `BTC`.
  const mapping = (account.options.spotCurrencyMapping ?? {}) as Record<string, string>
  const currency = trade.fee?.currency ?? ''
  const paid = { cost: fee, currency: mapping[currency] ?? currency }
  return withKind({ ...trade, fee: paid }, kindOfFill(account, fill))
}

/** The fill of a liquidation has the same words for both sides. */
function kindOfFill(account: CcxtAccount, { dir, liquidation }: Fill): TradeKind {
  const { walletAddress } = account as Wallet
  const liquidated = liquidation?.liquidatedUser
  if (liquidated?.toLowerCase() === walletAddress.toLowerCase()) return 'liquidation'
  return dir === 'Auto-Deleveraging' ? 'adl' : 'order'
}

async function funding(account: CcxtAccount, symbol: string, since: number): Promise<CcxtFunding[]> {
  // All payments have the same hash, so their time is what distinguishes them.
  const identified = async (from: number) =>
    (await account.fetchFundingHistory(undefined, from)).map((payment) => {
      const { symbol: of } = payment as { symbol?: string }
      return { ...payment, symbol: of, id: `${payment.timestamp}-${of}` }
    })
  return ofSymbol(await byTime(fundingPage, since, identified), symbol)
}

/** Spot, and accounts that hold everything in one place, have no single total. */
async function equity(account: CcxtAccount): Promise<AccountEquity | null> {
  if (account.options.defaultType !== 'swap') return null
  const type = await accountType(account)
  if (type !== null && !separate.includes(type)) return null
  const { marginSummary } = await ask<{ marginSummary: { accountValue: string } }>(
    account,
    'clearinghouseState',
  )
  return { currency: 'USDC', amount: plain(decimal(marginSummary.accountValue)) }
}

/** Accounts that hold the margin of perpetuals apart from the coins of spot. */
const separate = ['default', 'disabled']

async function accountType(account: CcxtAccount): Promise<string | null> {
  const type = await ask<unknown>(account, 'userAbstraction')
  return typeof type === 'string' ? type.replaceAll('"', '') : null
}

type Role = { role: string; data?: { user?: string } }

async function facts(account: CcxtAccount): Promise<AccountFacts> {
  const wallet = account as Wallet
  const owner = wallet.walletAddress.toLowerCase()
  const signer = wallet.ethGetAddressFromPrivateKey(wallet.privateKey).toLowerCase()
  const [type, own, agent] = await Promise.all([
    accountType(account),
    ask<Role>(account, 'userRole'),
    signer === owner ? undefined : ask<Role>(account, 'userRole', signer),
  ])
  const isAgent = agent?.role === 'agent' && agent.data?.user?.toLowerCase() === owner
  return {
    accountId: owner,
    accountType: type,
    mayTrade: signer === owner || isAgent,
    // An agent signs orders only.
    mayWithdraw: signer === owner,
    isIpRestricted: null,
    positionMode: account.options.defaultType === 'swap' ? 'one-way' : null,
    obstacles: obstaclesOf(own, signer === owner || isAgent),
  }
}

function obstaclesOf({ role }: Role, maySign: boolean): string[] {
  if (role === 'agent') {
    return [
      'The wallet address is that of an agent. Give the address of the account for which the agent signs.',
    ]
  }
  if (role === 'subAccount' || role === 'vault') {
    return [
      'The wallet address is that of a sub-account or vault. Give the address of an account of its own.',
    ]
  }
  return maySign
    ? []
    : [
        'The private key may not sign for the wallet address. Create an agent (API wallet) for this account at Hyperliquid, and give its key.',
      ]
}

function ask<T>(account: CcxtAccount, type: string, user = (account as Wallet).walletAddress): Promise<T> {
  return request<T>(account, 'publicPostInfo', { type, user })
}
