import { decimal, plain, zero } from '../../../base/decimals.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../../market/live/ccxt-trading.ts'
import type { AccountEquity, AccountFacts } from '../../account.ts'
import { isTemporary } from '../temporary-errors.ts'
import { request, unlessRefused } from './requests.ts'

/** A classic account has the API v2, a unified trading account the API v3. Each API refuses the other's accounts. */
export type Kind = 'classic' | 'unified'
export type Modes = { isHedged: boolean; marginMode: 'crossed' | 'isolated' }

type Known = {
  kind?: Kind
  reading?: Promise<Kind> | undefined
  modes: Map<string, { read: Promise<Modes>; sinceMs: number }>
  /** When the service last forgot what it knew, because of a refusal. */
  forgottenMs: number
}

type Params = Record<string, unknown>
type Bitget = CcxtAccount & {
  exceptions: { exact: Record<string, unknown> }
  handleUTAAndParams(params: Params, method: string): Promise<[isUnified: boolean, params: Params]>
}

// "You are in Classic Account mode, and the Unified Account API is not supported at this time", and the reverse.
const classicAnswer = /"code":\s*"40084"|in Classic Account mode/
const unifiedAnswer = /"code":\s*"40085"|in Unified Account mode/
const modeWords = /margin ?mode|(position|hold|holding) ?mode|unilateral|"code":\s*"40774"/i
const modesMs = 60_000

const accounts = new WeakMap<CcxtAccount, Known>()

function knownOf(account: CcxtAccount): Known {
  const known = accounts.get(account) ?? { modes: new Map(), forgottenMs: Number.NEGATIVE_INFINITY }
  accounts.set(account, known)
  return known
}

/**
 * ccxt takes an account for classic, for as long as it is open, after any failure of one request. Here, only an answer
 * decides, and a later answer that says otherwise decides again.
 */
export function adjustAccount(account: CcxtAccount): void {
  const bitget = account as Bitget
  const { exact } = bitget.exceptions
  // ccxt does not know these codes of the API v3: no such order, not enough balance, not enough margin.
  exact['25204'] = exact['40109']
  exact['25202'] = exact['43012']
  exact['25203'] = exact['43012']
  bitget.handleUTAAndParams = async ({ uta, ...params }, method) => {
    // Both kinds of account trade the same markets, and these must not change with the account.
    if (method === 'fetchMarkets') return [false, params]
    return [(await kindOf(account)) === 'unified', params]
  }
  const { handleErrors } = bitget
  bitget.handleErrors = (status, ...answer) => {
    noteAnswer(knownOf(account), String(answer[4]))
    return handleErrors.call(bitget, status, ...answer)
  }
}

/** @throws the errors of ccxt: then the kind is still unknown */
export function kindOf(account: CcxtAccount): Promise<Kind> {
  const known = knownOf(account)
  if (known.kind !== undefined) return Promise.resolve(known.kind)
  known.reading ??= readKind(account)
    .then((kind) => {
      known.kind = kind
      return kind
    })
    .finally(() => {
      known.reading = undefined
    })
  return known.reading
}

async function readKind(account: CcxtAccount): Promise<Kind> {
  try {
    await request(account, 'privateUtaGetV3AccountSettings')
    return 'unified'
  } catch (error) {
    if (classicAnswer.test(String(error))) return 'classic'
    if (isTemporary(error)) throw error
  }
  // A gateway may lack the API v3. Only a classic account answers here.
  try {
    if (account.options.defaultType === 'spot') await request(account, 'privateSpotGetV2SpotAccountAssets')
    else await request(account, 'privateMixGetV2MixAccountAccounts', { productType: 'USDT-FUTURES' })
    return 'classic'
  } catch (error) {
    if (unifiedAnswer.test(String(error))) return 'unified'
    throw error
  }
}

/** Notices that an account was upgraded, or went back, while the service runs. */
function noteAnswer(known: Known, text: string): void {
  const contradiction = known.kind === 'unified' ? classicAnswer : unifiedAnswer
  if (known.kind === undefined || !contradiction.test(text)) return
  delete known.kind
  known.modes.clear()
}

