/**
 * Algo orders of Binance USD-M futures: stops that rest at the exchange. The shapes are those of the pages "New Algo
 * Order", "Query Algo Order" and "Cancel Algo Order", the statuses those of "Event: Algo Order Update", and the codes
 * those of "Error Code".
 */
import Big from 'big.js'
import type { BinanceMarket } from './binance-account.ts'
import type { Exchange, Reply, StandIn } from './stand-in.ts'
import type { AccountBook } from './trading.ts'

/** A stop, and what became of it. `orderId`: the order that it has become; empty before that. */
export type Stop = {
  algoId: string
  clientAlgoId: string
  symbol: string
  side: 'buy' | 'sell'
  size: string
  price: string
  reduceOnly: boolean
  positionSide?: 'long' | 'short'
  status: 'NEW' | 'TRIGGERED' | 'FINISHED' | 'CANCELED' | 'REJECTED'
  orderId: string
  at: number
}

/** What a test does with the stops of an account. */
export type StopControl = {
  /** All stops that were ever accepted, the oldest first. */
  all(): readonly Stop[]
  /** Those that rest at the exchange. */
  open(): Stop[]
  /** The bodies of all requests to place one, without time and signature. */
  requests(): readonly string[]
  /** Cancels one by hand. */
  cancel(clientAlgoId: string): void
  /** Whether prices trigger stops. Without it, the exchange does not notice them. */
  setTriggers(on: boolean): void
}

const stopsOfStandIns = new WeakMap<StandIn, AlgoBook>()

export function stopsOf(standIn: StandIn): StopControl {
  return stopsOfStandIns.get(standIn)!.control
}

const fields = new Set([
  ...['algoType', 'symbol', 'side', 'type', 'quantity', 'triggerPrice', 'workingType', 'reduceOnly'],
  ...['positionSide', 'clientAlgoId', 'timestamp', 'recvWindow', 'signature'],
])

/** The stops of one account. */
export class AlgoBook {
  #stops: Stop[] = []
  #requests: string[] = []
  #isTriggering = true
  #nextId = 7_000
  #book: AccountBook
  #markets: readonly BinanceMarket[] = []

  constructor(book: AccountBook) {
    this.#book = book
  }

  readonly control: StopControl = {
    all: () => this.#stops,
    open: () => this.#stops.filter(({ status }) => status === 'NEW'),
    requests: () => this.#requests,
    cancel: (clientAlgoId) => {
      const found = this.#resting(clientAlgoId)
      if (found !== undefined) found.status = 'CANCELED'
    },
    setTriggers: (on) => {
      this.#isTriggering = on
      this.advance()
    },
  }

  belongTo(standIn: StandIn): void {
    stopsOfStandIns.set(standIn, this)
  }

