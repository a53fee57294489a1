import { decimal } from '../../base/decimals.ts'
import { readRegistrations } from '../../catalogue/facts/ids.ts'
import type { Config } from '../../config.ts'
import type { CcxtAccount, CcxtOrder, CcxtTradedMarket } from '../../market/live/ccxt-trading.ts'
import { reasonOf } from '../../market/live/failure-reasons.ts'
import { rulesOf } from '../../market/live/market-rules.ts'
import { Symbols } from '../../market/live/symbols.ts'
import { type MarketVenue, NoSuchMarket, VenueUnreachable } from '../../market/price-source.ts'
import type { MarketRules } from '../../market/rules.ts'
import type { AccountReader } from '../account.ts'
import { wouldTakeReason } from '../entries/plan.ts'
import { liveEntryReason } from '../entries/settings.ts'
import type { LegVenue } from '../protection/leg-venue.ts'
import { whereKept } from '../protection/where-kept.ts'
import type {
  BestPrices,
  LookUpOutcome,
  MarginSetting,
  OrderReport,
  OrderRequest,
  PlaceOutcome,
  Side,
  Venue,
} from '../types.ts'
import { compareClocks, openAccount } from './account.ts'
import {
  readBalances,
  readFunding,
  readOpenOrders,
  readPositions,
  readTrades,
  unknownFacts,
} from './account-reader.ts'
import type { Credentials } from './credentials.ts'
import type { Dialect, EntryDialect, OrderQuery } from './dialects/dialect.ts'
import { dialectOf, entriesOf, whyNoLimits } from './dialects/index.ts'
import { unlessNotFound } from './dialects/lookups.ts'
import { LiveLegs } from './live-legs.ts'
import { marginOfOpening } from './margin.ts'
import { OrderReports, type ReportTimeouts } from './order-reports.ts'
import { isClockRefusal, verdictOf } from './outcomes.ts'
import { isPlanned } from './planned-order.ts'
import { type PreparedOrder, prepareOrder, queryOf } from './prepared-order.ts'
import { isForUsers, refusalReason, unknownReason, unsentReason } from './reasons.ts'
import { isCompleteAnswer, isEnded, reportOf } from './reports.ts'
import { requestLifeMs } from './request-life.ts'
import { SentRequests } from './sent-requests.ts'
import { isTemporary } from './temporary-errors.ts'

export type LiveVenueOptions = {
  venue: MarketVenue
  credentials: Credentials
  endpoints: Config['exchangeEndpoints']
  /** Returns the current price of one of the venue's symbols. @throws {VenueUnreachable} */
  price: Venue['price']
  /**
   * For this long after an order was sent, it does not count as absent if the exchange does not know it, in milliseconds.
   * At least as long as the exchange accepts a request that is on its way.
   */
  absentAfterMs?: number
  timeouts?: Partial<ReportTimeouts>
  /** The longest time for an answer, in milliseconds. */
  timeoutMs?: number
  /** Whether the credentials are of the exchange's demo or testnet. */
  isDemo?: boolean
}

/** Since when an order may have been sent, by `performance.now()`, and whether the exchange has said it does not exist. */
type SentOrder = { sinceMs: number; isAbsent: boolean }
type OpenAccount = { account: CcxtAccount; requests: SentRequests; symbols: Symbols }

const marketsMs = 3_600_000
/** The venue remembers this many orders. Older ones are long settled. */
const memoryLimit = 10_000

/**
 * An account at an exchange, through ccxt. It sends an order only once and never retries. A second call with the same
 * client order id looks up the first order.
 */
export class LiveVenue implements Venue {
  readonly kind = 'live'
  #options: LiveVenueOptions
  #label: string
  #opening: Promise<OpenAccount> | undefined
  #readMs = Number.NEGATIVE_INFINITY
  #closed = false
  #placing = new Map<string, Promise<PlaceOutcome>>()
  #sent = new Map<string, SentOrder>()
  #reports: OrderReports

