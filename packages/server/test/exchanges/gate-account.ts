import Big from 'big.js'
import type { Reply, StandInMarket } from './stand-in.ts'
import type { AccountBook } from './trading.ts'

export type GateMarket = StandInMarket & { section: string }
export const contractSize = '0.0001'

type Request = {
  query: URLSearchParams
  markets: readonly GateMarket[]
  book: AccountBook
  key: string
}

/**
 * What Gate says about an account. The fields are those of the samples in ccxt's gate.js and of the models in
 * github.com/gateio/gateapi-python (docs).
 */
export function accountAnswer(what: string, request: Request): (() => Reply) | undefined {
  const { book } = request
  switch (what) {
    case 'GET account/detail':
      return () => ({ json: detail(request) })
    case 'GET account/main_keys':
      return () => ({ json: mainKeys(request) })
    case 'GET spot/accounts':
      return () => ({
        json: book.balances().map(([currency, available]) => ({ currency, available, locked: '0' })),
      })
    case 'GET futures/usdt/accounts':
      return () => ({ json: futuresAccount(book) })
    case 'GET futures/usdt/positions':
      return () => ({ json: positions(request) })
    case 'GET futures/usdt/positions/BTC_USDT':
    case 'GET futures/usdt/dual_comp/positions/BTC_USDT':
      return () => marginAnswer(what, request)
    case 'POST futures/usdt/positions/BTC_USDT/leverage':
    case 'POST futures/usdt/dual_comp/positions/BTC_USDT/leverage':
      return () => setLeverage(what, request)
    case 'GET futures/usdt/account_book':
      return () => ({ json: accountBook(request) })
    case 'GET unified/accounts':
      return () => (isUnified(book) ? { json: unifiedAccount(book) } : noUnified)
    case 'GET wallet/total_balance':
      return () => ({ json: totalBalance(book) })
    default:
      return undefined
  }
}

const noUnified: Reply = { status: 400, json: { label: 'USER_NOT_FOUND', message: 'user not found' } }

function isUnified({ mode }: AccountBook): boolean {
  return mode.account === 'unified'
}

function detail({ book, key }: Request) {
  return {
    user_id: 10_406_147,
    ip_whitelist: book.keys.get(key)?.ips ?? [],
    currency_pairs: [],
    key: { mode: isUnified(book) ? 2 : 1 },
    tier: 0,
    tier_expire_time: '0001-01-01T00:00:00Z',
    copy_trading_role: 0,
  }
}

/** All keys of the account, each without its end. */
function mainKeys({ book, key }: Request) {
  const { mayTrade = true, mayWithdraw = false, ips = [] } = book.keys.get(key) ?? {}
  const perms = (readOnly: boolean) => ['spot', 'futures'].map((name) => ({ name, read_only: readOnly }))
  const common = { state: 1, mode: isUnified(book) ? 2 : 1, user_id: 10_406_147, currency_pairs: [] }
  return [
    { ...common, name: 'another', perms: perms(true), ip_whitelist: [], key: 'c5dcfbf1f3a7*****' },
    {
      ...common,
      name: 'bots',
      perms: [...perms(!mayTrade), ...(mayWithdraw ? [{ name: 'withdraw', read_only: false }] : [])],
      ip_whitelist: ips,
      key: `${key.slice(0, 12)}*****`,
    },
  ]
}

function futuresAccount(book: AccountBook) {
  const total = book.balance('USDT')
  const unrealised = new Big(book.equity('USDT')).minus(total)
  return {
    total,
    available: total,
    currency: 'USDT',
    unrealised_pnl: unrealised.toFixed(),
    position_margin: '0',
    order_margin: '0',
    in_dual_mode: book.mode.position === 'hedge',
    user: 10_406_147,
  }
}

