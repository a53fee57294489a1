import { decimal, zero } from '../base/decimals.ts'
import { given } from '../base/given.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import { wouldTake } from './entries/plan.ts'
import {
  type BookedOrder,
  type BookingTerms,
  type Books,
  type Clock,
  type LookUpOutcome,
  type OpeningRoom,
  type OrderReport,
  type OrderRequest,
  type PlaceOutcome,
  PlanRefused,
  type Sending,
  type Venue,
} from './types.ts'

/** How long the manager waits, in milliseconds on the given clock. */
export type Timeouts = {
  /** For this long, a venue must keep saying that it has no such order. Then the order counts as never arrived. */
  absentMs: number
  /** The same for an order that the venue had accepted. Longer, because exchanges forget old orders. */
  forgottenMs: number
  /** How long to try to read the rules of a market, for a signal that has placed no order yet. */
  marketMs: number
  /** How long an opening waits for a price. */
  priceMs: number
  /** How long to retry an order that the venue refuses temporarily, for example because of a rate limit. */
  busyMs: number
  /** How long an order may be open without an execution before the manager cancels it. */
  openMs: number
  /** From this age on, what an open opening has executed is protected. Most end sooner, and get one stop for all of it. */
  partMs: number
  /** The backoff between two requests for the same order: the first and the longest pause. */
  firstPauseMs: number
  longestPauseMs: number
  /** The backoff between two closes of a signal: after the first that executed nothing, the second, and so on. */
  closePausesMs: readonly number[]
}

const defaultTimeouts: Timeouts = {
  absentMs: 10_000,
  forgottenMs: 600_000,
  marketMs: 30_000,
  priceMs: 10_000,
  busyMs: 120_000,
  openMs: 60_000,
  partMs: 1_000,
  firstPauseMs: 250,
  longestPauseMs: 30_000,
  closePausesMs: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000],
}

/** The beginning of the reason of each order and signal that a halt has refused. */
export const haltedBeginning = 'The bot places no new orders'

/** @param why a sentence */
export function haltedReason(why: string): string {
  return `${haltedBeginning}. ${why}`
}

/** The longest pause between the first look-ups of an order. Most orders end soon. */
const shortPauseMs = 2_000
/** This many look-ups come with short pauses, which takes about 45 s. */
const frequentLookUps = 25
/** At least this many look-ups must say that the order does not exist. */
const leastAbsences = 3
/** How often one call sends a close that certainly never arrived. */
const mostSendings = 3

/** An order that is still open so long after it was cancelled is cancelled again. */
const cancelAgainMs = 2_000
/** Why an order that rested is over, if the bot has not cancelled it. */
const cancelledOutside = 'The order was cancelled at the exchange, and not by the bot.'

export type OrderManagerOptions = {
  venue: Venue
  books: Books
  clock: Clock
  whyHalted(purpose: OrderRequest['purpose']): string | null | Promise<string | null>
  stop: AbortSignal
  signal: { botSignalId: number }
  /** Why an opening that is already planned may no longer be sent; `null` if it may. */
  openingRefusal(order: OrderRequest, rules: MarketRules): Promise<string | null>
  /** Why the rest of an opening that is partly executed is no longer wanted; `null` if it is. Default: it always is. */
  whyCancelled?(): string | null | Promise<string | null>
  /** See `FollowSignal`. */
  protectPart?(symbol: string): Promise<void>
  timeouts?: Partial<Timeouts>
}

/**
 * Sends single orders to the venue and settles them. An order is in the books before it is sent. It is not sent again
 * until the venue has said, often and long enough, that it never received it.
 */
export class OrderManager {
  readonly timeouts: Timeouts
  #options: OrderManagerOptions
  #sendings = new Map<string, number>()

  constructor(options: OrderManagerOptions) {
    this.#options = options
    this.timeouts = { ...defaultTimeouts, ...options.timeouts }
  }

