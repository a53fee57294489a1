import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import type {
  BookedOrder,
  BookingTerms,
  Books,
  Clock,
  LookUpOutcome,
  OrderReport,
  OrderRequest,
  PlaceOutcome,
  Venue,
} from './types.ts'

/** How long to wait for what, in milliseconds on the given clock. */
export type Patience = {
  /** How long a venue has to say again and again that it has no such order before that is believed. */
  absentMs: number
  /** The same for an order that it did have: exchanges forget old orders. */
  forgottenMs: number
  /** How long a market that cannot be asked about is tried, for a signal that has ordered nothing yet. */
  marketMs: number
  /** How long a price is waited for that something is to be opened at. */
  priceMs: number
  /** How long an order that is not taken for the moment, as by a limit of requests, is tried again. */
  busyMs: number
  /** How long an order may be open, with nothing executed, before the venue is asked to end it. */
  openMs: number
  /** Between two questions about the same order: at first, and at the most. */
  firstPauseMs: number
  longestPauseMs: number
}

const defaultPatience: Patience = {
  absentMs: 10_000,
  forgottenMs: 600_000,
  marketMs: 30_000,
  priceMs: 10_000,
  busyMs: 120_000,
  openMs: 60_000,
  firstPauseMs: 250,
  longestPauseMs: 30_000,
}

export const haltedReason =
  'Nothing new is placed: trading is halted, or the bot, its exchange or its connection is switched off.'

/** Between questions about an order at first: most end soon. */
const shortPauseMs = 2_000
/** Until it is asked for less often: three quarters of a minute. */
const frequentQuestions = 25
/** Look-ups that have to say that there is no such order, however far apart they are. */
const leastAbsences = 3
/** How often a close that has certainly never arrived is sent, in one call. */
const sendingsAtMost = 3

export type OrderDeskOptions = {
  venue: Venue
  books: Books
  clock: Clock
  isHalted(): boolean | Promise<boolean>
  stop: AbortSignal
  signal: { botSignalId: number }
  /** Why an opening that was planned before must not be sent any more; `null` when it still may. */
  whyNotNow(order: OrderRequest, rules: MarketRules): Promise<string | null>
  patience?: Partial<Patience>
}

/**
 * Brings single orders to the venue and to their end. An order is in the books before it is sent, and is not sent
 * again before the venue has said often and long enough that it never got it.
 */
export class OrderDesk {
  readonly patience: Patience
  #options: OrderDeskOptions
  #sendings = new Map<string, number>()

  constructor(options: OrderDeskOptions) {
    this.#options = options
    this.patience = { ...defaultPatience, ...options.patience }
  }

  /** Waits before the next attempt, longer each time. @throws the reason of `stop`, when that is aborted */
  async pause(attempt: number, atMostMs = Infinity): Promise<void> {
    const { clock, stop } = this.#options
    await clock.sleep(Math.min(this.#pauseMs(attempt), atMostMs), stop)
    stop.throwIfAborted()
  }

  #pauseMs(attempt: number): number {
    const { firstPauseMs, longestPauseMs } = this.patience
    return Math.min(firstPauseMs * 2 ** attempt, longestPauseMs)
  }

  /** Plans and sends a new order. What became of it is in the books then, be it that nobody knows. */
  async place(order: OrderRequest, rules: MarketRules): Promise<void> {
    const { books, signal } = this.#options
    await books.plan(signal.botSignalId, order)
    await this.#send(order, rules)
  }

  /** Finds out what became of an order that was sent, or may have been: until it is final, or has never arrived. */
  async settle(order: BookedOrder, rules: MarketRules): Promise<void> {
    const isKnown = order.status === 'OPEN'
    const absence = new Absence(isKnown ? this.patience.forgottenMs : this.patience.absentMs)
    const stillness = new Stillness(this.patience.openMs, this.#options.clock)
    // Soon again while an absence is being confirmed, so that it is not believed later than it need be.
    const isDoubted = () => !isKnown && absence.isUnderWay
    for (let attempt = 0; ; attempt++) {
      // One that is open has just been heard of; what nobody knows is asked for at once.
      const isSoon = attempt < frequentQuestions || isDoubted()
      if (isKnown || attempt > 0) await this.pause(attempt, isSoon ? shortPauseMs : Infinity)
      const outcome = await this.#lookUp(order)
      if (outcome.status === 'found') {
        absence.end()
        await this.#report(order, outcome.report, rules)
        // Found: the books say from now on that it is open, and the next round of the caller polls it.
        if (outcome.report.status !== 'OPEN' || !isKnown) return
        if (stillness.isOver(outcome.report.executions.length)) await this.#cancel(order)
      } else if (outcome.status === 'absent') {
        if (outcome.isCertain === true || absence.isBelieved(this.#options.clock.now())) {
          return this.#missing(order, rules, outcome.isCertain === true)
        }
      }
    }
  }

  /** The order is certainly not there. A close is still needed; the moment of an opening may have passed. */
  async #missing(order: BookedOrder, rules: MarketRules, isCertain: boolean): Promise<void> {
    const { books } = this.#options
    if (order.status === 'OPEN') return this.#forgotten(order, rules)
    const reason = await this.#whyNotAgain(order, rules, isCertain)
    if (reason === null) await this.place(requestOf(order), rules)
    else await books.note(order.clientOrderId, 'REJECTED', `The order has never arrived. ${reason}`)
  }

  async #whyNotAgain(order: BookedOrder, rules: MarketRules, isCertain: boolean): Promise<string | null> {
    if ((this.#sendings.get(order.clientOrderId) ?? 0) >= sendingsAtMost) return 'It was sent often enough.'
    if (order.purpose === 'close') return null
    return isCertain ? this.#options.whyNotNow(order, rules) : 'What opens a position is not sent twice.'
  }

  /** What was executed is in the books already. */
  async #forgotten(order: BookedOrder, rules: MarketRules): Promise<void> {
    const reason = 'The exchange does not know the order any more.'
    await this.#report(order, { exchangeOrderId: null, status: 'CANCELED', executions: [], reason }, rules)
  }

  async #send(order: OrderRequest, rules: MarketRules): Promise<void> {
    const { books, isHalted } = this.#options
    if (await isHalted()) {
      await books.note(order.clientOrderId, 'REJECTED', haltedReason)
      return
    }
    this.#sendings.set(order.clientOrderId, (this.#sendings.get(order.clientOrderId) ?? 0) + 1)
    const outcome = await this.#placed(order, rules)
    if (outcome.status === 'placed') return this.#report(order, outcome.report, rules)
    const status = outcome.status === 'refused' ? 'REJECTED' : 'UNKNOWN'
    await books.note(order.clientOrderId, status, outcome.reason)
  }

  /** Sends it until the venue takes it or says more than that it is busy; in the books it is planned meanwhile. */
  async #placed(order: OrderRequest, rules: MarketRules): Promise<Exclude<PlaceOutcome, Busy>> {
    const { clock, stop, isHalted, whyNotNow } = this.#options
    const deadline = clock.now() + this.patience.busyMs
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#askToPlace(requestOf(order))
      if (outcome.status !== 'busy') return outcome
      const waitMs = Math.max(this.#pauseMs(attempt), outcome.retryAfterMs ?? 0)
      const refused = (why: string) => ({ status: 'refused' as const, reason: `${outcome.reason} ${why}` })
      if (clock.now() + waitMs > deadline) return refused('It was tried for long enough.')
      await clock.sleep(waitMs, stop)
      stop.throwIfAborted()
      if (await isHalted()) return { status: 'refused', reason: haltedReason }
      const whyNot = order.purpose === 'open' ? await whyNotNow(order, rules) : null
      if (whyNot !== null) return refused(whyNot)
    }
  }

