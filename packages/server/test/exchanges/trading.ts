import Big from 'big.js'
import type { Reply } from './stand-in.ts'

/**
 * How the next request fails: before the order is accepted, or after it is accepted, with a lost answer. `late` cuts the
 * connection and accepts the order a while later.
 */
export type Failure =
  | 'before-cut'
  | 'before-5xx'
  | 'after-cut'
  | 'after-hang'
  | 'after-5xx'
  | 'after-garbage'
  | 'late'
  | 'reject'
  | 'rate-limit'

/**
 * How orders are executed: at once, in three parts over time, in very many parts within milliseconds, all after a while, or
 * when the test calls `fillOpen`.
 */
export type Fills = 'whole' | 'parts' | 'many' | 'late' | 'never'

export type Key = { apiKey: string; secret: string; password?: string; mayTrade?: boolean }

/** The private side of an exchange on this machine. Amounts are decimal strings. */
export type Trading = {
  /** The credentials for exchange connections, with ccxt's names. */
  credentials: Record<string, string>
  /** Another key of the same account, for example one without permission to trade. */
  addKey(key: Key): void
  setBalance(asset: string, amount: string): void
  balance(asset: string): string
  /** The position in a futures symbol, in base currency. Negative for a short. */
  position(symbol: string): string
  setFills(fills: Fills): void
  /** Executes open orders. With `parts`, it executes only that many parts of each, and the exchange cancels the rest. */
  fillOpen(part?: string): void
  /** The next requests to place an order, or the next look-ups, fail in these ways, one after another. */
  failNext(failure: Failure, on?: 'order' | 'question'): void
  /** Removes the failures that have not happened yet. */
  calm(): void
  /** For how long after its acceptance an order or its trades cannot be looked up, in milliseconds. */
  hideFor(ms: number): void
  hideTradesFor(ms: number): void
  /** Forgets all orders and positions, as after a restart without memory. */
  forget(): void
  /** Sets the fee as a fraction of the notional, paid in the received currency, or in an asset with a price. */
  setFee(rate: string, inAsset?: { asset: string; price: string }): void
  /** All orders that were ever accepted, the oldest first. */
  orders(): readonly BookOrder[]
}

export type BookTrade = {
  id: string
  size: string
  price: string
  fee: string
  feeAsset: string
  at: number
}

export type BookOrder = {
  id: string
  clientOrderId: string
  symbol: string
  side: 'buy' | 'sell'
  /** In base currency. */
  size: string
  reduceOnly: boolean
  at: number
  status: 'open' | 'filled' | 'canceled'
  trades: BookTrade[]
}

export type BookMarket = { symbol: string; base: string; quote: string; isContract: boolean }
export type Refusal = 'funds' | 'reduce-only' | 'duplicate' | 'rejected'
type NewOrder = Pick<BookOrder, 'clientOrderId' | 'side' | 'size' | 'reduceOnly'>
type Share = { at: number; size: Big }

const leverage = 20
const spotFeeRate = '0.001'
const contractFeeRate = '0.0005'
const partsMs = 15
const manyParts = 230
const lateMs = 60

/** One account with its orders. It executes each accepted order once. */
export class AccountBook {
  readonly keys = new Map<string, Key>()
  #balances = new Map<string, Big>()
  #positions = new Map<string, { size: Big; cost: Big }>()
  #orders: BookOrder[] = []
  #due = new Map<BookOrder, Share[]>()
  #markets = new Map<string, BookMarket>()
  #failures: Record<'order' | 'question', Failure[]> = { order: [], question: [] }
  #fills: Fills = 'whole'
  #fee: { rate?: string; inAsset?: { asset: string; price: string } } = {}
  #hiddenMs = 0
  #tradesHiddenMs = 0
  #nextId = 1_000
  #price: (symbol: string) => string
  #sizeStep: string
  /** Whether the fee of a spot buy is taken from the bought size. */
  #feeFromBought: boolean

  /** @param options `sizeStep`: the size step of the parts in which orders are executed */
  constructor(options: { price: (symbol: string) => string; feeFromBought: boolean; sizeStep?: string }) {
    this.#sizeStep = options.sizeStep ?? '0.00000001'
    this.#price = options.price
    this.#feeFromBought = options.feeFromBought
  }