  /** Waits before the next attempt, longer each time. @throws the reason of `stop`, if that is aborted */
  async pause(attempt: number, mostMs = Infinity): Promise<void> {
    const { clock, stop } = this.#options
    await clock.sleep(Math.min(this.#pauseMs(attempt), mostMs), stop)
    stop.throwIfAborted()
  }

  #pauseMs(attempt: number): number {
    const { firstPauseMs, longestPauseMs } = this.timeouts
    return Math.min(firstPauseMs * 2 ** attempt, longestPauseMs)
  }

  /**
   * Plans and sends a new order. Afterwards the books have its outcome, or that the outcome is unknown.
   * @param room of a new opening; one that the books have already keeps its place
   * @returns why the books did not plan it; `null` if they did
   * @throws {PlanOutdated} if it must be planned again
   */
  async place(order: OrderRequest, rules: MarketRules, room?: OpeningRoom): Promise<string | null> {
    const { books, signal } = this.#options
    try {
      await books.plan(signal.botSignalId, order, room)
    } catch (error) {
      if (!(error instanceof PlanRefused)) throw error
      return error.message
    }
    await this.#send(order, rules)
    return null
  }

  /**
   * Looks up an order that was sent, or may have been, until it is final or has certainly never arrived.
   * @param why why it has just been cancelled, if it has been
   */
  async settle(order: BookedOrder, rules: MarketRules, why: string | null = null): Promise<void> {
    const isKnown = order.status === 'OPEN'
    const absence = new Absence(isKnown ? this.timeouts.forgottenMs : this.timeouts.absentMs)
    const inactivity = new Inactivity(this.timeouts.openMs, this.#options.clock)
    // Short pauses while the venue says that the order does not exist, so that it does not count as absent too late.
    const isMissing = () => !isKnown && absence.isUnderWay
    const isOpening = isKnown && order.purpose === 'open'
    let cancelledAt = this.#options.clock.now()
    let isFound = false
    for (let attempt = 0; ; attempt++) {
      // The venue has just reported an open order. An order with an unknown outcome is looked up at once. An opening is
      // looked up often for as long as it is open, because its stop follows it, and a close may wait for it.
      const isSoon = attempt < frequentLookUps || isMissing() || (isOpening && isFound)
      if ((isKnown && why === null) || attempt > 0)
        await this.pause(attempt, isSoon ? shortPauseMs : Infinity)
      const outcome = await this.#lookUp(order)
      isFound = outcome.status === 'found'
      if (outcome.status === 'found') {
        const { report } = outcome
        absence.end()
        await this.#report(order, explained(order, report, why), rules)
        // If the outcome was unknown, the books now have the order as open, and the next call polls it.
        if (report.status !== 'OPEN' || !isKnown) return
        const unwanted = isOpening && isStarted(report) ? await this.#options.whyCancelled?.() : null
        // The request to cancel it may have been lost.
        const isCancelLost = why !== null && this.#options.clock.now() - cancelledAt >= cancelAgainMs
        why ??= unwanted ?? null
        if (unwanted != null || isCancelLost || inactivity.isOver(report.executions.length)) {
          await this.#cancel(order)
          cancelledAt = this.#options.clock.now()
        }
      } else if (outcome.status === 'absent') {
        if (outcome.isCertain === true || absence.isBelieved(this.#options.clock.now())) {
          return this.#endAbsent(order, rules, outcome.isCertain === true)
        }
      }
      // Also while the exchange does not answer: the next look-up may take long.
      if (isOpening) await this.#protectPart(order)
    }
  }

  async #protectPart({ symbol, plannedAt = 0 }: BookedOrder): Promise<void> {
    const { clock, protectPart } = this.#options
    if (clock.now() - plannedAt >= this.timeouts.partMs) await protectPart?.(symbol)
  }

  /**
   * Looks once at an order that rests.
   * @param why why it must be cancelled now; `null`: it may go on. Then it is settled when this resolves
   * @returns whether it still rests
   */
  async rests(order: BookedOrder, rules: MarketRules, why: string | null): Promise<boolean> {
    // With a reason, an earlier process has begun to cancel it. Otherwise, if it has ended by now, it was not the bot.
    const decided = order.reason ?? why
    const outcome = order.reason === null ? await this.#lookUp(order) : null
    const report = outcome?.status === 'found' ? outcome.report : null
    if (report?.isEnding === true) {
      await this.settle(order, rules)
      return false
    }
    if (decided !== null && (report === null || report.status === 'OPEN')) {
      if (order.reason === null) await this.#options.books.noteCancelling(order.clientOrderId, decided)
      await this.#cancel(order)
      await this.settle(order, rules, decided)
      return false
    }
    if (report === null) return true
    const { status, executions, totals } = report
    const filled = executions.reduce((sum, { size }) => sum.plus(decimal(size)), zero)
    // Most looks find nothing new, and a report is a transaction.
    const isSame = totals === undefined && filled.eq(decimal(order.filledSize))
    if (status !== 'OPEN' || !isSame) await this.#report(order, explained(order, report, null), rules)
    if (status === 'OPEN') await this.#protectPart(order)
    return status === 'OPEN'
  }

  /** The order certainly never arrived. A close is still needed. An opening would now have another price. */
  async #endAbsent(order: BookedOrder, rules: MarketRules, isCertain: boolean): Promise<void> {
    const { books } = this.#options
    if (order.status === 'OPEN') return this.#forgotten(order, rules)
    const refusal = await this.#resendRefusal(order, rules, isCertain)
    const reason = refusal ?? (await this.place(requestOf(order), rules))
    if (reason !== null)
      await books.note(order.clientOrderId, 'REJECTED', `The order never arrived. ${reason}`)
  }

  async #resendRefusal(order: BookedOrder, rules: MarketRules, isCertain: boolean): Promise<string | null> {
    if ((this.#sendings.get(order.clientOrderId) ?? 0) >= mostSendings)
      return `It was sent ${mostSendings} times.`
    if (order.purpose === 'close') return null
    return isCertain
      ? this.#options.openingRefusal(order, rules)
      : 'An order that opens a position is not sent again.'
  }

  /** Ends an order that the exchange had accepted and no longer knows. Its executed part is already in the books. */
  async #forgotten(order: BookedOrder, rules: MarketRules): Promise<void> {
    const reason = 'The exchange no longer knows the order.'
    await this.#report(order, { exchangeOrderId: null, status: 'CANCELED', executions: [], reason }, rules)
  }

  async #send(order: OrderRequest, rules: MarketRules): Promise<void> {
    const { books, whyHalted } = this.#options
    const why = await whyHalted(order.purpose)
    if (why !== null) {
      await books.note(order.clientOrderId, 'REJECTED', haltedReason(why), null)
      return
    }
    this.#sendings.set(order.clientOrderId, (this.#sendings.get(order.clientOrderId) ?? 0) + 1)
    const { outcome, sending } = await this.#placed(order, rules)
    if (outcome.status === 'placed') return this.#report(order, outcome.report, rules, sending)
    const status = outcome.status === 'refused' ? 'REJECTED' : 'UNKNOWN'
    await books.note(order.clientOrderId, status, outcome.reason, sending)
  }

