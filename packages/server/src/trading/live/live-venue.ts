import { decimal, one, plain } from '../../base/decimals.ts'
import { readRegistrations } from '../../catalogue/facts/ids.ts'
import type { Config } from '../../config.ts'
import { isCcxtError } from '../../market/live/ccxt-exchange.ts'
import type { CcxtAccount, CcxtOrder, CcxtTradedMarket } from '../../market/live/ccxt-trading.ts'
import { fromBase, rulesOf } from '../../market/live/market-rules.ts'
import { Symbols } from '../../market/live/symbols.ts'
import { reasonOf } from '../../market/live/words.ts'
import { type MarketVenue, NoSuchMarket, VenueUnreachable } from '../../market/price-source.ts'
import type { MarketRules } from '../../market/rules.ts'
import type { LookUpOutcome, OrderReport, OrderRequest, PlaceOutcome, Venue } from '../types.ts'
import { compareClocks, openAccount, requestLifeMs } from './account.ts'
import type { Credentials } from './credentials.ts'
import { type Dialect, dialectOf, type Wanted } from './dialects.ts'
import { OrderReports, type ReportPatience } from './order-reports.ts'
import { verdictOf } from './outcomes.ts'
import { isPassing } from './passing.ts'
import { isEnded, reportOf, tellsAll } from './reports.ts'
import { SentRequests } from './sent-requests.ts'
import { refusalReason, unknownReason } from './words.ts'

export type LiveVenueOptions = {
  venue: MarketVenue
  credentials: Credentials
  endpoints: Config['exchangeEndpoints']
  /** The current price of one of the venue's symbols. @throws {VenueUnreachable} */
  price: Venue['price']
  /**
   * How long after it was sent an order that the exchange does not know is not called absent, in milliseconds: at
   * least as long as the exchange takes a request to be on its way.
   */
  absentAfterMs?: number
  patience?: Partial<ReportPatience>
  /** How long an answer may take, in milliseconds. */
  timeoutMs?: number
  /** Requests do not wait for their turn, for an exchange that has no limits. */
  isUnlimited?: boolean
}

/** Since when an order may have been sent, as `performance.now()` tells it, and whether it has turned out not to be. */
type Known = { sinceMs: number; isAbsent: boolean }
type OpenAccount = { account: CcxtAccount; requests: SentRequests; symbols: Symbols }

const marketsMs = 3_600_000
/** How far from the last price an order may be executed that has to name one, as a part of it. */
const priceRoom = '0.02'
/** So many orders are remembered; older ones are long settled. */
const memoryLimit = 10_000

/**
 * An account at an exchange, through ccxt. An order is sent once: nothing here tries again, and a second call with the
 * same client order id looks up what became of the first one.
 */
export class LiveVenue implements Venue {
  readonly kind = 'live'
  #options: LiveVenueOptions
  #label: string
  #opening: Promise<OpenAccount> | undefined
  #readMs = Number.NEGATIVE_INFINITY
  #closed = false
  #placing = new Map<string, Promise<PlaceOutcome>>()
  #known = new Map<string, Known>()
  #reports: OrderReports

  constructor(options: LiveVenueOptions) {
    this.#options = options
    this.#reports = new OrderReports(options.price, options.patience)
    const { exchange, service } = options.venue
    const listed = readRegistrations().find((one) => one.exchange === exchange && one.service === service)
    this.#label = `${listed?.name ?? exchange} ${service}`
  }

  async rules(symbol: string): Promise<MarketRules> {
    this.#dialect()
    const open = await this.#open()
    await this.#refresh(open)
    return rulesOf(open.account.markets[open.symbols.resolve(symbol)] as CcxtTradedMarket)
  }

  price(symbol: string): Promise<string> {
    return this.#options.price(symbol)
  }