/** Once a minute at most: if the exchange refuses what was just read, the refusal has another reason. */
export function isOutdated(account: CcxtAccount, error: unknown): boolean {
  const known = knownOf(account)
  const isAboutModes = [classicAnswer, unifiedAnswer, modeWords].some((words) => words.test(String(error)))
  if (!isAboutModes || performance.now() - known.forgottenMs < modesMs) return false
  known.forgottenMs = performance.now()
  known.modes.clear()
  return true
}

/** The modes for orders of a futures market. They are read at most once a minute. */
export function modesOf(account: CcxtAccount, market: CcxtTradedMarket): Promise<Modes> {
  const { modes } = knownOf(account)
  const known = modes.get(market.symbol)
  if (known !== undefined && performance.now() - known.sinceMs < modesMs) return known.read
  const read = readModes(account, market)
  modes.set(market.symbol, { read, sinceMs: performance.now() })
  read.catch(() => modes.delete(market.symbol))
  return read
}

type Data<T> = { data: T }
type SymbolSettings = { category: string; symbol: string; marginMode: string; leverage?: string }
type Settings = {
  uid?: string
  accountMode?: string
  holdMode?: string
  symbolConfigList?: SymbolSettings[]
}
type ClassicSettings = {
  posMode?: string
  marginMode?: string
  crossedMarginLeverage?: string
  isolatedLongLever?: string
  isolatedShortLever?: string
}

async function readModes(account: CcxtAccount, market: CcxtTradedMarket): Promise<Modes> {
  if ((await kindOf(account)) === 'unified') {
    const { holdMode, ofSymbol } = await unifiedSettings(account, market)
    return modesFrom(holdMode, ofSymbol?.marginMode)
  }
  const { posMode, marginMode } = await classicSettings(account, market)
  return modesFrom(posMode, marginMode)
}

/** The next order reads the modes of the symbol again. */
export function forgetModes(account: CcxtAccount, { symbol }: CcxtTradedMarket): void {
  knownOf(account).modes.delete(symbol)
}

/** What a unified account has for a futures symbol. A symbol that is not listed has the default, which is cross margin. */
export async function unifiedSettings(
  account: CcxtAccount,
  market: CcxtTradedMarket,
): Promise<{ holdMode: string | undefined; ofSymbol: SymbolSettings | undefined }> {
  const productType = productOf(market)
  const { data } = await request<Data<Settings>>(account, 'privateUtaGetV3AccountSettings')
  const ofSymbol = data.symbolConfigList?.find(
    ({ category, symbol }) => category.toUpperCase() === productType && symbol === market.id,
  )
  return { holdMode: data.holdMode, ofSymbol }
}

/** What a classic account has for a futures symbol. */
export async function classicSettings(
  account: CcxtAccount,
  market: CcxtTradedMarket,
): Promise<ClassicSettings> {
  const asked = { symbol: market.id, productType: productOf(market), marginCoin: market.settle }
  const { data } = await request<Data<ClassicSettings>>(account, 'privateMixGetV2MixAccountAccount', asked)
  return data
}

function modesFrom(holdMode: string | undefined, marginMode: string | undefined): Modes {
  return {
    isHedged: holdMode === 'hedge_mode',
    marginMode: marginMode === 'isolated' ? 'isolated' : 'crossed',
  }
}

/** Bitget's name for the group of markets that a market belongs to. */
export function productOf(market: CcxtTradedMarket): string {
  return market.contract === true ? `${market.settle ?? market.quote}-FUTURES` : 'SPOT'
}

/** The groups of futures that bots can trade. */
export function productsOf(account: CcxtAccount): string[] {
  const futures = Object.values(account.markets).filter(
    ({ contract, linear }) => contract === true && linear === true,
  )
  return [...new Set(futures.map(productOf))]
}

/** Permissions of a key of the API v2: reading and writing `trade`, or `coow` futures orders, `stow` spot trade, `wwow` withdrawal. */
type ClassicInfo = { userId?: string; ips?: unknown; authorities?: string[] }
type UnifiedInfo = { ips?: unknown; permType?: string; permissions?: string[] }

export async function facts(account: CcxtAccount): Promise<AccountFacts> {
  const kind = await kindOf(account)
  return kind === 'unified' ? unifiedFacts(account) : classicFacts(account)
}

