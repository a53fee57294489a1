import Big from 'big.js'
import { type HeldPosition, Positions } from './positions.ts'
import { isAtLimit, isAtTarget, isReached } from './reached.ts'
import { type BookMarket, filledOf, marketOf, type Share, sharesOf } from './trading-figures.ts'
import type {
  AccountMode,
  BookFunding,
  BookOrder,
  BookTrade,
  Failure,
  FailureKind,
  Fills,
  Key,
  TradeKind,
  Trading,
} from './trading-types.ts'

export { answerOrFail } from './answers.ts'
export type { HeldPosition } from './positions.ts'
export { type BookMarket, filledOf, marketOf } from './trading-figures.ts'
export type * from './trading-types.ts'

export type Refusal = 'funds' | 'reduce-only' | 'price-band' | 'duplicate' | 'rejected' | 'beyond' | 'takes'
/** Without an id, it gets a new one. */
export type NewOrder = Pick<
  BookOrder,
  'clientOrderId' | 'side' | 'size' | 'reduceOnly' | 'positionSide' | 'limit' | 'postOnly'
> & {
  id?: string
  /** On spot: the price at which it is executed. */
  stopPrice?: string
}

const leverage = 20
const spotFeeRate = '0.001'
const contractFeeRate = '0.0005'

const noFailures = (): Record<FailureKind, Failure[]> => ({ order: [], question: [], stop: [], cancel: [] })