  /** The interface of the account for tests. */
  control(credentials: Key & Record<string, unknown>): Trading {
    this.keys.set(credentials.apiKey, credentials)
    return {
      credentials: Object.fromEntries(
        Object.entries(credentials).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string',
        ),
      ),
      addKey: (key) => this.keys.set(key.apiKey, key),
      setBalance: (asset, amount) => this.#balances.set(asset, new Big(amount)),
      balance: (asset) => this.balance(asset),
      position: (symbol) => this.position(symbol),
      setFills: (fills) => {
        this.#fills = fills
      },
      fillOpen: (part) => this.#fillOpen(part),
      failNext: (failure, on = 'order') => this.#failures[on].push(failure),
      calm: () => {
        this.#failures = { order: [], question: [] }
      },
      hideFor: (ms) => {
        this.#hiddenMs = ms
      },
      hideTradesFor: (ms) => {
        this.#tradesHiddenMs = ms
      },
      forget: () => {
        this.#orders = []
        this.#due.clear()
        this.#positions.clear()
      },
      setFee: (rate, inAsset) => {
        this.#fee = { rate, ...(inAsset === undefined ? {} : { inAsset }) }
      },
      orders: () => {
        this.#advance()
        return this.#orders
      },
    }
  }

  nextFailure(on: 'order' | 'question'): Failure | undefined {
    return this.#failures[on].shift()
  }

  balances(): [asset: string, amount: string][] {
    this.#advance()
    return [...this.#balances].map(([asset, amount]) => [asset, amount.toFixed()])
  }

  balance(asset: string): string {
    this.#advance()
    return (this.#balances.get(asset) ?? new Big(0)).toFixed()
  }

  position(symbol: string): string {
    this.#advance()
    return (this.#positions.get(symbol)?.size ?? new Big(0)).toFixed()
  }

  openWith(clientOrderId: string): BookOrder | undefined {
    this.#advance()
    return this.#orders.find((order) => order.clientOrderId === clientOrderId && order.status === 'open')
  }

  /** Ends an open order with its executed part; `undefined` if none is open. */
  cancel(isWanted: (order: BookOrder) => boolean): BookOrder | undefined {
    this.#advance()
    const found = this.#orders.find((order) => isWanted(order) && order.status === 'open')
    if (found === undefined) return undefined
    found.status = 'canceled'
    this.#due.delete(found)
    return found
  }

  /** The last order of this kind that is already visible. */
  find(isWanted: (order: BookOrder) => boolean): BookOrder | undefined {
    return this.findAll(isWanted).at(-1)
  }

  findAll(isWanted: (order: BookOrder) => boolean): BookOrder[] {
    this.#advance()
    const seenAt = Date.now() - this.#hiddenMs
    return this.#orders.filter((order) => isWanted(order) && order.at <= seenAt)
  }

  price(symbol: string): string {
    return this.#price(symbol)
  }

  /** The trades that are already visible. */
  trades(isWanted: (order: BookOrder) => boolean): { order: BookOrder; trade: BookTrade }[] {
    this.#advance()
    const seenAt = Date.now() - this.#tradesHiddenMs
    return this.#orders
      .filter(isWanted)
      .flatMap((order) => order.trades.map((trade) => ({ order, trade })))
      .filter(({ trade }) => trade.at <= seenAt)
  }

  place(market: BookMarket, wanted: NewOrder): BookOrder | Refusal {
    this.#advance()
    this.#markets.set(market.symbol, market)
    const size = this.#reduced(market, wanted)
    if (size === undefined) return 'reduce-only'
    if (!this.#canPay(market, { ...wanted, size })) return 'funds'
    const at = Date.now()
    const order: BookOrder = {
      ...wanted,
      symbol: market.symbol,
      size,
      id: String(this.#nextId++),
      at,
      status: 'open',
      trades: [],
    }
    this.#orders.push(order)
    this.#due.set(order, this.#shares(new Big(size), at))
    this.#advance()
    return order
  }

  /** A reduce-only order is limited to the position. */
  #reduced(market: BookMarket, { side, size, reduceOnly }: NewOrder): string | undefined {
    if (!reduceOnly) return size
    const held = this.#positions.get(market.symbol)?.size ?? new Big(0)
    const reducible = side === 'sell' ? held : held.neg()
    if (reducible.lte(0)) return undefined
    return (reducible.lt(size) ? reducible : new Big(size)).toFixed()
  }

  #canPay(market: BookMarket, { side, size, reduceOnly }: NewOrder): boolean {
    if (market.isContract) {
      const margin = new Big(size).times(this.#price(market.symbol)).div(leverage)
      return reduceOnly || margin.lte(this.balance(market.quote))
    }
    const needed = side === 'buy' ? new Big(size).times(this.#price(market.symbol)) : new Big(size)
    return needed.lte(this.balance(side === 'buy' ? market.quote : market.base))
  }

  #shares(size: Big, at: number): Share[] {
    if (this.#fills === 'never') return []
    if (this.#fills === 'whole') return [{ at, size }]
    if (this.#fills === 'many') {
      const part = new Big(this.#sizeStep)
      const count = Math.min(manyParts, Number(size.div(part).toFixed(0)))
      const parts = Array.from({ length: count - 1 }, (_, i) => ({ at: at + Math.floor(i / 50), size: part }))
      return [...parts, { at: at + Math.ceil(count / 50), size: size.minus(part.times(count - 1)) }]
    }
    if (this.#fills === 'late') return [{ at: at + lateMs, size }]
    const third = size.div(3).div(this.#sizeStep).round(0, Big.roundDown).times(this.#sizeStep)
    const rest = size.minus(third).minus(third)
    return [third, third, rest].map((part, i) => ({ at: at + i * partsMs, size: part }))
  }

  #advance(): void {
    const now = Date.now()
    for (const [order, shares] of this.#due) {
      while (shares[0] !== undefined && shares[0].at <= now) this.#execute(order, shares.shift() as Share)
      if (order.status === 'filled') this.#due.delete(order)
    }
  }

  #execute(order: BookOrder, { at, size }: Share): void {
    if (size.lte(0)) return
    const market = this.#markets.get(order.symbol) as BookMarket
    const price = new Big(this.#price(order.symbol))
    const fee = this.#feeOf(market, order, size, price)
    const id = String(this.#nextId++)
    order.trades.push({ id, size: size.toFixed(), price: price.toFixed(), ...fee, at })
    this.#add(fee.feeAsset, new Big(fee.fee).neg())
    if (market.isContract) this.#move(market, order, size, price)
    else {
      const direction = order.side === 'buy' ? 1 : -1
      this.#add(market.base, size.times(direction))
      this.#add(market.quote, size.times(price).times(-direction))
    }
    const filled = order.trades.reduce((sum, trade) => sum.plus(trade.size), new Big(0))
    if (filled.eq(order.size)) order.status = 'filled'
  }

  #feeOf({ isContract, base, quote }: BookMarket, { side }: BookOrder, size: Big, price: Big) {
    const { rate = isContract ? contractFeeRate : spotFeeRate, inAsset } = this.#fee
    const inQuote = size.times(price).times(rate)
    if (inAsset !== undefined) {
      return { fee: inQuote.div(inAsset.price).round(8).toFixed(), feeAsset: inAsset.asset }
    }
    if (this.#feeFromBought && !isContract && side === 'buy') {
      return { fee: size.times(rate).toFixed(), feeAsset: base }
    }
    return { fee: inQuote.toFixed(), feeAsset: quote }
  }

  /** Each reduction adds its profit to the balance. */
  #move(market: BookMarket, { side, symbol }: BookOrder, size: Big, price: Big): void {
    const held = this.#positions.get(symbol) ?? { size: new Big(0), cost: new Big(0) }
    const change = side === 'buy' ? size : size.neg()
    const after = held.size.plus(change)
    const isAdding = held.size.eq(0) || held.size.s === change.s
    if (isAdding) {
      this.#positions.set(symbol, { size: after, cost: held.cost.plus(change.times(price)) })
      return
    }
    const isTurning = !after.eq(0) && after.s !== held.size.s
    const cost = isTurning ? after.times(price) : held.cost.times(after).div(held.size)
    const gain = cost.minus(held.cost).minus(change.times(price))
    this.#add(market.quote, gain)
    this.#positions.set(symbol, { size: after, cost })
  }

  #add(asset: string, amount: Big): void {
    this.#balances.set(asset, (this.#balances.get(asset) ?? new Big(0)).plus(amount))
  }

  #fillOpen(part = '1'): void {
    this.#advance()
    for (const order of this.#orders.filter(({ status }) => status === 'open')) {
      const filled = order.trades.reduce((sum, trade) => sum.plus(trade.size), new Big(0))
      const left = new Big(order.size).minus(filled)
      this.#due.delete(order)
      this.#execute(order, { at: Date.now(), size: left.times(part) })
      if (order.status === 'open') order.status = 'canceled'
    }
  }
}

const lateTakeMs = 150

/**
 * Answers a request, or fails as the test has chosen.
 * @param words this exchange's answers for a failure, a refused order and a rate limit
 */
export function answerOrFail(
  book: AccountBook,
  on: 'order' | 'question',
  answer: () => Reply,
  words: Record<'broken' | 'reject' | 'rateLimit', Reply>,
): Reply {
  const failure = book.nextFailure(on)
  switch (failure) {
    case undefined:
      return answer()
    case 'before-cut':
      return 'cut'
    case 'before-5xx':
      return words.broken
    case 'reject':
      return words.reject
    case 'rate-limit':
      return words.rateLimit
    case 'late':
      setTimeout(answer, lateTakeMs)
      return 'cut'
    default:
      answer()
  }
  if (failure === 'after-cut') return 'cut'
  if (failure === 'after-hang') return 'hang'
  if (failure === 'after-5xx') return words.broken
  return { status: 200, text: '<html>Just a moment</html>' }
}

/** The total size and the notional of an order's trades. */
export function filledOf(order: BookOrder): { size: string; worth: string; average: string } {
  const size = order.trades.reduce((sum, trade) => sum.plus(trade.size), new Big(0))
  const worth = order.trades.reduce(
    (sum, trade) => sum.plus(new Big(trade.size).times(trade.price)),
    new Big(0),
  )
  const average = size.eq(0) ? '0' : worth.div(size).round(8).toFixed()
  return { size: size.toFixed(), worth: worth.toFixed(), average }
}
