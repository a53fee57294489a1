import Big from 'big.js'
import {
  accountLevel,
  answerSigned,
  contractSize,
  failure,
  type OkxMarket,
  parametersOf,
  type Sent,
  success,
} from './okx-requests.ts'
import type { Exchange, Reply, RestCall } from './stand-in.ts'
import type { AccountBook } from './trading.ts'

const billPage = 100
const fundingType = '8'
const recentMs = 7 * 86_400_000

/** What OKX says about an account and its key. */
export function accountRest(
  call: RestCall,
  exchange: Exchange<OkxMarket>,
  book: AccountBook,
): Reply | undefined {
  const sent = parametersOf(call)
  const answer = answerOf(call, sent, exchange, book)
  return answer === undefined ? undefined : answerSigned(call, exchange, book, 'question', answer)
}

function answerOf(
  { path, headers }: RestCall,
  sent: Sent,
  exchange: Exchange<OkxMarket>,
  book: AccountBook,
): (() => Reply) | undefined {
  switch (path.replace('/api/v5/account/', '')) {
    case 'config':
      return () => success([config(String(headers['ok-access-key']), book)])
    case 'balance':
      return () => success([balance(book)])
    case 'positions':
      return () => success(positions(sent, exchange, book))
    case 'leverage-info':
      return () => success(leverages(sent, exchange, book))
    case 'set-leverage':
      return () => setLeverage(sent, exchange, book)
    case 'bills':
      return () => success(bills(sent, exchange, book, Date.now() - recentMs))
    case 'bills-archive':
      return () => success(bills(sent, exchange, book, 0))
    default:
      return undefined
  }
}

/** Source: `fetchAccounts` in ccxt's okx.js. */
function config(apiKey: string, book: AccountBook) {
  const key = book.keys.get(apiKey)
  const permissions = ['read_only']
  if (key?.mayWithdraw === true) permissions.push('withdraw')
  if (key?.mayTrade !== false) permissions.push('trade')
  return {
    acctLv: accountLevel(book),
    acctStpMode: 'cancel_maker',
    autoLoan: book.mode.account.endsWith('borrowing'),
    ctIsoMode: 'automatic',
    enableSpotBorrow: book.mode.account.endsWith('borrowing'),
    greeksType: 'PA',
    feeType: '0',
    ip: '',
    type: '0',
    kycLv: '3',
    label: 'tickwright',
    level: 'Lv1',
    levelTmp: '',
    liquidationGear: '-1',
    mainUid: '44705892343619584',
    mgnIsoMode: 'automatic',
    opAuth: '1',
    perm: permissions.join(','),
    posMode: book.mode.position === 'hedge' ? 'long_short_mode' : 'net_mode',
    roleType: '0',
    spotOffsetType: '',
    spotRoleType: '0',
    spotTraderInsts: [],
    traderInsts: [],
    uid: '44705892343619584',
  }
}

/** Isolated positions in hedge mode have a leverage for each side. Source: `fetchLeverage` in ccxt's okx.js. */
function leverages({ instId, mgnMode }: Sent, exchange: Exchange<OkxMarket>, book: AccountBook) {
  const market = exchange.markets.find(({ id }) => id === instId)
  if (market === undefined) return []
  const hasSides = mgnMode === 'isolated' && book.mode.position === 'hedge'
  return (hasSides ? ['long', 'short'] : ['net']).map((posSide) => ({
    ccy: '',
    instId,
    lever: book.leverageOf(`${market.symbol} ${mgnMode} ${posSide}`),
    mgnMode,
    posSide,
  }))
}

/** Source: `setLeverage` in ccxt's okx.js. */
function setLeverage(sent: Sent, exchange: Exchange<OkxMarket>, book: AccountBook): Reply {
  const { instId, lever = '', mgnMode = '', posSide = 'net' } = sent
  const market = exchange.markets.find(({ id }) => id === instId)
  const hasSides = mgnMode === 'isolated' && book.mode.position === 'hedge'
  if (market === undefined || hasSides !== (posSide !== 'net'))
    return failure('51000', 'Parameter posSide error')
  if (!(Number(lever) >= 1 && Number(lever) <= 125))
    return failure('59102', 'Leverage exceeds the maximum limit. Please lower the leverage.')
  book.setLeverage(`${market.symbol} ${mgnMode} ${posSide}`, lever)
  return success([{ instId, lever, mgnMode, posSide }])
}