  /** Sends an order again while the venue is busy. Meanwhile, the order is `PLANNED` in the books. */
  async #placed(order: OrderRequest, rules: MarketRules): Promise<Placing> {
    const { clock, stop, whyHalted, openingRefusal } = this.#options
    const deadline = clock.now() + this.timeouts.busyMs
    for (let attempt = 0; ; attempt++) {
      const sentAt = clock.now()
      const outcome = await this.#askToPlace(requestOf(order))
      const sending = { sentAt, answeredAt: outcome.status === 'unknown' ? null : clock.now() }
      if (outcome.status !== 'busy') return { outcome, sending }
      const waitMs = Math.max(this.#pauseMs(attempt), outcome.retryAfterMs ?? 0)
      const refusal = (reason: string): Placing => ({ outcome: { status: 'refused', reason }, sending })
      const refused = (why: string) => refusal(`${outcome.reason} ${why}`)
      if (clock.now() + waitMs > deadline)
        return refused(`The bot tried for ${this.timeouts.busyMs / 1_000} s.`)
      await clock.sleep(waitMs, stop)
      stop.throwIfAborted()
      const why = await whyHalted(order.purpose)
      if (why !== null) return refusal(haltedReason(why))
      const obstacle = order.purpose === 'open' ? await openingRefusal(order, rules) : null
      if (obstacle !== null) return refused(obstacle)
    }
  }

