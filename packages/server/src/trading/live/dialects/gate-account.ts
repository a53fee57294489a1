import { decimal, plain } from '../../../base/decimals.ts'
import { isCcxtError } from '../../../market/live/ccxt-exchange.ts'
import type {
  CcxtAccount,
  CcxtFunding,
  CcxtTrade,
  CcxtTradedMarket,
} from '../../../market/live/ccxt-trading.ts'
import type { AccountEquity, AccountFacts, TradeKind } from '../../account.ts'
import { isTemporary } from '../temporary-errors.ts'
import { allPages, dayMs, fillPage, mostPages, tradeLimit, validOr, windowsSince } from './lookups.ts'
import { request, unlessRefused } from './requests.ts'

/** Whether one balance carries spot and futures. Orders and trades on spot name the account that they belong to. */
type Kind = 'classic' | 'unified'
type Known = { read: Promise<Kind>; sinceMs: number }
type Detail = { user_id?: string; ip_whitelist?: string[] | null; key?: { mode?: string } }
type FuturesAccount = { total?: string; unrealised_pnl?: string; in_dual_mode?: boolean }

/** ccxt sees "REQUEST_EXPIRED" as wrong credentials. */
export const clockRefusals = /"label":\s*"REQUEST_EXPIRED"/

/** An account can be upgraded while the service runs. Gate's answers to the old kind of order are not documented. */
const kindMs = 600_000
const kinds = new WeakMap<CcxtAccount, Known>()

type GateAccount = CcxtAccount & {
  apiKey: string
  exceptions: { exact: Record<string, unknown> }
  loadUnifiedStatus(): Promise<boolean>
}

/** ccxt takes an account for classic, for as long as it is open, after any failure of one request. */
export function adjustAccount(account: CcxtAccount): void {
  const gate = account as GateAccount
  // For ccxt, this is a lack of money. The market does not trade, or the account may not trade it.
  gate.exceptions.exact.TRADE_RESTRICTED = gate.exceptions.exact.ORDER_CLOSED
  gate.loadUnifiedStatus = async () => {
    const isUnified = (await kindOf(account)) === 'unified'
    account.options.unifiedAccount = isUnified
    return isUnified
  }
}

/** The id of an order in the form that Gate accepts: at most 28 characters after a prefix. */
export function textOf(id: string): string {
  return `t-${validOr(id, /^[\w.-]{1,26}$/, (hash) => hash.slice(0, 26))}`
}

/** @throws the errors of ccxt: then the kind is still unknown */
export function kindOf(account: CcxtAccount): Promise<Kind> {
  const known = kinds.get(account)
  if (known !== undefined && performance.now() - known.sinceMs < kindMs) return known.read
  const read = readKind(account)
  kinds.set(account, { read, sinceMs: performance.now() })
  read.catch(() => kinds.delete(account))
  return read
}

/** The next request reads the kind again: a refusal may be due to an upgrade. */
export function forgetKind(account: CcxtAccount): void {
  kinds.delete(account)
}

async function readKind(account: CcxtAccount): Promise<Kind> {
  try {
    const { key } = await request<Detail>(account, 'privateAccountGetDetail')
    if (key?.mode !== undefined) return key.mode === '2' ? 'unified' : 'classic'
  } catch (error) {
    if (isUndecided(error)) throw error
  }
  // The key may lack the permission to read the account. Only a unified account answers here.
  const unified = await unlessRefused(request(account, 'privateUnifiedGetAccounts'))
  return unified === undefined ? 'classic' : 'unified'
}

/** A wrong key or time would be refused anywhere. */
function isUndecided(error: unknown): boolean {
  const isAboutKey = isCcxtError(error, 'AuthenticationError') && !isCcxtError(error, 'PermissionDenied')
  return isTemporary(error) || isAboutKey || !isCcxtError(error, 'BaseError')
}

/** Gate lists at most this much of the time of trades at once. It documents no limit of their age. */
const windowMs = 30 * dayMs
const historyMs = 365 * dayMs

/** The oldest first: several trades may have the same time, and their order matters. */
export async function tradesSince(account: CcxtAccount, symbol: string, since: number): Promise<CcxtTrade[]> {
  const isContract = account.markets[symbol]?.contract === true
  const trades: CcxtTrade[] = []
  for (const { startTime, endTime } of windowsSince(since, windowMs, historyMs)) {
    // Both lists are by seconds.
    const found = await allPages(tradeLimit, (_, page) => {
      const at = isContract ? { offset: (page - 1) * tradeLimit } : { page }
      return account.fetchMyTrades(symbol, startTime, tradeLimit, { until: endTime, ...at })
    })
    trades.push(...found)
  }
  return trades.sort(byTime)
}

function byTime(a: CcxtTrade, b: CcxtTrade): number {
  return (a.timestamp ?? 0) - (b.timestamp ?? 0) || Number(BigInt(a.id ?? 0) - BigInt(b.id ?? 0))
}