/** In dual mode, each contract has two rows, and the size of a short is negative in both modes. */
function positions({ book, markets }: Request) {
  return book.positions().flatMap(({ symbol, side, size, entryPrice, unrealised }) => {
    const market = markets.find((one) => one.symbol === symbol)
    if (market === undefined) return []
    const contracts = Number(new Big(size).div(contractSize).toFixed())
    return [
      {
        user: 10_406_147,
        contract: market.id,
        size: side === 'long' ? contracts : -contracts,
        leverage: book.mode.margin === 'isolated' ? book.leverageOf(symbol) : '0',
        mode: book.mode.position === 'hedge' ? `dual_${side}` : 'single',
        entry_price: entryPrice,
        mark_price: book.price(symbol),
        value: '0',
        margin: '0',
        unrealised_pnl: unrealised,
        realised_pnl: '0',
        liq_price: '0',
      },
    ]
  })
}

const traded = { id: 'BTC_USDT', symbol: 'BTC/USDT:USDT' }

/** A position with its setting: "Get single position information". In dual mode, each side has one, at another path. */
function marginAnswer(what: string, { book }: Request): Reply {
  const isDual = book.mode.position === 'hedge'
  if (what.includes('/dual_comp/') !== isDual) {
    return { status: 400, json: { label: isDual ? 'POSITION_DUAL_MODE' : 'POSITION_IN_SINGLE_MODE' } }
  }
  const leverage = book.leverageOf(traded.symbol)
  const setting =
    book.mode.margin === 'cross'
      ? { leverage: '0', cross_leverage_limit: leverage }
      : { leverage, cross_leverage_limit: '0' }
  const position = { user: 10_406_147, contract: traded.id, size: 0, ...setting }
  if (!isDual) return { json: { ...position, mode: 'single' } }
  return { json: ['dual_long', 'dual_short'].map((mode) => ({ ...position, mode })) }
}

/** As "Update position leverage": a leverage of 0 means cross margin. */
function setLeverage(what: string, request: Request): Reply {
  const { book, query } = request
  const leverage = query.get('leverage') ?? ''
  const value = leverage === '0' ? query.get('cross_leverage_limit') : leverage
  if (!(Number(value) > 0))
    return { status: 400, json: { label: 'INVALID_PARAM_VALUE', message: 'leverage' } }
  book.setMargin(leverage === '0' ? 'cross' : 'isolated')
  book.setLeverage(traded.symbol, String(value))
  return marginAnswer(what, request)
}

function accountBook({ book, markets, query }: Request) {
  const wanted = query.get('contract')
  const from = Number(query.get('from') ?? 0) * 1_000
  const to = Number(query.get('to') ?? Number.MAX_SAFE_INTEGER) * 1_000
  const offset = Number(query.get('offset') ?? 0)
  return book
    .fundingPayments()
    .filter(({ at }) => at >= from && at <= to)
    .flatMap(({ id, symbol, amount, at }) => {
      const contract = markets.find((one) => one.symbol === symbol)?.id
      const row = { time: at / 1_000, change: amount, balance: book.balance('USDT'), type: 'fund', id }
      return contract === undefined || contract !== (wanted ?? contract)
        ? []
        : [{ ...row, text: contract, contract }]
    })
    .reverse()
    .slice(offset, offset + Number(query.get('limit') ?? 100))
}

function unifiedAccount(book: AccountBook) {
  const balances = book.balances().map(([asset, available]) => {
    const balance = { available, freeze: '0', borrowed: '0', equity: available, total_liab: '0' }
    return [asset, balance]
  })
  const equity = book.equity('USDT')
  return {
    user_id: 10_406_147,
    locked: false,
    balances: Object.fromEntries(balances),
    total: equity,
    unified_account_total: equity,
    unified_account_total_equity: equity,
    leverage: '2',
  }
}

function totalBalance(book: AccountBook) {
  const amount = { currency: 'USDT', amount: book.balance('USDT') }
  return { total: amount, details: { spot: amount } }
}