  constructor(options: LiveVenueOptions) {
    this.#options = options
    this.#reports = new OrderReports(options.price, options.timeouts)
    const { exchange, service } = options.venue
    const listed = readRegistrations().find((one) => one.exchange === exchange && one.service === service)
    this.#label = `${listed?.name ?? exchange} ${service}`
  }

  async rules(symbol: string): Promise<MarketRules> {
    this.#dialect()
    const open = await this.#open()
    await this.#refresh(open)
    const market = open.account.markets[open.symbols.resolve(symbol)] as CcxtTradedMarket
    return { ...rulesOf(market), ...this.#entries?.steps?.(market) }
  }

  price(symbol: string): Promise<string> {
    return this.#options.price(symbol)
  }

  get whyNoLimits(): string | null {
    return whyNoLimits(this.#options.venue)
  }

  bestPrices(symbol: string): Promise<BestPrices> {
    return this.#read(async (open) => {
      const entries = this.#entries
      if (entries === undefined) throw new NoSuchMarket(liveEntryReason)
      const { bid, ask } = await entries.bestPrices(open.account, this.#market(open, symbol))
      if ([bid, ask].every((price) => price !== '' && decimal(price).gt('0'))) return { bid, ask }
      throw new VenueUnreachable(`${this.#label} has no best bid and offer of ${symbol} now.`)
    })
  }

  place(order: OrderRequest, whyNotNow: () => string | null = () => null): Promise<PlaceOutcome> {
    const { clientOrderId } = order
    // The next look-up finds that the order was not sent. Then the bot can send it.
    if (this.#closed) return Promise.resolve({ status: 'unknown', reason: `${this.#label} is closed.` })
    const placing = this.#placing.get(clientOrderId)
    if (placing !== undefined) return placing
    const isSent = this.#sent.get(clientOrderId)?.isAbsent === false
    const outcome = (isSent ? this.#placedBefore(order) : this.#place(order, whyNotNow)).finally(() =>
      this.#placing.delete(clientOrderId),
    )
    this.#placing.set(clientOrderId, outcome)
    return outcome
  }

  async lookUp(order: OrderRequest): Promise<LookUpOutcome> {
    if (this.#placing.has(order.clientOrderId)) {
      return { status: 'unknown', reason: 'The order is being sent right now.' }
    }
    return this.#lookUp(order)
  }

  async #lookUp(order: OrderRequest): Promise<LookUpOutcome> {
    try {
      const context = await this.#contextOf(order)
      const askedMs = performance.now()
      const { query } = context
      const ended = this.#reports.ended(query.clientOrderId)
      const lookUp = find(context, order)
      const listed = await (ended === undefined ? lookUp : lookUp.catch(unlessTemporary))
      const found = isBehind(listed, ended) ? ended : listed
      if (found === undefined || !isPlanned(found, order, context)) return this.#notFound(order, askedMs)
      this.#remember(order.clientOrderId, askedMs)
      return { status: 'found', report: await this.#reported(context, order, found) }
    } catch (error) {
      await this.#adjustClock(error)
      return { status: 'unknown', reason: this.#lookUpReason(error) }
    }
  }

  async cancel(order: OrderRequest): Promise<void> {
    try {
      const context = await this.#contextOf(order)
      const { account } = context
      const found = await find(context, order)
      if (found?.id === undefined || isEnded(found) || !isPlanned(found, order, context)) return
      await account.cancelOrder(found.id, order.symbol)
    } catch {
      // The next look-up of the order shows whether the cancellation worked.
    }
  }

  marginOf(symbol: string, side: Side): Promise<MarginSetting> {
    return this.#read((open) => marginOfOpening({ ...open, market: this.#market(open, symbol) }, side))
  }

  /** Keeps stops at the exchange; `undefined` where the service only watches them. */
  get legs(): LegVenue | undefined {
    const { venue } = this.#options
    const dialect = dialectOf(venue.exchange)
    const legs = dialect?.legs?.[venue.service === 'spot' ? 'spot' : 'futures']
    if (legs === undefined || whereKept(venue).stop === 'service') return undefined
    return new LiveLegs({
      ...{ dialect: dialect!, legs, secrets: this.#secrets },
      absentAfterMs: this.#options.absentAfterMs ?? legs.requestLifeMs ?? requestLifeMs,
      open: async (symbol) => {
        const open = await this.#open()
        const market = this.#market(open, symbol)
        this.#heedRateLimit(open.requests)
        return { ...open, market }
      },
      adjustClock: (error) => this.#adjustClock(error),
      lookUpReason: (error) => this.#lookUpReason(error),
    })
  }

  /** Reads the account that the venue trades. */
  readonly account: AccountReader = {
    facts: () => this.#read(({ account, dialect }) => dialect.facts?.(account) ?? unknownFacts),
    positions: () => this.#read(({ account, dialect }) => readPositions(account, dialect)),
    balances: () => this.#read(({ account }) => readBalances(account)),
    openOrders: (symbol) => this.#read((open) => readOpenOrders(open.account, this.#market(open, symbol))),
    tradesSince: (symbol, since) =>
      this.#read((open) => readTrades(open.account, open.dialect, this.#market(open, symbol), since)),
    fundingSince: (symbol, since) =>
      this.#read((open) => readFunding(open.account, open.dialect, this.#market(open, symbol), since)),
    equity: () => this.#read(({ account, dialect }) => dialect.equity?.(account) ?? null),
  }

  /** @throws {VenueUnreachable} also while the exchange wants no requests, and if the answer is not readable */
  async #read<T>(ask: (open: OpenAccount & { dialect: Dialect }) => Promise<T> | T): Promise<T> {
    const dialect = this.#dialect()
    const open = await this.#open()
    this.#heedRateLimit(open.requests)
    try {
      return await ask({ ...open, dialect })
    } catch (error) {
      if (error instanceof NoSuchMarket || error instanceof VenueUnreachable) throw error
      await this.#adjustClock(error)
      throw new VenueUnreachable(`${this.#label} did not say what the account holds: ${reasonOf(error)}.`)
    }
  }

  /** @throws {VenueUnreachable} while the exchange wants no requests */
  #heedRateLimit({ quietMs }: SentRequests): void {
    if (quietMs > 0) throw new VenueUnreachable(`${this.#label} limits the rate of requests.`)
  }

  #market({ account }: OpenAccount, symbol: string): CcxtTradedMarket {
    const market = account.markets[symbol]
    if (market === undefined) throw new NoSuchMarket(`${this.#label} has no ${symbol}.`)
    return market
  }

  /** @throws {VenueUnreachable} also while the exchange wants no requests */
  async #contextOf(order: OrderRequest) {
    const dialect = this.#dialect()
    const { account, requests } = await this.#open()
    const market = account.markets[order.symbol]
    if (market === undefined) throw new NoSuchMarket(`${this.#label} has no ${order.symbol}.`)
    this.#heedRateLimit(requests)
    return { account, dialect, market, query: queryOf(order, market, dialect) }
  }

