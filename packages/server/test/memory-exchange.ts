/** An exchange in memory, with one account and one market, for tests of many histories in little time. */
import Big from 'big.js'
import type { ClosableVenue } from '../src/bots/closable-venue.ts'
import { VenueUnreachable } from '../src/market/price-source.ts'
import type { MarketRules } from '../src/market/rules.ts'
import type { AccountTrade } from '../src/trading/account.ts'
import type {
  FoundLeg,
  LegLookUp,
  LegPlacing,
  LegRequest,
  LegVenue,
} from '../src/trading/protection/leg-venue.ts'
import type { LookUpOutcome, OrderReport, OrderRequest, PlaceOutcome, Side } from '../src/trading/types.ts'

/**
 * What becomes of a request. `lost`: it arrives, and its answer does not. `cut`: it does not arrive. `late`: it arrives when
 * the connection is gone. `twice`: the network delivers it twice.
 */
export type Fate = 'works' | 'refused' | 'busy' | 'lost' | 'cut' | 'late' | 'twice'

/** `stop` and `target`: it rests until the price reaches it. */
type Kind = 'market' | 'stop' | 'target'

export type MemoryOrder = {
  id: string
  clientId: string
  kind: Kind
  side: Side
  size: Big
  price: Big
  filled: Big
  status: 'open' | 'filled' | 'ended'
  trades: AccountTrade[]
  /** Of a stop and a target in one order: when one is executed or ends, the other ends. */
  twin?: MemoryOrder
}

/** For so long after a request was sent, the exchange may still receive it. */
const arrivesWithinMs = 15
const absentAfterMs = 30
const unanswered = 'There was no answer.'

export class MemoryExchange {
  readonly rules: MarketRules
  price: Big
  /** All orders that were ever accepted, the oldest first. */
  readonly orders: MemoryOrder[] = []
  /** Requests that no service may ever send. */
  readonly violations: string[] = []
  /** What becomes of the next requests; then all of them work. */
  fates: Fate[] = []
  /** Whether it executes only a part of an opening at once, and the rest with `finish`. */
  isSlow = false
  /** Whether it has refused a stop because of the target that was in one order with it. */
  hasRefusedTwin = false
  #trades: AccountTrade[] = []
  /** Of futures the position, below zero for a short; on spot the coins of the bot, beside those of its owner. */
  #held = new Big(0)
  #ownCoins: Big
  #nextId = 1
  #closed = 0

  constructor(rules: MarketRules, price: string) {
    this.rules = rules
    this.price = new Big(price)
    this.#ownCoins = new Big(rules.service === 'spot' ? '1' : '0')
  }

  get held(): Big {
    return this.#held
  }

  /** How many positions were closed so far. */
  get closed(): number {
    return this.#closed
  }

  get trades(): readonly AccountTrade[] {
    return this.#trades
  }

  /** Of a stop and a target in one order, only the stop. */
  open(kind?: Kind): MemoryOrder[] {
    return this.orders.filter(
      (order) => order.status === 'open' && (kind === undefined ? !isSecond(order) : order.kind === kind),
    )
  }