/** `text` of a futures trade is its order's. The values are in Gate's description of a futures order. */
export function kindOfTrade({ info }: CcxtTrade): TradeKind {
  const { text = '' } = info as { text?: string }
  if (text === 'auto_deleveraging') return 'adl'
  const isForced = /^(liquidation|(hedge-)?liq-|(pm|comb_margin|scm)_liquidate|insurance)/.test(text)
  return isForced ? 'liquidation' : 'order'
}

type Change = { id?: string; time: string; change: string; text?: string; contract?: string }

export async function funding(account: CcxtAccount, symbol: string, since: number): Promise<CcxtFunding[]> {
  const market = account.markets[symbol] as CcxtTradedMarket
  const settle = settleOf(market)
  const changes: Change[] = []
  for (const { startTime, endTime } of windowsSince(since, windowMs, historyMs)) {
    const query = {
      settle,
      type: 'fund',
      contract: market.id,
      limit: fillPage,
      ...seconds(startTime, endTime),
    }
    for (let page = 0; ; page++) {
      if (page === mostPages) throw new Error('There are too many funding payments to read.')
      const asked = { ...query, offset: page * fillPage }
      const found = await request<Change[]>(account, 'privateFuturesGetSettleAccountBook', asked)
      changes.push(...found)
      if (found.length < fillPage) break
    }
  }
  return changes
    .filter(({ contract, text }) => (contract ?? text) === market.id)
    .map((change) => ({
      id: change.id,
      code: market.settle,
      amount: plain(decimal(change.change)),
      timestamp: Math.round(Number(change.time) * 1_000),
      info: change,
    }))
    .reverse()
}

function seconds(from: number, to: number) {
  return { from: Math.floor(from / 1_000), to: Math.ceil(to / 1_000) }
}

function settleOf({ settle = 'USDT' }: CcxtTradedMarket): string {
  return settle.toLowerCase()
}

function isSpot({ options }: CcxtAccount): boolean {
  return options.defaultType === 'spot'
}

type Total = { details?: Record<string, { amount?: string; currency?: string }> }

export async function equity(account: CcxtAccount): Promise<AccountEquity | null> {
  if ((await kindOf(account)) === 'unified') {
    const unified = await request<{ unified_account_total_equity?: string }>(
      account,
      'privateUnifiedGetAccounts',
    )
    return amountOf('USD', unified.unified_account_total_equity)
  }
  if (isSpot(account)) {
    const all = await unlessRefused(
      request<Total>(account, 'privateWalletGetTotalBalance', { currency: 'USDT' }),
    )
    const { amount, currency = 'USDT' } = all?.details?.spot ?? {}
    return amountOf(currency, amount)
  }
  const { total, unrealised_pnl: unrealised = '0' } = await futuresAccount(account)
  return total === undefined ? null : amountOf('USDT', plain(decimal(total).plus(decimal(unrealised))))
}

function amountOf(currency: string, amount: string | undefined): AccountEquity | null {
  return amount === undefined || amount === '' ? null : { currency, amount: plain(decimal(amount)) }
}

/** Whether a contract may have a long and a short at the same time. */
export async function inDualMode(account: CcxtAccount): Promise<boolean> {
  return (await futuresAccount(account)).in_dual_mode === true
}

function futuresAccount(account: CcxtAccount): Promise<FuturesAccount> {
  return request<FuturesAccount>(account, 'privateFuturesGetSettleAccounts', { settle: 'usdt' })
}

/** `key` is shown without its end: `c5dcfbf1f3a7*****`. */
type MainKey = { key?: unknown; perms?: { name?: string; read_only?: boolean }[] }

/** In both position modes, Gate takes the same orders: `reduce_only` with the sign of the size names the position. */
export async function facts(account: CcxtAccount): Promise<AccountFacts> {
  const kind = await kindOf(account)
  const detail = await unlessRefused(request<Detail>(account, 'privateAccountGetDetail'))
  const keys = await unlessRefused(request<MainKey | MainKey[]>(account, 'privateAccountGetMainKeys'))
  const permissions = keys === undefined ? undefined : permissionsOf(keys, (account as GateAccount).apiKey)
  const mayWrite = (...names: string[]) =>
    permissions?.some(({ name = '', read_only: isReadOnly }) => names.includes(name) && !isReadOnly) ?? null
  const whitelist = detail?.ip_whitelist
  return {
    accountId: detail?.user_id ?? null,
    accountType: kind,
    mayTrade: mayWrite(isSpot(account) ? 'spot' : 'futures', 'unified'),
    mayWithdraw: mayWrite('withdraw'),
    isIpRestricted: Array.isArray(whitelist) ? whitelist.length > 0 : null,
    positionMode: isSpot(account) ? null : (await inDualMode(account)) ? 'hedge' : 'one-way',
    obstacles: [],
  }
}

/** Gate answers with all keys of the account. @returns `undefined` if it is not clear which one is ours */
function permissionsOf(keys: MainKey | MainKey[], apiKey: string): MainKey['perms'] {
  if (!Array.isArray(keys)) return keys.perms
  const ours = keys.filter(({ key }) => {
    const shown = typeof key === 'string' ? key.replace(/\*+$/, '') : ''
    return shown.length >= 4 && apiKey.startsWith(shown)
  })
  return ours.length === 1 ? ours[0]?.perms : undefined
}
