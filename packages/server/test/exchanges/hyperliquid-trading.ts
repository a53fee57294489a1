import Big from 'big.js'
import { type HyperliquidStops, isPrice, type SentOrder, toldStop } from './hyperliquid-stops.ts'
import type { Reply } from './stand-in.ts'
import type { Stop } from './stops.ts'
import { type AccountBook, answerOrFail, type BookOrder, filledOf } from './trading.ts'

/** `asset` is the number of the market in orders. */
export type TradedMarket = {
  symbol: string
  id: string
  token: string
  asset: number
  isContract: boolean
  sizeDecimals: number
}

type Sent = Record<string, unknown>
const leastWorth = 10
const fillPage = 2_000
const fundingPage = 500
const someoneElse = `0x${'44'.repeat(20)}`

/** The exchange's words for the states of orders. It has many for orders that ended unfilled. */
export type OrderStates = { open: string; canceled: string; rejected: string }

/**
 * Answers to questions about a Hyperliquid account, and the actions of its owner. The stand-in does not check signatures,
 * but it refuses a nonce that was used before, as Hyperliquid does.
 */
export class HyperliquidAccount {
  #markets: readonly TradedMarket[]
  #book: AccountBook
  #stops: HyperliquidStops
  #user: string
  #nonces = new Set<unknown>()
  #states: OrderStates = { open: 'open', canceled: 'canceled', rejected: 'reduceOnlyRejected' }

  constructor(markets: readonly TradedMarket[], book: AccountBook, stops: HyperliquidStops, user: string) {
    this.#markets = markets
    this.#book = book
    this.#stops = stops
    this.#user = user
  }