async function unifiedFacts(account: CcxtAccount): Promise<AccountFacts> {
  const { data } = await request<Data<Settings>>(account, 'privateUtaGetV3AccountSettings')
  const info = (await unlessRefused(request<Data<UnifiedInfo>>(account, 'privateUtaGetV3AccountInfo')))?.data
  const permissions = info?.permissions
  const isSwitching = data.accountMode === 'upgrading' || data.accountMode === 'switching'
  return {
    accountId: data.uid ?? null,
    accountType: 'unified',
    mayTrade:
      permissions === undefined
        ? null
        : info?.permType === 'read-and-write' && permissions.includes('uta_trade'),
    mayWithdraw: permissions?.includes('withdraw') ?? null,
    isIpRestricted: isListed(info?.ips),
    positionMode: isSpot(account) ? null : positionModeOf(data.holdMode),
    obstacles: isSwitching
      ? ['Bitget is changing the type of this account. Wait until it has finished, then try again.']
      : [],
  }
}

async function classicFacts(account: CcxtAccount): Promise<AccountFacts> {
  const info = (await unlessRefused(request<Data<ClassicInfo>>(account, 'privateSpotGetV2SpotAccountInfo')))
    ?.data
  const authorities = info?.authorities
  const market = isSpot(account) ? undefined : firstFuture(account)
  const modes = market === undefined ? undefined : await readModes(account, market)
  return {
    accountId: info?.userId ?? null,
    accountType: 'classic',
    mayTrade:
      authorities === undefined
        ? null
        : authorities.includes('trade') || authorities.includes(isSpot(account) ? 'stow' : 'coow'),
    mayWithdraw:
      authorities === undefined ? null : authorities.includes('wwow') || authorities.includes('withdraw'),
    isIpRestricted: isListed(info?.ips),
    positionMode: modes === undefined ? null : modes.isHedged ? 'hedge' : 'one-way',
    obstacles: [],
  }
}

/** The classic account has one position mode for all USDT futures. */
function firstFuture(account: CcxtAccount): CcxtTradedMarket | undefined {
  const markets = Object.values(account.markets)
  return (
    markets.find(({ symbol }) => symbol === 'BTC/USDT:USDT') ??
    markets.find((market) => productOf(market) === 'USDT-FUTURES')
  )
}

function positionModeOf(holdMode: string | undefined): AccountFacts['positionMode'] {
  if (holdMode === 'hedge_mode') return 'hedge'
  return holdMode === 'one_way_mode' ? 'one-way' : null
}

function isSpot({ options }: CcxtAccount): boolean {
  return options.defaultType === 'spot'
}

/** Bitget sends the allowed addresses as text or as a list. */
function isListed(ips: unknown): boolean | null {
  if (typeof ips === 'string') return ips.trim() !== ''
  return Array.isArray(ips) ? ips.length > 0 : null
}

type FuturesAccount = { usdtEquity?: string }
type AccountValue = { accountType: string; usdtBalance: string }

export async function equity(account: CcxtAccount): Promise<AccountEquity | null> {
  if ((await kindOf(account)) === 'unified') {
    const { data } = await request<Data<FuturesAccount>>(account, 'privateUtaGetV3AccountAssets')
    return usdt(data.usdtEquity)
  }
  if (isSpot(account)) {
    const all = await unlessRefused(
      request<Data<AccountValue[]>>(account, 'privateSpotGetV2AccountAllAccountBalance'),
    )
    return usdt(all?.data.find(({ accountType }) => accountType === 'spot')?.usdtBalance)
  }
  let sum = zero
  for (const productType of productsOf(account)) {
    const { data } = await request<Data<FuturesAccount[]>>(account, 'privateMixGetV2MixAccountAccounts', {
      productType,
    })
    for (const { usdtEquity } of data) sum = sum.plus(decimal(usdtEquity ?? '0'))
  }
  return usdt(plain(sum))
}

function usdt(amount: string | undefined): AccountEquity | null {
  return amount === undefined || amount === '' ? null : { currency: 'USDT', amount: plain(decimal(amount)) }
}
