/**
 * Price-triggered orders of Gate's USDT futures. The shapes are those of ccxt's samples of trigger orders and of the models
 * FuturesPriceTriggeredOrder, FuturesPriceTrigger and FuturesInitialOrder (github.com/gateio/gateapi-python).
 */
import Big from 'big.js'
import { contractSize, type GateMarket } from './gate-account.ts'
import type { Reply, RestCall } from './stand-in.ts'
import { type Stop, StopBook } from './stops.ts'
import type { AccountBook } from './trading.ts'

type Sent = {
  initial?: { contract?: string; size?: number; price?: string; tif?: string; reduce_only?: boolean }
  trigger?: {
    strategy_type?: number
    price_type?: number
    price?: string
    rule?: number
    expiration?: number
  }
}

const longestStayS = 2_592_000

export class GateStops extends StopBook {
  #book: AccountBook
  /** How long each stays, in seconds. */
  #stays = new Map<Stop, number>()
  #expired = new Set<Stop>()

  constructor(book: AccountBook) {
    super(book)
    this.#book = book
  }

  /** Makes those that rest reach the end of their time. */
  expire(): void {
    for (const stop of this.control.open()) {
      this.cancel(stop)
      this.#expired.add(stop)
    }
  }

  addFor(stop: Parameters<StopBook['add']>[0], stayS: number): Stop {
    const added = this.add(stop)
    this.#stays.set(added, stayS)
    return added
  }

  stayOf(stop: Stop): number {
    return this.#stays.get(stop) ?? 0
  }

  hasExpired(stop: Stop): boolean {
    return this.#expired.has(stop)
  }

  answerOf(
    what: string,
    { query, body }: RestCall,
    markets: readonly GateMarket[],
    id: string | undefined,
  ): (() => Reply) | undefined {
    switch (what) {
      case 'POST price_orders':
        return () => this.#place(JSON.parse(body) as Sent, markets)
      case 'GET price_orders':
        return () => ({ json: this.#list(query, markets) })
      case 'DELETE price_orders/id':
        return () => {
          const stop = this.control.open().find((one) => one.id === id)
          if (stop === undefined) return failure('AUTO_ORDER_NOT_FOUND', 'order not found', 404)
          this.cancel(stop)
          return { json: { id: Number(id) } }
        }
      default:
        return undefined
    }
  }

  #place({ initial = {}, trigger = {} }: Sent, markets: readonly GateMarket[]): Reply {
    const market = markets.find(({ id, active }) => id === initial.contract && active !== false)
    if (market === undefined) return failure('CONTRACT_NOT_FOUND', 'contract not found')
    const contracts = new Big(initial.size ?? 0)
    if (contracts.eq(0) || !contracts.round(0).eq(contracts)) return invalid('initial.size')
    if (initial.price !== '0' || initial.tif !== 'ioc') return invalid('initial.tif')
    const { price = '', rule, expiration = 0, price_type, strategy_type } = trigger
    if (!(Number(price) > 0) || !new Big(price).mod(tick).eq(0)) return invalid('trigger.price')
    if (price_type !== 0 || strategy_type !== 0) return invalid('trigger.price_type')
    if (!Number.isInteger(expiration) || expiration < 0 || expiration > longestStayS) {
      return invalid('trigger.expiration invalid range')
    }
    const side = contracts.gt(0) ? 'buy' : 'sell'
    // The other rule is that of a target.
    if (rule !== (side === 'buy' ? 1 : 2)) return invalid('trigger.rule')
    const reduceOnly = initial.reduce_only === true
    const inDualMode = this.#book.mode.position === 'hedge'
    const positionSide = (side === 'buy') === reduceOnly ? 'short' : 'long'
    const stop: Parameters<GateStops['add']>[0] = {
      ...{ clientId: '', symbol: market.symbol, side, price, reduceOnly },
      size: contracts.abs().times(contractSize).toFixed(),
      ...(inDualMode ? { positionSide } : {}),
    }
    if (this.isBeyond(stop)) {
      return side === 'buy'
        ? failure('AUTO_TRIGGER_PRICE_GREATE_LAST', 'invalid argument: Trigger.Price must > last_price')
        : failure('AUTO_TRIGGER_PRICE_LESS_LAST', 'invalid argument: Trigger.Price must < last_price')
    }
    return { status: 201, json: { id: Number(this.addFor(stop, expiration).id) } }
  }

  /** The latest first. */
  #list(query: URLSearchParams, markets: readonly GateMarket[]): object[] {
    const isOpen = query.get('status') === 'open'
    const market = markets.find(({ id }) => id === query.get('contract'))
    const offset = Number(query.get('offset') ?? 0)
    return this.control
      .all()
      .filter(({ symbol, status }) => symbol === market?.symbol && (status === 'open') === isOpen)
      .toReversed()
      .slice(offset, offset + Number(query.get('limit') ?? 100))
      .map((stop) => this.#told(stop, market!))
  }

  #told(stop: Stop, { id: contract }: GateMarket) {
    const { status, side, size, price, reduceOnly, at, changedAt, orderId } = stop
    const contracts = Number(new Big(size).div(contractSize).toFixed())
    const ended = { canceled: 'cancelled', triggered: 'succeeded', rejected: 'failed', open: '' }[status]
    return {
      user: 10_406_147,
      trigger: {
        strategy_type: 0,
        price_type: 0,
        price,
        rule: side === 'buy' ? 1 : 2,
        expiration: this.stayOf(stop),
      },
      initial: {
        contract,
        size: side === 'buy' ? contracts : -contracts,
        price: '0',
        tif: 'ioc',
        text: '',
        iceberg: 0,
        is_close: false,
        is_reduce_only: reduceOnly,
        auto_size: '',
      },
      id: Number(stop.id),
      trade_id: Number(orderId),
      status: status === 'open' ? 'open' : 'finished',
      ...(status === 'open' ? {} : { finish_as: this.hasExpired(stop) ? 'expired' : ended }),
      reason: '',
      create_time: at / 1_000,
      finish_time: status === 'open' ? 0 : changedAt / 1_000,
      is_stop_order: false,
      me_order_id: 0,
      order_type: '',
    }
  }
}

const tick = '0.1'

export function invalid(what: string): Reply {
  return failure('INVALID_PARAM_VALUE', `invalid argument: ${what}`)
}

export function failure(label: string, message: string, status = 400): Reply {
  return { status, json: { label, message } }
}