  /** The words for the states of orders from now on. */
  nameStates(states: Partial<OrderStates>): void {
    Object.assign(this.#states, states)
  }

  /** The answer to a request of `/info`; `undefined` if the request is not about an account. */
  info(sent: Sent): Reply | undefined {
    const answer = this.#answerOf(sent)
    return answer && answerOrFail(this.#book, 'question', answer, words)
  }

  exchange(sent: Sent): Reply {
    const action = (sent.action ?? {}) as {
      type?: string
      orders?: SentOrder[]
      cancels?: { a: number; o: number }[] | { asset: number; cloid: string }[]
      asset?: number
      isCross?: boolean
      leverage?: number
    }
    const isOrder = action.type === 'order'
    const isStop = action.orders?.some(({ t }) => t.trigger !== undefined)
    const kind = isOrder ? (isStop === true ? 'stop' : 'order') : 'question'
    const answer = () => {
      const { r, s } = (sent.signature ?? {}) as { r?: unknown; s?: unknown }
      if (typeof r !== 'string' || typeof s !== 'string')
        return refused('Failed to deserialize the signature')
      if (this.#nonces.has(sent.nonce)) return refused('Invalid nonce: duplicate nonce')
      this.#nonces.add(sent.nonce)
      if (action.type === 'updateLeverage') return this.#updateLeverage(action)
      const statuses = isOrder
        ? (action.orders ?? []).map((order) => this.#place(order))
        : (action.cancels ?? []).map((one) => this.#cancel('cloid' in one ? one.cloid : String(one.o)))
      return { json: { status: 'ok', response: { type: action.type, data: { statuses } } } }
    }
    return answerOrFail(this.#book, kind, answer, words)
  }

  /** As "Update leverage" of the documentation. */
  #updateLeverage({
    asset,
    isCross,
    leverage,
  }: {
    asset?: number
    isCross?: boolean
    leverage?: number
  }): Reply {
    const market = this.#markets.find((one) => one.isContract && one.asset === asset)
    if (market === undefined || !Number.isInteger(leverage)) return refused('Invalid leverage value')
    this.#book.setMargin(isCross === true ? 'cross' : 'isolated')
    this.#book.setLeverage(market.symbol, String(leverage))
    return { json: { status: 'ok', response: { type: 'default' } } }
  }

  #answerOf(sent: Sent): (() => Reply) | undefined {
    const book = this.#book
    const isUser = sent.user === this.#user
    switch (sent.type) {
      case 'userAbstraction':
        return () => ({ json: book.mode.account === 'classic' ? 'default' : book.mode.account })
      case 'userRole':
        return () => ({ json: this.#roleOf(String(sent.user)) })
      case 'frontendOpenOrders':
        return () => ({ json: isUser ? this.#openOrders() : [] })
      case 'userFunding':
        return () => ({ json: isUser ? this.#funding(Number(sent.startTime ?? 0)) : [] })
      case 'spotClearinghouseState': {
        const balances = () =>
          book
            .balances()
            .map(([coin, total]) => ({ coin: this.#tokenOf(coin), total, hold: '0.0', entryNtl: '0.0' }))
        return () => ({ json: { balances: isUser ? balances() : [] } })
      }
      case 'clearinghouseState':
        return () => ({ json: isUser ? this.#clearinghouse() : clearinghouse('0', []) })
      case 'activeAssetData':
        return () => ({ json: this.#assetData(String(sent.coin)) })
      case 'orderStatus':
        return () => ({ json: isUser ? this.#order(String(sent.oid)) : { status: 'unknownOid' } })
      case 'userFills':
      case 'userFillsByTime':
        return () => ({ json: isUser ? this.#fills(Number(sent.startTime ?? 0)) : [] })
      default:
        return undefined
    }
  }

  #place(order: SentOrder): object {
    const market = this.#markets.find(({ asset }) => asset === order.a)
    if (market === undefined) return { error: `Invalid asset. asset=${order.a}` }
    if (order.t.trigger !== undefined) return this.#stops.send(order, market)
    const price = this.#book.price(market.symbol)
    const isTaking = order.b ? new Big(order.p).gte(price) : new Big(order.p).lte(price)
    const tif = order.t.limit?.tif
    const postOnly = tif === 'Alo'
    const mayRest = tif === 'Gtc' || postOnly
    if (tif !== 'Ioc' && !mayRest)
      return { error: 'Only orders that are executed at once, or that rest, are taken here.' }
    if (mayRest && !isPrice(order.p, market.sizeDecimals, market.isContract))
      return { error: `Price must be divisible by tick size. asset=${order.a}` }
    if (!mayRest && !isTaking)
      return { error: `Order could not immediately match against any resting orders. asset=${order.a}` }
    if (new Big(order.s).lte(0)) return { error: 'Order has zero size.' }
    if (!order.r && new Big(order.s).times(price).lt(leastWorth)) {
      return { error: `Order must have minimum value of $10. asset=${order.a}` }
    }
    const [base = '', quote = ''] = (market.symbol.split(':')[0] ?? '').split('/')
    const placed = this.#book.place(
      { symbol: market.symbol, base, quote, isContract: market.isContract },
      {
        clientOrderId: order.c ?? '',
        side: order.b ? 'buy' : 'sell',
        size: order.s,
        reduceOnly: order.r,
        ...(mayRest && { limit: order.p, postOnly }),
      },
    )
    if (placed === 'takes') {
      const bbo = `bbo was ${price}@${price}. asset=${order.a}`
      return { error: `Post only order would have immediately matched, ${bbo}` }
    }
    if (placed === 'price-band') return { error: `Order price too far from oracle. asset=${order.a}` }
    if (placed === 'reduce-only')
      return { error: `Reduce only order would increase position. asset=${order.a}` }
    if (typeof placed === 'string') {
      const what = market.isContract ? 'Insufficient margin to place order.' : 'Insufficient spot balance'
      return { error: `${what} asset=${order.a}` }
    }
    const { size, average } = filledOf(placed)
    if (placed.status !== 'filled')
      return { resting: { oid: Number(placed.id), cloid: placed.clientOrderId } }
    return { filled: { totalSz: size, avgPx: average, oid: Number(placed.id), cloid: placed.clientOrderId } }
  }

  #cancel(id: string): unknown {
    const stop = this.#stops.withId(id)
    if (stop?.status === 'open') {
      this.#stops.cancel(stop)
      return 'success'
    }
    const ended = this.#book.cancel((order) => order.id === id || order.clientOrderId === id)
    return ended === undefined ? { error: 'Order was never placed, already canceled, or filled.' } : 'success'
  }

  #order(oid: string): object {
    const stop = this.#stops.withId(oid)
    if (stop !== undefined) return { status: 'order', order: this.#toldStop(stop) }
    const found = this.#book.find(({ id, clientOrderId }) => id === oid || clientOrderId === oid)
    const market = this.#markets.find(({ symbol }) => symbol === found?.symbol)
    if (found === undefined || market === undefined) return { status: 'unknownOid' }
    return { status: 'order', order: told(market, found, this.#states) }
  }

  /** The order that a stop becomes keeps what is said about the stop. */
  #toldStop(stop: Stop) {
    const market = this.#markets.find(({ symbol }) => symbol === stop.symbol)!
    const order = this.#stops.orderOf(stop)
    const { open, canceled, rejected } = this.#states
    const ended = { open, canceled, rejected, triggered: 'triggered' }[stop.status]
    const left = new Big(stop.size).minus(order === undefined ? 0 : filledOf(order).size).toFixed()
    return toldStop(stop, market, order?.status === 'filled' ? 'filled' : ended, left)
  }

  #openOrders(): object[] {
    const orders = this.#book.openOrders().flatMap((order) => {
      const market = this.#markets.find(({ symbol }) => symbol === order.symbol)
      return market === undefined ? [] : told(market, order, this.#states).order
    })
    return [...orders, ...this.#stops.control.open().map((stop) => this.#toldStop(stop).order)]
  }

  /** All payments have this hash: see the sample in ccxt's comment on `fetchFundingHistory`. */
  #funding(from: number): object[] {
    return this.#book
      .fundingPayments()
      .filter(({ at }) => at >= from)
      .slice(0, fundingPage)
      .map(({ symbol, amount, at }) => ({
        time: at,
        hash: `0x${'0'.repeat(64)}`,
        delta: {
          type: 'funding',
          coin: this.#markets.find((market) => market.symbol === symbol)?.id,
          usdc: amount,
          szi: this.#book.position(symbol),
          fundingRate: '0.00004381',
          nSamples: null,
        },
      }))
  }

  /** As "Retrieve user's active asset data" of the documentation. */
  #assetData(coin: string): object {
    const { symbol } = this.#markets.find(({ id, isContract }) => isContract && id === coin)!
    const leverage = { type: this.#book.mode.margin, value: Number(this.#book.leverageOf(symbol)) }
    const sizes = { maxTradeSzs: ['100.0', '100.0'], availableToTrade: ['100.0', '100.0'] }
    return { user: this.#user, coin, leverage, ...sizes, markPx: this.#book.price(symbol) }
  }

  #clearinghouse(): object {
    const leverage =
      this.#book.mode.margin === 'isolated' ? { type: 'isolated', rawUsd: '-475.2' } : { type: 'cross' }
    const held = this.#book.positions().map(({ symbol, side, size, entryPrice, unrealised }) => ({
      type: 'oneWay',
      position: {
        coin: this.#markets.find((market) => market.symbol === symbol)?.id,
        szi: side === 'long' ? size : `-${size}`,
        leverage: { ...leverage, value: Number(this.#book.leverageOf(symbol)) },
        entryPx: entryPrice,
        positionValue: new Big(size).times(this.#book.price(symbol)).toFixed(),
        unrealizedPnl: unrealised,
        returnOnEquity: '0.0',
        liquidationPx: null,
        marginUsed: '24.88097',
        maxLeverage: 40,
        cumFunding: { allTime: '0.0', sinceOpen: '0.0', sinceChange: '0.0' },
      },
    }))
    return clearinghouse(this.#book.equity('USDC'), held)
  }

  /** As the documentation of `userRole`. Any other address is that of an agent of the account. */
  #roleOf(address: string): object {
    if (address.toLowerCase() !== this.#user) return { role: 'agent', data: { user: this.#user } }
    return this.#book.mode.account === 'subAccount'
      ? { role: 'subAccount', data: { master: someoneElse } }
      : { role: 'user' }
  }

  /** The oldest first. */
  #fills(from: number): object[] {
    return this.#book
      .trades(() => true)
      .filter(({ trade }) => trade.at >= from)
      .slice(0, fillPage)
      .map(({ order, trade }) => {
        const market = this.#markets.find(({ symbol }) => symbol === order.symbol)
        const isOutside = order.clientOrderId === ''
        // An order given on a web page pays its builder too. It may also execute against a liquidation.
        const more = isOutside
          ? { builderFee: new Big(trade.fee).div(2).toFixed() }
          : { cloid: order.clientOrderId }
        return {
          coin: market?.id,
          px: trade.price,
          sz: trade.size,
          side: order.side === 'buy' ? 'B' : 'A',
          time: trade.at,
          startPosition: '0.0',
          dir: order.kind === 'adl' ? 'Auto-Deleveraging' : order.side === 'buy' ? 'Open Long' : 'Close Long',
          closedPnl: '0.0',
          hash: `0x${trade.id.padStart(64, '0')}`,
          oid: Number(order.id),
          crossed: true,
          fee: trade.fee,
          tid: Number(trade.id),
          feeToken: this.#tokenOf(trade.feeAsset),
          ...more,
          ...(isOutside && order.kind !== 'adl'
            ? { liquidation: this.#liquidation(order, trade.price) }
            : {}),
        }
      })
  }

  #liquidation({ kind }: BookOrder, markPx: string) {
    return { liquidatedUser: kind === 'liquidation' ? this.#user : someoneElse, markPx, method: 'market' }
  }

  /** Wrapped coins have their own names. */
  #tokenOf(asset: string): string {
    return (
      this.#markets.find(({ symbol, isContract }) => !isContract && symbol === `${asset}/USDC`)?.token ??
      asset
    )
  }
}

const words = {
  broken: { status: 502, text: '<html>502 Bad Gateway</html>' },
  reject: {
    json: {
      status: 'ok',
      response: { type: 'order', data: { statuses: [{ error: 'Trading is halted. asset=0' }] } },
    },
  },
  rateLimit: { status: 429, text: 'null' },
} as const

function refused(response: string): Reply {
  return { json: { status: 'err', response } }
}

function told(market: TradedMarket, placed: BookOrder, states: OrderStates) {
  const { id, clientOrderId, side, size, reduceOnly, at, status, limit, postOnly, trades } = placed
  return {
    order: {
      coin: market.id,
      side: side === 'buy' ? 'B' : 'A',
      limitPx: limit ?? '0.0',
      sz: new Big(size).minus(filledOf(placed).size).toFixed(),
      oid: Number(id),
      timestamp: at,
      triggerCondition: 'N/A',
      isTrigger: false,
      triggerPx: '0.0',
      children: [],
      isPositionTpsl: false,
      reduceOnly,
      orderType: limit === undefined ? 'Market' : 'Limit',
      origSz: size,
      tif: limit === undefined ? 'FrontendMarket' : postOnly === true ? 'Alo' : 'Gtc',
      cloid: clientOrderId === '' ? null : clientOrderId,
    },
    status: status === 'filled' ? status : (placed.endedAs ?? states[status]),
    statusTimestamp: trades.at(-1)?.at ?? at,
  }
}

function clearinghouse(accountValue: string, assetPositions: object[]) {
  const summary = { accountValue, totalNtlPos: '0.0', totalRawUsd: accountValue, totalMarginUsed: '0.0' }
  const common = { marginSummary: summary, crossMarginSummary: summary, withdrawable: accountValue }
  return { ...common, crossMaintenanceMarginUsed: '0.0', assetPositions, time: Date.now() }
}