  place(order: OrderRequest): Promise<PlaceOutcome> {
    const { clientOrderId } = order
    // Whoever goes on with it later finds out that it was not sent, and may send it then.
    if (this.#closed) return Promise.resolve({ status: 'unknown', reason: `${this.#label} is closed.` })
    const placing = this.#placing.get(clientOrderId)
    if (placing !== undefined) return placing
    const isSent = this.#known.get(clientOrderId)?.isAbsent === false
    const outcome = (isSent ? this.#placedBefore(order) : this.#place(order)).finally(() =>
      this.#placing.delete(clientOrderId),
    )
    this.#placing.set(clientOrderId, outcome)
    return outcome
  }

  async lookUp(order: OrderRequest): Promise<LookUpOutcome> {
    if (this.#placing.has(order.clientOrderId)) {
      return { status: 'unknown', reason: 'The order is being sent at this moment.' }
    }
    return this.#lookUp(order)
  }

  async #lookUp(order: OrderRequest): Promise<LookUpOutcome> {
    try {
      const asked = await this.#asked(order)
      const askedMs = performance.now()
      const { account, dialect, wanted } = asked
      const ended = this.#reports.ended(wanted.clientOrderId)
      const asking = dialect.find(account, wanted)
      const told = await (ended === undefined ? asking : asking.catch(unlessPassing))
      const found = isBehind(told, ended) ? ended : told
      if (found === undefined) return this.#notFound(order, askedMs)
      this.#remember(order.clientOrderId, askedMs)
      return { status: 'found', report: await this.#reports.reportOf(asked, found) }
    } catch (error) {
      return { status: 'unknown', reason: this.#unanswered(error) }
    }
  }

  async cancel(order: OrderRequest): Promise<void> {
    try {
      const { account, dialect, wanted } = await this.#asked(order)
      const found = await dialect.find(account, wanted)
      if (found?.id !== undefined) await account.cancelOrder(found.id, order.symbol)
    } catch {
      // The exchange may have done it or not: whoever looks the order up finds out.
    }
  }

  /** @throws {VenueUnreachable} also while the exchange wants to be left alone */
  async #asked(order: OrderRequest) {
    const dialect = this.#dialect()
    const { account, requests } = await this.#open()
    const market = account.markets[order.symbol]
    if (market === undefined) throw new NoSuchMarket(`${this.#label} has no ${order.symbol}.`)
    if (requests.quietMs > 0) throw new VenueUnreachable(`${this.#label} asks for fewer requests.`)
    return { account, dialect, market, wanted: wantedOf(order, market, dialect) }
  }

  /** Ends all connections, and what is under way. */
  async close(): Promise<void> {
    this.#closed = true
    const open = await this.#opening?.catch(() => undefined)
    await open?.account.close()
  }

  async #place(order: OrderRequest): Promise<PlaceOutcome> {
    let prepared: Prepared
    try {
      prepared = await this.#prepare(order)
    } catch (error) {
      const status = error instanceof VenueUnreachable ? 'busy' : 'refused'
      return { status, reason: this.#unprepared(error) }
    }
    const { account, requests, dialect, send } = prepared
    if (requests.quietMs > 0) return busy(`${this.#label} asks for fewer requests.`, requests)
    this.#remember(order.clientOrderId, performance.now())
    const result = await requests.watch(send)
    this.#remember(order.clientOrderId, performance.now())
    if ('value' in result) {
      if (typeof result.value?.id !== 'string' || result.value.id === '') {
        return { status: 'unknown', reason: unknownReason(undefined, result.sent.status) }
      }
      return { status: 'placed', report: await this.#placed(prepared, result.value) }
    }
    const { error, sent } = result
    const verdict = verdictOf(error, sent, dialect)
    if (verdict === 'refused' || verdict === 'busy') {
      this.#known.delete(order.clientOrderId)
      // One of the two clocks was set.
      if (isCcxtError(error, 'InvalidNonce')) await compareClocks(account)
      const reason = refusalReason(error, this.#secrets)
      return verdict === 'busy' ? busy(reason, requests) : { status: 'refused', reason }
    }
    if (verdict === 'duplicate') return this.#placedBefore(order)
    return { status: 'unknown', reason: unknownReason(error, sent.status) }
  }

  /** All that can fail without anything being sent. */
  async #prepare(order: OrderRequest): Promise<Prepared> {
    const dialect = this.#dialect()
    const { account, requests } = await this.#open()
    const market = account.markets[order.symbol]
    if (market === undefined) throw new NoSuchMarket(`${this.#label} has no ${order.symbol}.`)
    rulesOf(market)
    const amount = fromBase(market, order.size)
    if (amount === undefined) {
      throw new NoSuchMarket(`${order.size} is no multiple of the size step of ${order.symbol}.`)
    }
    const isLimit = market.spot === true && order.side === 'buy' && dialect.spotBuys === 'limit'
    const last = isLimit || dialect.needsPrice ? await this.#options.price(order.symbol) : undefined
    const price = isLimit && last !== undefined ? worst(last) : last
    const wanted = wantedOf(order, market, dialect)
    const params = {
      clientOrderId: wanted.clientOrderId,
      ...(isLimit ? { timeInForce: 'IOC' } : {}),
      ...(dialect.needsPrice ? { slippage: priceRoom } : {}),
      ...(order.reduceOnly && market.contract === true ? { reduceOnly: true } : {}),
    }
    const type = isLimit ? 'limit' : 'market'
    const send = () => account.createOrder(order.symbol, type, order.side, amount, price, params)
    return { account, requests, dialect, market, wanted, send }
  }

  async #placedBefore(order: OrderRequest): Promise<PlaceOutcome> {
    const found = await this.#lookUp(order)
    if (found.status === 'found') return { status: 'placed', report: found.report }
    if (found.status === 'unknown') return found
    return { status: 'unknown', reason: 'The order was sent before, and the exchange does not have it.' }
  }

  /** What the exchange has not, it may still get: a request can be on its way, and its books behind. */
  #notFound({ clientOrderId }: OrderRequest, askedMs: number): LookUpOutcome {
    const known = this.#known.get(clientOrderId) ?? this.#remember(clientOrderId, askedMs)
    const { absentAfterMs = requestLifeMs } = this.#options
    known.isAbsent = askedMs - known.sinceMs >= absentAfterMs
    if (known.isAbsent) return { status: 'absent' }
    return { status: 'unknown', reason: 'The exchange does not know the order so far.' }
  }