  /** Never rejects. After an unexpected error, the order may have been placed, so the outcome is unknown. */
  async #askToPlace(order: OrderRequest): Promise<PlaceOutcome> {
    try {
      return await this.#options.venue.place(order)
    } catch (error) {
      return { status: 'unknown', reason: messageOf(error) }
    }
  }

  async #lookUp(order: BookedOrder): Promise<LookUpOutcome> {
    try {
      return await this.#options.venue.lookUp(askedOf(order))
    } catch (error) {
      return { status: 'unknown', reason: messageOf(error) }
    }
  }

  /** Ignores the answer: the next look-up says what became of the order. */
  async #cancel(order: BookedOrder): Promise<void> {
    await this.#options.venue.cancel(askedOf(order)).catch(() => undefined)
  }

  async #report(
    order: OrderRequest,
    report: OrderReport,
    rules: MarketRules,
    sending?: Sending,
  ): Promise<void> {
    const { base, quote, service } = rules
    const terms: BookingTerms = { base, quote, service, feeRates: await this.#feeRates(report, rules) }
    await this.#options.books.report(order.clientOrderId, report, terms, sending)
  }

  /** Prices of other assets in which fees were paid, such as an exchange's own coin. An asset without a price is left out. */
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
type Placing = { outcome: Exclude<PlaceOutcome, Busy>; sending: Sending }

/** Tracks for how long a venue has been saying that it has no such order. */
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

/** Tracks for how long nothing of an open order has been executed. */
class Inactivity {
  #timeoutMs: number
  #clock: Clock
  #sinceMs: number
  #executions = 0

  constructor(timeoutMs: number, clock: Clock) {
    this.#timeoutMs = timeoutMs
    this.#clock = clock
    this.#sinceMs = clock.now()
  }

  /** Whether the time is over. If so, it starts again. */
  isOver(executions: number): boolean {
    const isProgressing = executions > this.#executions
    const isOver = !isProgressing && this.#clock.now() - this.#sinceMs >= this.#timeoutMs
    if (isOver || isProgressing) this.#sinceMs = this.#clock.now()
    this.#executions = Math.max(this.#executions, executions)
    return isOver
  }
}

/** The report with why the order is over. @param why why the bot has cancelled it, if it has */
function explained({ limit }: OrderRequest, report: OrderReport, why: string | null): OrderReport {
  const { status } = report
  // Not every exchange says why a post-only order ended. If the bot has begun to cancel it, that is why.
  const reason = why !== null && wouldTake({ ...report, limit }) ? null : report.reason
  const outside = limit !== undefined && status === 'CANCELED' ? cancelledOutside : null
  return { ...report, reason: reason ?? (status === 'FILLED' ? null : (why ?? outside)) }
}

function isStarted({ executions, totals }: OrderReport): boolean {
  return executions.length > 0 || decimal(totals?.size ?? '0').gt('0')
}

/** The request without the fields that the books added. */
function requestOf(order: OrderRequest): OrderRequest {
  const { clientOrderId, symbol, side, purpose, reduceOnly, size } = order
  const { limit, plannedAt, margin, legOrderId } = order
  const rest = given({ limit, plannedAt, margin, legOrderId })
  return { clientOrderId, symbol, side, purpose, reduceOnly, size, ...rest }
}

/** The request with what the books know of it. */
function askedOf(order: BookedOrder): OrderRequest {
  return { ...requestOf(order), isKnown: order.status === 'OPEN' }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