/** Source: `fetchBalance` in ccxt's okx.js. */
function balance(book: AccountBook) {
  const details = book.balances().map(([ccy, amount]) => ({
    availBal: amount,
    availEq: amount,
    cashBal: amount,
    ccy,
    crossLiab: '',
    disEq: amount,
    eq: amount,
    eqUsd: amount,
    frozenBal: '0',
    interest: '',
    isoEq: '0',
    liab: '',
    ordFrozen: '0',
    uTime: '1621556539861',
    upl: '0',
  }))
  const totalEq = book.equity('USDT')
  return { adjEq: '', details, imr: '', isoEq: '0', mgnRatio: '', totalEq, uTime: '1621556553510' }
}

/** Source: `parsePosition` in ccxt's okx.js. */
function positions({ instId }: Sent, exchange: Exchange<OkxMarket>, book: AccountBook) {
  const isHedged = book.mode.position === 'hedge'
  return book.positions().flatMap(({ symbol, side, size, entryPrice, unrealised }) => {
    const market = exchange.markets.find((one) => one.symbol === symbol)
    if (market === undefined || (instId !== undefined && instId !== market.id)) return []
    const contracts = new Big(size).div(contractSize)
    const isNegative = !isHedged && side === 'short'
    return [
      {
        adl: '3',
        availPos: contracts.toFixed(),
        avgPx: entryPrice,
        cTime: '1627227626502',
        ccy: market.quote,
        imr: '170.66093041794787',
        instId: market.id,
        instType: market.instType,
        last: exchange.quote(market).price,
        lever: '2',
        liqPx: '12608.959083877446',
        markPx: exchange.quote(market).price,
        margin: '',
        mgnMode: book.mode.margin,
        mgnRatio: '140.49930117599155',
        mmr: '1.3652874433435829',
        notionalUsd: '341.5130010779638',
        pos: (isNegative ? contracts.neg() : contracts).toFixed(),
        posCcy: '',
        posId: '339552508062380036',
        posSide: isHedged ? side : 'net',
        tradeId: '98617799',
        uTime: '1627227626502',
        upl: unrealised,
        uplRatio: '0.0000636418743944',
      },
    ]
  })
}

/**
 * The latest hundred funding payments, or those before the bill of `after`. Source: `fetchFundingHistory` in ccxt's
 * okx.js. The funding of an isolated position changes the balance of the position.
 */
function bills(sent: Sent, exchange: Exchange<OkxMarket>, book: AccountBook, oldestAt: number) {
  const { type, begin = '0', after, limit = '100' } = sent
  if (type !== fundingType) return []
  const isIsolated = book.mode.margin === 'isolated'
  return book
    .fundingPayments()
    .filter(({ at }) => at >= Math.max(Number(begin), oldestAt))
    .filter(({ id }) => after === undefined || Number(id) < Number(after))
    .toSorted((a, b) => Number(b.id) - Number(a.id))
    .slice(0, Math.min(Number(limit), billPage))
    .map(({ id, symbol, asset, amount, at }) => ({
      bal: book.balance(asset),
      balChg: isIsolated ? '0' : amount,
      billId: id,
      ccy: asset,
      execType: '',
      fee: '0',
      from: '',
      instId: exchange.markets.find((market) => market.symbol === symbol)?.id,
      instType: 'SWAP',
      mgnMode: book.mode.margin,
      notes: '',
      ordId: '',
      pnl: amount,
      posBal: '0',
      posBalChg: isIsolated ? amount : '0',
      subType: amount.startsWith('-') ? '173' : '174',
      sz: '9',
      to: '',
      ts: String(at),
      type: fundingType,
    }))
}