/** One account with its orders. It executes each accepted order once. */
export class AccountBook {
  readonly keys = new Map<string, Key>()
  inMaintenance = false
  #balances = new Map<string, Big>()
  #positions = new Positions()
  #funding: BookFunding[] = []
  #leverages = new Map<string, { value: string; isFixed: boolean }>()
  #mode: AccountMode = { position: 'one-way', margin: 'cross', account: 'classic' }
  #refusedCloses = 0
  #isTriggering = true
  #orders: BookOrder[] = []
  #due = new Map<BookOrder, Share[]>()
  #resting = new Set<BookOrder>()
  /** Orders of which one ends when the other is triggered or cancelled. */
  #twins = new Map<BookOrder, BookOrder>()
  #markets = new Map<string, BookMarket>()
  #failures: Record<FailureKind, Failure[]> = noFailures()
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
      fillOpen: (part, endedAs) => this.#fillOpen(part, endedAs),
      fillResting: (size) => this.#fillResting(size),
      cancelResting: () => {
        // A person takes some seconds.
        for (const order of [...this.#resting]) {
          this.cancel((one) => one === order)
          order.endedAt = order.at + 5_000
        }
      },
      changeResting: (change) => {
        for (const order of this.#resting) Object.assign(order, change)
      },
      failNext: (failure, on = 'order') => this.#failures[on].push(failure),
      calm: () => {
        this.#failures = noFailures()
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
        this.#resting.clear()
        this.#positions.clear()
      },
      setFee: (rate, inAsset) => {
        this.#fee = { rate, ...(inAsset === undefined ? {} : { inAsset }) }
      },
      orders: () => {
        this.#advance()
        return this.#orders
      },
      trade: (symbol, side, size, kind = 'order') => this.#trade(symbol, side, size, kind),
      payFunding: (symbol, amount, at) => this.#payFunding(symbol, amount, at),
      setMode: (mode) => Object.assign(this.#mode, mode),
      leverage: (symbol) => this.leverageOf(symbol),
      setLeverage: (symbol, value, isFixed = false) => {
        this.#leverages.set(symbol, { value, isFixed })
      },
      setTriggers: (on) => {
        this.#isTriggering = on
        this.advance()
      },
      refuseCloses: (count) => {
        this.#refusedCloses = count === 'all' ? Number.POSITIVE_INFINITY : count === 'none' ? 0 : count
      },
      setMaintenance: (on) => {
        this.inMaintenance = on
      },
    }
  }

  get mode(): Readonly<AccountMode> {
    return this.#mode
  }

  /** The margin mode, where an order changes it. */
  setMargin(margin: AccountMode['margin']): void {
    this.#mode.margin = margin
  }

  leverageOf(symbol: string): string {
    return this.#leverages.get(symbol)?.value ?? String(leverage)
  }

  /** @returns whether it was another one before */
  setLeverage(symbol: string, value: string): boolean {
    const before = this.#leverages.get(symbol)
    if (before?.isFixed === true) return true
    this.#leverages.set(symbol, { value, isFixed: false })
    return value !== (before?.value ?? String(leverage))
  }

  nextFailure(on: FailureKind): Failure | undefined {
    return this.#failures[on].shift() ?? (on === 'cancel' ? this.nextFailure('question') : undefined)
  }

  balances(): [asset: string, amount: string][] {
    this.#advance()
    return [...this.#balances].map(([asset, amount]) => [asset, amount.toFixed()])
  }

  /** What open sales and stops on spot keep of an asset, so that no other order can sell it. */
  locked(asset: string): string {
    this.#advance()
    return this.#orders
      .filter(({ symbol, side, status, stop }) => {
        const { base, isContract } = marketOf(symbol)
        const isTwin = stop?.isTarget === true && !stop.isTriggered
        return status === 'open' && side === 'sell' && base === asset && !isContract && !isTwin
      })
      .reduce((sum, order) => sum.plus(order.size).minus(filledOf(order).size), new Big(0))
      .toFixed()
  }

  balance(asset: string): string {
    this.#advance()
    return (this.#balances.get(asset) ?? new Big(0)).toFixed()
  }

  position(symbol: string): string {
    this.#advance()
    return this.#positions.net(symbol).toFixed()
  }

  /** The open futures positions. */
  positions(): HeldPosition[] {
    this.#advance()
    return this.#positions.list(this.#price)
  }

  /** The funding payments so far, the oldest first. */
  fundingPayments(): readonly BookFunding[] {
    return this.#funding
  }

  /** The open orders that are already visible. */
  openOrders(): BookOrder[] {
    return this.findAll(({ status }) => status === 'open')
  }

  /** The balance of an asset with the unrealised profit of the positions that are settled in it. */
  equity(asset: string): string {
    const settled = this.positions().filter(({ symbol }) => marketOf(symbol).quote === asset)
    return settled
      .reduce((sum, { unrealised }) => sum.plus(unrealised), new Big(this.balance(asset)))
      .toFixed()
  }

  openWith(clientOrderId: string): BookOrder | undefined {
    this.#advance()
    return this.#orders.find((order) => order.clientOrderId === clientOrderId && order.status === 'open')
  }

  /** Whether any order ever had this id, for an exchange that accepts each id once. */
  wasUsed(clientOrderId: string): boolean {
    return this.#orders.some((order) => order.clientOrderId === clientOrderId)
  }

  /** Ends an open order with its executed part; `undefined` if none is open. */
  cancel(isWanted: (order: BookOrder) => boolean): BookOrder | undefined {
    this.#advance()
    const found = this.#orders.find((order) => isWanted(order) && order.status === 'open')
    if (found === undefined) return undefined
    this.#end(found)
    const twin = this.#twins.get(found)
    if (twin?.status === 'open') this.#end(twin)
    return found
  }

  #end(order: BookOrder, endedAs?: string): void {
    Object.assign(order, {
      ...{ status: 'canceled', endedAt: Date.now() },
      ...(endedAs !== undefined && { endedAs }),
    })
    this.#due.delete(order)
    this.#resting.delete(order)
  }

  /** A stop on spot, and a target for the same coins: the one that is triggered first ends the other. */
  placePair(
    market: BookMarket,
    stop: NewOrder & { stopPrice: string },
    target: { clientOrderId: string; price: string },
  ): [stop: BookOrder, target: BookOrder] | Refusal {
    const { price, clientOrderId } = target
    if (isAtTarget(stop.side, price, this.#price(market.symbol))) return 'beyond'
    const placed = this.place(market, stop)
    if (typeof placed === 'string') return placed
    const { stopPrice: _, ...order } = stop
    const other = this.#take(market, { ...order, clientOrderId }, 'order', 'never')
    other.stop = { price, isTriggered: false, isTarget: true }
    this.#twins.set(placed, other).set(other, placed)
    return [placed, other]
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
    const { stopPrice, ...order } = wanted
    const isClose = wanted.reduceOnly || (!market.isContract && wanted.side === 'sell')
    if (isClose && stopPrice === undefined && this.#refusedCloses > 0) {
      this.#refusedCloses--
      return 'price-band'
    }
    const size = this.#reduced(market, wanted)
    if (size === undefined) return 'reduce-only'
    if (!this.#canPay(market, { ...wanted, size })) return 'funds'
    if (order.postOnly === true && isAtLimit(order, this.#price(market.symbol))) return 'takes'
    if (stopPrice === undefined) return this.#take(market, { ...order, size }, 'order')
    if (isReached(wanted.side, stopPrice, this.#price(market.symbol))) return 'beyond'
    const stop = { price: stopPrice, isTriggered: false }
    return Object.assign(this.#take(market, { ...order, size }, 'order', 'never'), { stop })
  }

  /** Accepts an order, and ends it at once. */
  placeEnded(market: BookMarket, wanted: NewOrder, endedAs: string): BookOrder {
    const order = this.#take(market, wanted, 'order', 'never')
    this.cancel((one) => one === order)
    return Object.assign(order, { endedAs })
  }

  #take(market: BookMarket, wanted: NewOrder, kind: TradeKind, fills = this.#fills): BookOrder {
    this.#markets.set(market.symbol, market)
    const at = Date.now()
    const { symbol } = market
    const id = wanted.id ?? String(this.#nextId++)
    const order: BookOrder = { ...wanted, symbol, id, kind, at, status: 'open', trades: [] }
    this.#orders.push(order)
    if (order.limit !== undefined && !isAtLimit(order, this.#price(symbol))) this.#resting.add(order)
    else this.#due.set(order, sharesOf(new Big(order.size), at, fills, this.#sizeStep))
    this.#advance()
    return order
  }

  #trade(symbol: string, side: 'buy' | 'sell', size: string, kind: TradeKind): BookOrder {
    this.#advance()
    const market = marketOf(symbol)
    const held = side === 'buy' ? 'short' : 'long'
    const isClose = market.isContract && this.#positions.size(symbol, held).gt(0)
    const opposite = side === 'buy' ? 'long' : 'short'
    const positionSide = isClose ? held : opposite
    const wanted = { clientOrderId: '', side, size, reduceOnly: kind !== 'order' }
    const inHedgeMode = market.isContract && this.#mode.position === 'hedge'
    return this.#take(market, { ...wanted, ...(inHedgeMode ? { positionSide } : {}) }, kind, 'whole')
  }

  #payFunding(symbol: string, amount: string, at = Date.now()): void {
    const asset = marketOf(symbol).quote
    this.#add(asset, new Big(amount))
    this.#funding.push({ id: String(this.#nextId++), symbol, asset, amount, at })
  }

  /** A reduce-only order is limited to the position. */
  #reduced({ symbol }: BookMarket, { side, size, reduceOnly, positionSide }: NewOrder): string | undefined {
    if (!reduceOnly) return size
    const reduced = side === 'sell' ? 'long' : 'short'
    const reducible = this.#positions.size(symbol, reduced)
    if ((positionSide ?? reduced) !== reduced || reducible.eq(0)) return undefined
    return (reducible.lt(size) ? reducible : new Big(size)).toFixed()
  }

  #canPay(market: BookMarket, { side, size, reduceOnly }: NewOrder): boolean {
    if (market.isContract) {
      const margin = new Big(size).times(this.#price(market.symbol)).div(leverage)
      return reduceOnly || margin.lte(this.balance(market.quote))
    }
    const needed = side === 'buy' ? new Big(size).times(this.#price(market.symbol)) : new Big(size)
    const free = side === 'buy' ? this.balance(market.quote) : this.#free(market.base)
    return needed.lte(free)
  }

  #free(asset: string): Big {
    return new Big(this.balance(asset)).minus(this.locked(asset))
  }

  /** Executes what is due by now, at the current prices. */
  advance(): void {
    this.#advance()
  }

  /** The rest of a limit order, or a part of it, at its own price. If it has nothing to reduce any more, it ends. */
  #executeResting(order: BookOrder, part?: string): void {
    const filled = order.trades.reduce((sum, trade) => sum.plus(trade.size), new Big(0))
    const left = part ?? new Big(order.size).minus(filled).toFixed()
    const size = this.#reduced(this.#markets.get(order.symbol)!, { ...order, size: left })
    if (size !== undefined) this.#execute(order, { at: Date.now(), size: new Big(size) }, order.limit)
    if (order.status === 'open' && size !== left) order.status = 'canceled'
    if (order.status !== 'open') this.#resting.delete(order)
  }

  #fillResting(size: string): void {
    this.#advance()
    const isWaiting = (order: BookOrder) => this.#due.get(order)?.length === 0 && order.stop === undefined
    const waiting = this.#orders.filter((order) => order.status === 'open' && isWaiting(order))
    for (const order of [...this.#resting, ...waiting]) this.#executeResting(order, size)
  }

  #advance(): void {
    const now = Date.now()
    for (const order of [...this.#resting]) {
      if (isAtLimit(order, this.#price(order.symbol))) this.#executeResting(order)
    }
    for (const order of this.#isTriggering ? this.#orders : []) {
      const { symbol, side, size, status, stop } = order
      if (status !== 'open' || stop?.isTriggered !== false) continue
      const isAt = stop.isTarget === true ? isAtTarget : isReached
      if (!isAt(side, stop.price, this.#price(symbol))) continue
      stop.isTriggered = true
      const twin = this.#twins.get(order)
      if (twin?.status === 'open') this.#end(twin, 'EXPIRED')
      this.#due.set(order, sharesOf(new Big(size), now, this.#fills, this.#sizeStep))
    }
    for (const [order, shares] of this.#due) {
      while (shares[0] !== undefined && shares[0].at <= now) this.#execute(order, shares.shift() as Share)
      if (order.status === 'filled') this.#due.delete(order)
    }
  }

  #execute(order: BookOrder, { at, size }: Share, limit?: string): void {
    if (size.lte(0)) return
    const market = this.#markets.get(order.symbol) as BookMarket
    const price = new Big(limit ?? this.#price(order.symbol))
    const fee = this.#feeOf(market, order, size, price)
    const id = String(this.#nextId++)
    order.trades.push({ id, size: size.toFixed(), price: price.toFixed(), ...fee, at })
    this.#add(fee.feeAsset, new Big(fee.fee).neg())
    // Closing a position adds its profit to the balance.
    if (market.isContract)
      this.#add(market.quote, this.#positions.move(order.symbol, { ...order, size, price }))
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

  #add(asset: string, amount: Big): void {
    this.#balances.set(asset, (this.#balances.get(asset) ?? new Big(0)).plus(amount))
  }

  #fillOpen(part = '1', endedAs?: string): void {
    this.#advance()
    for (const order of this.#orders) {
      if (order.status !== 'open' || order.stop?.isTriggered === false) continue
      const filled = order.trades.reduce((sum, trade) => sum.plus(trade.size), new Big(0))
      const left = new Big(order.size).minus(filled)
      this.#due.delete(order)
      this.#resting.delete(order)
      this.#execute(order, { at: Date.now(), size: left.times(part) })
      if (order.status === 'open') Object.assign(order, { status: 'canceled', endedAs })
    }
  }
}