  /** Executes the stops that the current prices trigger. */
  advance(): void {
    if (!this.#isTriggering) return
    for (const stop of this.control.open()) {
      if (isReached(stop, this.#book.price(stop.symbol))) this.#trigger(stop)
    }
  }

  #trigger(stop: Stop): void {
    const market = this.#markets.find(({ kind, symbol }) => kind === 'linear' && symbol === stop.symbol)!
    const { side, size, reduceOnly, positionSide } = stop
    const order = { side, size, reduceOnly, clientOrderId: '', ...(positionSide && { positionSide }) }
    const placed = this.#book.place({ ...market, isContract: true }, order)
    if (typeof placed === 'string') stop.status = 'REJECTED'
    else Object.assign(stop, { status: 'TRIGGERED', orderId: placed.id })
  }

  answerOf(
    what: string,
    sent: URLSearchParams,
    exchange: Exchange<BinanceMarket>,
  ): (() => Reply) | undefined {
    this.#markets = exchange.markets
    switch (what) {
      case 'POST algoOrder':
        return () => this.#place(sent, exchange)
      case 'GET algoOrder':
        return () => this.#find(sent)
      case 'DELETE algoOrder':
        return () => this.#cancel(sent)
      default:
        return undefined
    }
  }

  #place(sent: URLSearchParams, { markets }: Exchange<BinanceMarket>): Reply {
    this.#requests.push(
      sent
        .toString()
        .split('&')
        .filter((field) => !/^(timestamp|recvWindow|signature)=/.test(field))
        .join('&'),
    )
    const strange = [...sent.keys()].find((name) => !fields.has(name))
    if (strange !== undefined) return failure(-1104, `Not all sent parameters were read: ${strange}.`)
    const market = markets.find(({ kind, id }) => kind === 'linear' && id === sent.get('symbol'))
    if (market === undefined) return failure(-1121, 'Invalid symbol.')
    if (sent.get('algoType') !== 'CONDITIONAL') return failure(-1102, "Mandatory parameter 'algotype'.")
    if (sent.get('type') !== 'STOP_MARKET') return failure(-1116, 'Invalid orderType.')
    const price = sent.get('triggerPrice') ?? '0'
    if (!new Big(price).mod(tick).eq(0)) {
      return failure(-4014, 'Price not increased by tick size.')
    }
    const isHedge = this.#book.mode.position === 'hedge'
    if (isHedge !== sent.has('positionSide')) {
      return failure(-4061, "Order's position side does not match user's setting.")
    }
    if (isHedge && sent.has('reduceOnly')) {
      return failure(-1106, "Parameter 'reduceonly' sent when not required.")
    }
    const clientAlgoId = sent.get('clientAlgoId') ?? ''
    if (this.#resting(clientAlgoId) !== undefined) return failure(-4116, 'ClientOrderId is duplicated.')
    const positionSide = { LONG: 'long', SHORT: 'short' }[sent.get('positionSide') ?? ''] as 'long' | 'short'
    const stop: Stop = {
      ...{ algoId: String(this.#nextId++), clientAlgoId, symbol: market.symbol, price, at: Date.now() },
      ...{ side: sent.get('side') === 'BUY' ? 'buy' : 'sell', size: sent.get('quantity') ?? '0' },
      ...{ reduceOnly: isHedge || sent.get('reduceOnly') === 'true', status: 'NEW', orderId: '' },
      ...(isHedge && { positionSide }),
    }
    if (isReached(stop, this.#book.price(stop.symbol))) {
      return failure(-2021, 'Order would immediately trigger.')
    }
    const held = stop.side === 'sell' ? 'long' : 'short'
    const holds = this.#book.positions().some(({ symbol, side }) => symbol === stop.symbol && side === held)
    if (!holds) return failure(-2022, 'ReduceOnly Order is rejected.')
    this.#stops.push(stop)
    return { json: this.#told(stop, market) }
  }

  #find(sent: URLSearchParams): Reply {
    const stop = this.#stops.findLast((one) => one.clientAlgoId === sent.get('clientAlgoId'))
    if (stop === undefined) return failure(-2013, 'Order does not exist.')
    const order = stop.orderId === '' ? undefined : this.#book.find(({ id }) => id === stop.orderId)
    if (stop.status === 'TRIGGERED' && order !== undefined && order.status !== 'open')
      stop.status = 'FINISHED'
    const market = this.#markets.find(({ kind, symbol }) => kind === 'linear' && symbol === stop.symbol)!
    return { json: { ...this.#told(stop, market), actualOrderId: stop.orderId, actualPrice: '0.00000' } }
  }

  #cancel(sent: URLSearchParams): Reply {
    const stop = this.#resting(sent.get('clientAlgoId') ?? '')
    if (stop === undefined) return failure(-2011, 'Unknown order sent.')
    stop.status = 'CANCELED'
    const { algoId, clientAlgoId } = stop
    return { json: { algoId: Number(algoId), clientAlgoId, code: '200', msg: 'success' } }
  }

  #resting(clientAlgoId: string): Stop | undefined {
    return this.control.open().find((one) => one.clientAlgoId === clientAlgoId)
  }

  #told(stop: Stop, market: BinanceMarket) {
    return {
      algoId: Number(stop.algoId),
      clientAlgoId: stop.clientAlgoId,
      algoType: 'CONDITIONAL',
      orderType: 'STOP_MARKET',
      symbol: market.id,
      side: stop.side.toUpperCase(),
      positionSide: (stop.positionSide ?? 'both').toUpperCase(),
      timeInForce: 'GTC',
      quantity: stop.size,
      algoStatus: stop.status,
      triggerPrice: stop.price,
      price: '0.00',
      icebergQuantity: null,
      selfTradePreventionMode: 'EXPIRE_MAKER',
      workingType: 'CONTRACT_PRICE',
      priceMatch: 'NONE',
      closePosition: false,
      priceProtect: false,
      reduceOnly: stop.reduceOnly,
      createTime: stop.at,
      updateTime: stop.at,
      triggerTime: 0,
      goodTillDate: 0,
    }
  }
}

const tick = '0.00000001'

function isReached({ side, price }: Stop, last: string): boolean {
  return side === 'sell' ? new Big(last).lte(price) : new Big(last).gte(price)
}

function failure(code: number, msg: string, status = 400): Reply {
  return { status, json: { code, msg } }
}