  /** Closes all connections and ends current requests. */
  async close(): Promise<void> {
    this.#closed = true
    const open = await this.#opening?.catch(() => undefined)
    await open?.account.close()
  }

  async #place(order: OrderRequest, whyNotNow: () => string | null): Promise<PlaceOutcome> {
    let prepared: Prepared
    try {
      prepared = await this.#prepare(order)
    } catch (error) {
      return this.#unsent(error)
    }
    const { account, requests, dialect, send } = prepared
    if (requests.quietMs > 0) return busy(`${this.#label} limits the rate of requests.`, requests)
    const obstacle = whyNotNow()
    if (obstacle !== null) return { status: 'unknown', reason: obstacle }
    this.#remember(order.clientOrderId, performance.now())
    const result = await requests.watch(send)
    this.#remember(order.clientOrderId, performance.now())
    if ('value' in result) {
      if (typeof result.value?.id !== 'string' || result.value.id === '') {
        return { status: 'unknown', reason: unknownReason(undefined, result.sent.status) }
      }
      return { status: 'placed', report: await this.#placed(prepared, order, result.value) }
    }
    const { error, sent } = result
    const verdict = verdictOf(error, sent, dialect)
    if (verdict === 'refused' || verdict === 'busy') {
      this.#sent.delete(order.clientOrderId)
      await this.#adjustClock(error)
      const { limit } = order
      if (limit?.postOnly === true && this.#entries?.wouldTake?.test(messageOf(error)) === true)
        return { status: 'refused', reason: wouldTakeReason(limit) }
      const reason = refusalReason(error, this.#secrets, dialect)
      const mayTryAgain = verdict === 'busy' || dialect.isOutdated?.(account, error) === true
      return mayTryAgain ? busy(reason, requests) : { status: 'refused', reason }
    }
    if (verdict === 'duplicate') return this.#duplicate(order, prepared, error)
    return { status: 'unknown', reason: unknownReason(error, sent.status) }
  }

  /** Nothing was sent. After a failure of the connection, the order can be sent later. */
  async #unsent(error: unknown): Promise<PlaceOutcome> {
    const dialect = dialectOf(this.#options.venue.exchange)
    const reason = unsentReason(error, this.#secrets, dialect)
    const mayTryAgain =
      error instanceof VenueUnreachable || isTemporary(error) || isClockRefusal(error, dialect)
    if (!mayTryAgain) return { status: 'refused', reason }
    const open = await this.#opening?.catch(() => undefined)
    if (open === undefined) return { status: 'busy', reason }
    await this.#adjustClock(error)
    return busy(reason, open.requests)
  }

  /** Everything that can fail before the order is sent. */
  async #prepare(order: OrderRequest): Promise<Prepared> {
    const dialect = this.#dialect()
    const { account, requests } = await this.#open()
    const market = account.markets[order.symbol]
    if (market === undefined) throw new NoSuchMarket(`${this.#label} has no ${order.symbol}.`)
    this.#heedRateLimit(requests)
    const price = () => this.#options.price(order.symbol)
    const prepared = await prepareOrder({ account, dialect, market, order, price, entries: this.#entries })
    return { account, requests, dialect, market, ...prepared }
  }

  /** If the exchange refused the time of a request, one of the two clocks was changed. */
  async #adjustClock(error: unknown): Promise<void> {
    if (!isClockRefusal(error, dialectOf(this.#options.venue.exchange))) return
    const open = await this.#opening?.catch(() => undefined)
    if (open !== undefined) await compareClocks(open.account)
  }

  /** The exchange has an order with this id: this one, whose answer was lost, or an older one. */
  async #duplicate(order: OrderRequest, prepared: Prepared, error: unknown): Promise<PlaceOutcome> {
    const { account, dialect, query } = prepared
    const found = await dialect.find(account, query).catch(() => undefined)
    if (found === undefined || isPlanned(found, order, prepared)) return this.#placedBefore(order)
    this.#sent.delete(order.clientOrderId)
    const words = refusalReason(error, this.#secrets)
    return { status: 'refused', reason: `${words} The exchange has another order with this id.` }
  }

  async #placedBefore(order: OrderRequest): Promise<PlaceOutcome> {
    const found = await this.#lookUp(order)
    if (found.status === 'found') return { status: 'placed', report: found.report }
    if (found.status === 'unknown') return found
    return { status: 'unknown', reason: 'The order was sent before, but the exchange does not know it.' }
  }

  /** An order that the exchange does not know may still arrive, or may not be in its lists yet. */
  #notFound({ clientOrderId, limit }: OrderRequest, askedMs: number): LookUpOutcome {
    const known = this.#sent.get(clientOrderId) ?? this.#remember(clientOrderId, askedMs)
    // An order that rests would go on resting.
    const lifeMs = limit === undefined ? undefined : this.#entries?.requestLifeMs
    const { absentAfterMs = lifeMs ?? requestLifeMs } = this.#options
    known.isAbsent = askedMs - known.sinceMs >= absentAfterMs
    if (known.isAbsent) return { status: 'absent' }
    return { status: 'unknown', reason: 'The exchange does not know the order yet.' }
  }

  /** The answer to placing says less than the order itself, unless it already contains every execution. */
  async #placed(prepared: Prepared, order: OrderRequest, placed: CcxtOrder): Promise<OrderReport> {
    const { account, dialect, market, query } = prepared
    if (isCompleteAnswer(placed)) return reportOf(market, placed, placed.trades ?? [])
    const found = await dialect.find(account, query).catch(() => undefined)
    // If the exchange accepts ids again, it may have found an older order.
    if (found === undefined || found.id !== placed.id)
      return reportOf(market, { ...placed, status: 'open' }, [])
    return this.#reported(prepared, order, found)
  }

  /** The report of an order. Of one with a limit, it also says that it has ended, and whether it would have taken others. */
  async #reported(
    context: Pick<Prepared, 'account' | 'dialect' | 'market' | 'query'>,
    { limit }: OrderRequest,
    found: CcxtOrder,
  ): Promise<OrderReport> {
    const report = await this.#reports.reportOf(context, found, limit !== undefined)
    if (limit === undefined || !isEnded(found)) return report
    if (report.status === 'OPEN') return { ...report, isEnding: true }
    const isUntouched = report.executions.length === 0 && report.totals === undefined
    const hasTaken = limit.postOnly && isUntouched && this.#entries?.hasTaken?.(found) === true
    return hasTaken ? { ...report, reason: wouldTakeReason(limit) } : report
  }

  get #entries(): EntryDialect | undefined {
    return entriesOf(this.#options.venue)
  }

  #remember(clientOrderId: string, sinceMs: number): SentOrder {
    const known = { sinceMs, isAbsent: false }
    this.#sent.set(clientOrderId, known)
    if (this.#sent.size > memoryLimit) this.#sent.delete(this.#sent.keys().next().value as string)
    return known
  }

  #dialect(): Dialect {
    const dialect = dialectOf(this.#options.venue.exchange)
    if (dialect === undefined) {
      throw new NoSuchMarket(
        `The service does not support live trading on ${this.#label}, because it could not look up orders there safely.`,
      )
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
      const { timeoutMs = account.timeout } = this.#options
      account.timeout = timeoutMs
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

  /** Size steps and minimums change now and then. If they cannot be read again, the old ones stay. */
  async #refresh(open: OpenAccount): Promise<void> {
    if (performance.now() - this.#readMs < marketsMs) return
    this.#readMs = performance.now()
    try {
      await open.account.loadMarkets(true)
      open.symbols = this.#symbolsOf(open.account)
    } catch {
      // The next attempt is in an hour.
    }
  }

  #lookUpReason(error: unknown): string {
    if (isForUsers(error)) return error.message
    return `${this.#label} did not say what became of the order: ${reasonOf(error)}.`
  }

  get #secrets(): string[] {
    return Object.values(this.#options.credentials)
  }
}

/** An order that the exchange made of a stop has only the id that the exchange gave it. */
function find(
  { account, dialect, query }: { account: CcxtAccount; dialect: Dialect; query: OrderQuery },
  { legOrderId, symbol, plannedAt }: OrderRequest,
): Promise<CcxtOrder | undefined> {
  if (legOrderId === undefined) return dialect.find(account, query)
  if (dialect.findMade !== undefined) return dialect.findMade(account, query, legOrderId, plannedAt)
  return unlessNotFound(() => account.fetchOrder(legOrderId, symbol))
}

/** Whether the listed order is older than the known end. An order that has ended does not open again. */
function isBehind(listed: CcxtOrder | undefined, ended: CcxtOrder | undefined): boolean {
  return ended !== undefined && (listed === undefined || (!isEnded(listed) && listed.filled === ended.filled))
}

/** If the exchange refuses the look-up, its last report of the order counts. */
function unlessTemporary(error: unknown): undefined {
  if (isTemporary(error)) throw error
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

function busy(reason: string, { quietMs }: { quietMs: number } = { quietMs: 0 }): PlaceOutcome {
  return { status: 'busy', reason, ...(quietMs > 0 ? { retryAfterMs: quietMs } : {}) }
}

type Prepared = Omit<OpenAccount, 'symbols'> & PreparedOrder & { dialect: Dialect; market: CcxtTradedMarket }