  /** An answer to placing tells less than the order itself, unless it has every execution in it. */
  async #placed(prepared: Prepared, placed: CcxtOrder): Promise<OrderReport> {
    const { account, dialect, market, wanted } = prepared
    if (tellsAll(placed)) return reportOf(market, placed, placed.trades ?? [])
    const found = await dialect.find(account, wanted).catch(() => undefined)
    if (found === undefined) return reportOf(market, { ...placed, status: 'open' }, [])
    return this.#reports.reportOf(prepared, found)
  }

  #remember(clientOrderId: string, sinceMs: number): Known {
    const known = { sinceMs, isAbsent: false }
    this.#known.set(clientOrderId, known)
    if (this.#known.size > memoryLimit) this.#known.delete(this.#known.keys().next().value as string)
    return known
  }

  #dialect(): Dialect {
    const dialect = dialectOf(this.#options.venue.exchange)
    if (dialect === undefined) {
      throw new NoSuchMarket(`${this.#label} is not traded live: its orders could not be looked up safely.`)
    }
    return dialect
  }

  /** @throws {VenueUnreachable} */
  #open(): Promise<OpenAccount> {
    if (this.#closed) return Promise.reject(new VenueUnreachable(`${this.#label} is closed.`))
    if (this.#opening !== undefined) return this.#opening
    const opening = this.#openAccount()
    this.#opening = opening
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined
    })
    return opening
  }

  async #openAccount(): Promise<OpenAccount> {
    try {
      const account = await openAccount(this.#options)
      const { timeoutMs = account.timeout, isUnlimited = false } = this.#options
      account.timeout = timeoutMs
      account.enableRateLimit = !isUnlimited
      this.#readMs = performance.now()
      return { account, requests: new SentRequests(account), symbols: this.#symbolsOf(account) }
    } catch (error) {
      throw new VenueUnreachable(`${this.#label} cannot be reached: ${reasonOf(error)}.`)
    }
  }

  #symbolsOf(account: CcxtAccount): Symbols {
    const { venue } = this.#options
    const { commonCurrencies } = account
    const naming = { service: venue.service, label: this.#label, names: [venue.exchange], commonCurrencies }
    return new Symbols(Object.values(account.markets), naming)
  }

  /** Steps and minima change now and then; old ones are better than none. */
  async #refresh(open: OpenAccount): Promise<void> {
    if (performance.now() - this.#readMs < marketsMs) return
    this.#readMs = performance.now()
    try {
      await open.account.loadMarkets(true)
      open.symbols = this.#symbolsOf(open.account)
    } catch {
      // Asked again in an hour.
    }
  }

  #unprepared(error: unknown): string {
    const isOurs = error instanceof NoSuchMarket || error instanceof VenueUnreachable
    return isOurs ? error.message : `The order was not sent: ${reasonOf(error)}.`
  }

  #unanswered(error: unknown): string {
    if (error instanceof NoSuchMarket || error instanceof VenueUnreachable) return error.message
    return `${this.#label} does not tell what became of the order: ${reasonOf(error)}.`
  }

  get #secrets(): string[] {
    return Object.values(this.#options.credentials)
  }
}

function wantedOf(order: OrderRequest, market: CcxtTradedMarket, dialect: Dialect): Wanted {
  const { clientOrderId, symbol, size } = order
  return {
    clientOrderId: dialect.clientOrderId(clientOrderId),
    symbol,
    amount: fromBase(market, size) ?? size,
  }
}

/** An order that has ended does not open again: what is told after it is from another list, which knows less. */
function isBehind(told: CcxtOrder | undefined, ended: CcxtOrder | undefined): boolean {
  return ended !== undefined && (told === undefined || (!isEnded(told) && told.filled === ended.filled))
}

/** Where the exchange does not answer at all, what it has said before holds. */
function unlessPassing(error: unknown): undefined {
  if (isPassing(error)) throw error
}

function busy(reason: string, { quietMs }: SentRequests): PlaceOutcome {
  return { status: 'busy', reason, ...(quietMs > 0 ? { retryAfterMs: quietMs } : {}) }
}

/** The highest price that a buy may be executed at. */
function worst(price: string): string {
  return plain(decimal(price).times(one.plus(decimal(priceRoom))))
}

type Prepared = Omit<OpenAccount, 'symbols'> & {
  dialect: Dialect
  market: CcxtTradedMarket
  wanted: Wanted
  send: () => Promise<CcxtOrder>
}