  /** Whatever a venue throws, the order may have been placed. */
  async #askToPlace(order: OrderRequest): Promise<PlaceOutcome> {
    try {
      return await this.#options.venue.place(order)
    } catch (error) {
      return { status: 'unknown', reason: messageOf(error) }
    }
  }

  async #lookUp(order: BookedOrder): Promise<LookUpOutcome> {
    try {
      return await this.#options.venue.lookUp(requestOf(order))
    } catch (error) {
      return { status: 'unknown', reason: messageOf(error) }
    }
  }

  /** Its answer says nothing that the next look-up would not say better, be it lost or not. */
  async #cancel(order: BookedOrder): Promise<void> {
    await this.#options.venue.cancel(requestOf(order)).catch(() => undefined)
  }

  async #report(order: OrderRequest, report: OrderReport, rules: MarketRules): Promise<void> {
    const { base, quote, service } = rules
    const terms: BookingTerms = { base, quote, service, feeRates: await this.#feeRates(report, rules) }
    await this.#options.books.report(order.clientOrderId, report, terms)
  }

  /** Prices of what else fees were paid in, such as an exchange's own coin. None is no reason to wait with the books. */
  async #feeRates(report: OrderReport, rules: MarketRules): Promise<Record<string, string>> {
    const own = new Set([rules.base, rules.quote])
    const paid = report.totals === undefined ? report.executions : [...report.executions, report.totals]
    const assets = new Set(paid.map(({ feeAsset }) => feeAsset).filter((asset) => !own.has(asset)))
    const rates: Record<string, string> = {}
    for (const asset of assets) {
      try {
        rates[asset] = await this.#options.venue.price(`${asset}/${rules.quote}`)
      } catch (error) {
        if (!(error instanceof NoSuchMarket || error instanceof VenueUnreachable)) throw error
      }
    }
    return rates
  }
}

type Busy = { status: 'busy' }

/** For how long a venue has been saying that it has no such order. */
class Absence {
  #neededMs: number
  #since: number | undefined
  #times = 0

  constructor(neededMs: number) {
    this.#neededMs = neededMs
  }

  get isUnderWay(): boolean {
    return this.#since !== undefined
  }

  isBelieved(now: number): boolean {
    this.#since ??= now
    this.#times++
    return this.#times >= leastAbsences && now - this.#since >= this.#neededMs
  }

  end(): void {
    this.#since = undefined
    this.#times = 0
  }
}

/** For how long nothing has become of an order that is open. */
class Stillness {
  #patienceMs: number
  #clock: Clock
  #sinceMs: number
  #executions = 0

  constructor(patienceMs: number, clock: Clock) {
    this.#patienceMs = patienceMs
    this.#clock = clock
    this.#sinceMs = clock.now()
  }

  /** True once for each time that it was long enough. */
  isOver(executions: number): boolean {
    const isMoving = executions > this.#executions
    const isOver = !isMoving && this.#clock.now() - this.#sinceMs >= this.#patienceMs
    if (isOver || isMoving) this.#sinceMs = this.#clock.now()
    this.#executions = Math.max(this.#executions, executions)
    return isOver
  }
}

/** Without what the books added. */
function requestOf({ clientOrderId, symbol, side, purpose, reduceOnly, size }: OrderRequest): OrderRequest {
  return { clientOrderId, symbol, side, purpose, reduceOnly, size }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