  /** Executes what rests at a price that has been reached. */
  setPrice(price: Big): void {
    this.price = price
    for (const order of this.open('target')) {
      if (!this.#isReached(order)) continue
      if (order.twin !== undefined) order.twin.status = 'ended'
      this.#fill(order, order.price)
    }
    for (const order of this.open('stop')) if (this.#isReached(order)) this.#trigger(order)
  }

  /** Executes a part of a target that rests. */
  fillPart(part: number): void {
    const [target] = this.open('target')
    if (target === undefined) return
    const size = target.size.minus(target.filled).times(part).round(3, Big.roundUp)
    this.#fill(target, target.price, size)
  }

  /** Executes the rest of openings. */
  finish(): void {
    for (const order of this.open('market')) this.#fill(order, this.price)
  }

  /** The owner cancels everything that rests. */
  cancelByHand(): void {
    for (const order of this.open()) this.#end(order)
  }

  /** With it, the other one in the same order ends. */
  #end(order: MemoryOrder): void {
    order.status = 'ended'
    if (order.twin !== undefined) order.twin.status = 'ended'
  }

  /** The owner trades. On futures only. */
  tradeByHand(side: Side, size: string): void {
    this.#fill(this.#add('market', { side, size, price: this.price.toFixed(), clientId: '' }), this.price)
  }

  /** What a service sees of it. @param alive is asked before and after each request: it never answers a dead process */
  venue(alive: () => Promise<void>): ClosableVenue {
    const { rules } = this
    const through = async <T>(request: () => T): Promise<T> => {
      await alive()
      const answer = request()
      await alive()
      return answer
    }
    return {
      kind: 'live',
      rules: async () => rules,
      price: async () => this.price.toFixed(),
      place: (order) => through(() => this.#place(order)),
      lookUp: (order) => through(() => this.#lookUp(order)),
      cancel: ({ clientOrderId }) => through(() => this.#cancel(clientOrderId)),
      account: {
        facts: () => Promise.reject(new VenueUnreachable('Nobody asks.')),
        positions: () =>
          through(() => {
            if (rules.service === 'spot' || this.#held.eq(0)) return []
            const side = this.#held.gt(0) ? 'long' : 'short'
            const size = this.#held.abs().toFixed()
            const entryPrice = this.price.toFixed()
            const margin = { marginMode: null, leverage: null, liquidationPrice: null }
            return [{ symbol: rules.symbol, side, size, entryPrice, ...margin }]
          }),
        balances: () =>
          through(() => {
            const total = this.#ownCoins.plus(this.#held)
            return [
              { asset: rules.base, total: total.toFixed(), free: total.minus(this.#locked()).toFixed() },
            ]
          }),
        openOrders: () => through(() => []),
        tradesSince: (_, since) => through(() => this.#trades.filter(({ filledAt }) => filledAt >= since)),
        fundingSince: async () => [],
        equity: async () => null,
      },
      legs: this.#legs(through),
    }
  }

  #legs(through: <T>(request: () => T) => Promise<T>): LegVenue {
    return {
      locksFunds: this.rules.service === 'spot',
      keepsTargets: this.rules.service === 'futures',
      clientId: (id) => id,
      priceStep: async () => '0.01',
      hasOco: async () => this.rules.service === 'spot',
      place: (leg) => through(() => this.#placeLeg(leg)),
      lookUp: (leg) => through(() => this.#findLeg(leg)),
      cancel: ({ clientId }) => through(() => this.#cancel(clientId)),
    }
  }

  /** @returns what the sender hears: `unknown` is nothing */
  #send<T>(request: () => T, refused: T, busy: T, unknown: T): T {
    const fate = this.fates.shift() ?? 'works'
    switch (fate) {
      case 'refused':
        return refused
      case 'busy':
        return busy
      case 'cut':
        return unknown
      case 'late':
        setTimeout(request, arrivesWithinMs)
        return unknown
      case 'lost':
        request()
        return unknown
      case 'twice': {
        const answer = request()
        request()
        return answer
      }
      default:
        return request()
    }
  }

  #place(order: OrderRequest): PlaceOutcome {
    const { purpose, reduceOnly, clientOrderId: clientId, side, size } = order
    const isSpot = this.rules.service === 'spot'
    if (purpose === 'close' && !isSpot && !reduceOnly) this.violations.push('a close could open')
    const reason = 'The exchange refuses it.'
    this.#noteSending(clientId)
    const request = (): PlaceOutcome => {
      if (this.#has(clientId)) return { status: 'unknown', reason: 'The id is used.' }
      const allowed = isSpot ? size : this.#reduced(side, new Big(size), reduceOnly)?.toFixed()
      if (allowed === undefined) return { status: 'refused', reason: 'There is nothing to reduce.' }
      if (isSpot && side === 'sell' && new Big(size).gt(this.#free())) {
        return { status: 'refused', reason: 'There are too few coins.' }
      }
      const added = this.#add('market', { side, size: allowed, price: this.price.toFixed(), clientId })
      const isPart = this.isSlow && purpose === 'open'
      this.#fill(added, this.price, isPart ? added.size.times('0.4').round(3) : added.size)
      return { status: 'placed', report: reportOf(added) }
    }
    return this.#send<PlaceOutcome>(
      request,
      { status: 'refused', reason },
      { status: 'busy', reason },
      { status: 'unknown', reason: unanswered },
    )
  }

  #lookUp({ clientOrderId, legOrderId, plannedAt = 0 }: OrderRequest): LookUpOutcome {
    if (this.#isSilent()) return { status: 'unknown', reason: unanswered }
    const found = this.orders.find(({ id, clientId }) =>
      legOrderId === undefined ? clientId === clientOrderId : id === legOrderId,
    )
    if (found !== undefined) return { status: 'found', report: reportOf(found) }
    const isCertain = Date.now() - plannedAt > absentAfterMs
    return isCertain ? { status: 'absent' } : { status: 'unknown', reason: 'It may still arrive.' }
  }

  #placeLeg({ clientId, side, size, price, oco, isTarget = false }: LegRequest): LegPlacing {
    this.#noteSending(clientId)
    const kind = isTarget ? 'target' : 'stop'
    const request = (): LegPlacing => {
      if (this.#has(clientId)) return { status: 'unknown', reason: 'The id is used.' }
      const refused = { status: 'refused', isBeyond: false } as const
      if (this.rules.service === 'spot') {
        if (new Big(size).gt(this.#free())) return { ...refused, reason: 'There are too few coins.' }
      } else if (this.#reduced(side, new Big(size), true) === undefined) {
        return { ...refused, reason: 'There is nothing to reduce.' }
      }
      const at = { kind, side, price: new Big(price) } as const
      if (!isTarget && this.#isReached(at)) return { ...refused, reason: 'It is reached.', isBeyond: true }
      const target = oco && ({ kind: 'target', side, price: new Big(oco.price) } as const)
      if (target !== undefined && this.#isReached(target)) return { ...refused, reason: 'It is reached.' }
      const added = this.#add(kind, { side, size, price, clientId })
      if (oco !== undefined) {
        added.twin = this.#add('target', { side, size, price: oco.price, clientId: oco.clientId }, added)
      }
      if (this.#isReached(added)) this.#fill(added, this.price)
      return { status: 'placed', exchangeId: added.id }
    }
    const outcome = this.#send<LegPlacing>(
      request,
      { status: 'refused', reason: 'The exchange refuses it.', isBeyond: false },
      { status: 'busy', reason: 'The exchange is busy.' },
      { status: 'unknown', reason: unanswered },
    )
    if (oco !== undefined && outcome.status === 'refused') this.hasRefusedTwin = true
    return outcome
  }

  #findLeg({ clientId, sentAt }: LegRequest): LegLookUp {
    if (this.#isSilent()) return { status: 'unknown', reason: unanswered }
    const found = this.orders.find((order) => order.clientId === clientId)
    if (found !== undefined) return { status: 'found', leg: foundOf(found) }
    if (Date.now() - sentAt > absentAfterMs) return { status: 'absent' }
    return { status: 'unknown', reason: 'It may still arrive.' }
  }

  #cancel(clientId: string): void {
    const request = () => {
      const found = this.open().find((order) => order.clientId === clientId)
      if (found !== undefined) this.#end(found)
    }
    this.#send(request, undefined, undefined, undefined)
  }

  /** Whether the next question has no answer. */
  #isSilent(): boolean {
    return this.fates.length > 0 && !['works', 'twice'].includes(this.fates.shift()!)
  }

  /** A service sends an id again only if it is certain that the exchange has nothing with it. */
  #noteSending(clientId: string): void {
    if (this.#has(clientId)) this.violations.push(`the id ${clientId} is sent again`)
  }

  #has(clientId: string): boolean {
    return this.orders.some((order) => order.clientId === clientId)
  }

  #isReached({ kind, side, price }: Pick<MemoryOrder, 'kind' | 'side' | 'price'>): boolean {
    const isBelow = (kind === 'stop') === (side === 'sell')
    return isBelow ? this.price.lte(price) : this.price.gte(price)
  }

  #trigger(stop: MemoryOrder): void {
    const size = this.#reduced(stop.side, stop.size, true)
    if (stop.twin !== undefined) stop.twin.status = 'ended'
    if (size === undefined) stop.status = 'ended'
    else this.#fill(stop, this.price, size)
    if (stop.status === 'open') stop.status = 'filled'
  }

  /** How much of an order there is to execute; nothing if it only reduces, and there is nothing to reduce. */
  #reduced(side: Side, size: Big, reduceOnly: boolean): Big | undefined {
    if (!reduceOnly) return size
    const left = side === 'sell' ? this.#held : this.#held.neg()
    if (left.lte(0)) return undefined
    return size.gt(left) ? left : size
  }

  #free(): Big {
    return this.#ownCoins.plus(this.#held).minus(this.#locked())
  }

  #locked(): Big {
    return this.open()
      .filter(({ side }) => side === 'sell')
      .reduce((sum, { size, filled }) => sum.plus(size).minus(filled), new Big(0))
  }

  #add(
    kind: Kind,
    { side, size, price, clientId }: { side: Side; size: string; price: string; clientId: string },
    twin?: MemoryOrder,
  ): MemoryOrder {
    const id = String(this.#nextId++)
    const order: MemoryOrder = {
      ...{ id, clientId, kind, side, size: new Big(size), price: new Big(price) },
      ...{ filled: new Big(0), status: 'open', trades: [] },
      ...(twin && { twin }),
    }
    this.orders.push(order)
    if (this.rules.service === 'spot' && this.#locked().gt(this.#held)) {
      this.violations.push('open sales exceed what the bot holds')
    }
    return order
  }

  #fill(order: MemoryOrder, price: Big, most = order.size.minus(order.filled)): void {
    const size = order.kind === 'market' ? most : this.#reduced(order.side, most, true)
    if (size === undefined || size.lte(0)) {
      order.status = 'ended'
      return
    }
    const { symbol } = this.rules
    const trade: AccountTrade = {
      ...{ tradeId: `t${this.#nextId++}`, symbol, side: order.side, size: size.toFixed() },
      ...{ price: price.toFixed(), fee: '0', feeAsset: this.rules.quote, filledAt: Date.now() },
      ...{ exchangeOrderId: order.id, kind: 'order' },
    }
    order.trades.push(trade)
    this.#trades.push(trade)
    order.filled = order.filled.plus(size)
    const before = this.#held
    this.#held = order.side === 'buy' ? before.plus(size) : before.minus(size)
    if (!before.eq(0) && before.times(this.#held).lte(0)) this.#closed += 1
    if (order.filled.gte(order.size)) order.status = 'filled'
    if (this.rules.service === 'spot' && this.#held.lt(0)) this.violations.push('coins of the owner are sold')
  }
}

function reportOf({ id, status, trades }: MemoryOrder): OrderReport {
  const of = { open: 'OPEN', filled: 'FILLED', ended: 'CANCELED' } as const
  return { exchangeOrderId: id, status: of[status], executions: trades, reason: null }
}

/** Whether it is the target of an order that is also a stop: both lock the same coins. */
function isSecond({ kind, twin }: MemoryOrder): boolean {
  return kind === 'target' && twin !== undefined
}

function foundOf({ id: exchangeId, kind, status, filled, twin }: MemoryOrder): FoundLeg {
  const found = { exchangeId, reason: null }
  if (twin?.filled.gt(0)) return { ...found, state: 'triggered', orderId: twin.id, isTarget: true }
  if (status === 'open') return { ...found, state: filled.gt(0) ? 'filling' : 'open' }
  if (filled.lte(0)) return { ...found, state: 'ended', reason: 'Somebody cancelled it.' }
  return {
    ...found,
    state: 'triggered',
    orderId: exchangeId,
    ...(kind === 'target' && { size: filled.toFixed() }),
  }
}
