import { decimal, plain, zero } from '../../base/decimals.ts'
import type { PositionMargin } from '../../db/schema.ts'
import { NoSuchMarket, VenueUnreachable } from '../../market/price-source.ts'
import type { MarketRules } from '../../market/rules.ts'
import type { AccountReader, AccountTrade } from '../../trading/account.ts'
import type { LegVenue } from '../../trading/protection/leg-venue.ts'
import { type Comparison, compareFutures, compareSpot, outsideTrades } from '../../trading/reconcile.ts'
import type { BookingTerms, Books, OrderRequest, Venue } from '../../trading/types.ts'
import type { HeldBot } from '../inbox.ts'
import type { LegKeeper } from '../legs/keeper.ts'
import type { BookedOutside } from '../outside-fills.ts'
import { type OrdersSeen, ordersSeen } from './open-orders.ts'
import { AccountReadings } from './readings.ts'
import { bookedText, differenceText, unknownOrdersText } from './sentences.ts'
import { type BooksState, overlapMs, type Reconciliation, type ReconciliationStore } from './store.ts'
import type { ReconciliationWriting, Result } from './writing.ts'

export type AccountVenue = Venue & { account: AccountReader; legs?: LegVenue | undefined }

export type ReconcilerParts = {
  store: ReconciliationStore
  writing: ReconciliationWriting
  openBooks(bot: HeldBot): Books
  /** Says whether no stop at the exchange explains trades of no known order. Default: there are no stops. */
  legs?: Pick<LegKeeper, 'areQuiet'>
}

/** Where a comparison takes place. */
export type Place = { bot: HeldBot; venue: AccountVenue; accountBots: readonly number[] }

/** `isLast`: a difference counts now. Before that, it may be something that happens at this moment. */
type Attempt = { isLast: boolean; notBeforeMs: number }

/** `unsure`: the account must be read again. */
export type Verdict = 'done' | 'unsure'

/** No exchange gives older trades reliably, and a position is seldom older. */
const longestHistoryMs = 90 * 86_400_000

/** Compares the books of bots with their accounts, and writes what follows. It never sends an order. */
export class Reconciler {
  #parts: ReconcilerParts
  #readings = new AccountReadings()

  constructor(parts: ReconcilerParts) {
    this.#parts = parts
  }

  /**
   * Reads what all symbols of an account have in common. A comparison can use it for a few seconds.
   * @throws {VenueUnreachable}
   */
  async readAhead({ bot, venue }: Place, service: 'spot' | 'futures', notBeforeMs: number): Promise<void> {
    await this.#readings[service === 'spot' ? 'balances' : 'positions'](
      bot.connectionId ?? 0,
      venue.account,
      notBeforeMs,
    )
  }

  /**
   * Reads the open orders of a symbol for the next comparisons, unless it did so a moment ago.
   * @throws {VenueUnreachable}
   */
  readOrders({ bot, venue }: Place, symbol: string, notBeforeMs: number): Promise<void> {
    return this.#readings.readOrders(bot.connectionId ?? 0, venue.account, symbol, notBeforeMs)
  }

  /**
   * Compares one symbol. The caller has its turn: no signal of the symbol is in progress.
   * @throws {VenueUnreachable} if the account cannot be read: then nothing is decided
   * @throws {BotLost} if another node holds the bot
   */
  async compare(place: Place, symbol: string, attempt: Attempt): Promise<Verdict> {
    const { store } = this.#parts
    const { bot, venue, accountBots } = place
    const rules = await venue.rules(symbol)
    const account = await this.#accountSize(place, rules, attempt.notBeforeMs)
    const state = await store.read(bot.id, symbol, accountBots)
    // The order changes the books as soon as its signal continues. Until then, sizes say nothing.
    if (state.isUnsettled) return 'done'
    const orders = await this.#ordersSeen(place, symbol, state)
    const { size: accountSize, margin } = account
    if (margin !== null) await this.#parts.writing.noteMargin(bot, symbol, state.size, margin)
    const seen = { state, accountSize, margin, outside: [] as AccountTrade[], orders }
    const first = await this.#compared(place, rules, seen)
    const isFirst = state.last === undefined && state.openedAt === null
    if (first.verdict === 'agrees' || isFirst) return this.#conclude(place, rules, seen, first, attempt)
    const trades = await venue.account.tradesSince(symbol, sinceOf(state))
    // After the trades: what a stop has executed until then, it has become an order for.
    if ((await this.#parts.legs?.areQuiet(bot, venue, symbol)) === false) return 'unsure'
    // An order that was placed meanwhile is in the books by now, or it is unsettled.
    const now = await store.read(bot.id, symbol, accountBots)
    if (now.isUnsettled) return 'done'
    const known = await store.known(bot, symbol, accountBots, trades)
    const outside = outsideTrades(trades, known).flatMap((trade) => without(trade, known.booked))
    if (outside.length > 0 && (await this.#findLost(place, rules, sinceOf(state)))) return 'unsure'
    const read = { state: now, accountSize, margin, outside, orders }
    return this.#conclude(
      place,
      rules,
      read,
      await this.#compared(place, rules, read),
      attempt,
      account.entry,
    )
  }

  async #accountSize({ bot, venue }: Place, { symbol, service, base }: MarketRules, notBeforeMs: number) {
    const connectionId = bot.connectionId ?? 0
    if (service === 'spot') {
      const balances = await this.#readings.balances(connectionId, venue.account, notBeforeMs)
      const total = balances.find(({ asset }) => asset === base)?.total ?? '0'
      return { size: plain(decimal(total)), entry: null, margin: null }
    }
    const positions = await this.#readings.positions(connectionId, venue.account, notBeforeMs)
    const own = positions.filter((position) => position.symbol === symbol)
    const size = own.reduce(
      (sum, { side, size }) => (side === 'long' ? sum.plus(decimal(size)) : sum.minus(decimal(size))),
      zero,
    )
    const [only] = own
    if (only === undefined || own.length > 1) return { size: plain(size), entry: null, margin: null }
    const { entryPrice: entry, leverage, marginMode: mode, liquidationPrice } = only
    return { size: plain(size), entry, margin: { leverage, mode, liquidationPrice } }
  }

  /** What the last reading of open orders says; before a reading, what the last comparison said. */
  async #ordersSeen({ bot, accountBots }: Place, symbol: string, state: BooksState): Promise<OrdersSeen> {
    const { last, size } = state
    const isWatched = !decimal(size).eq('0') || last?.differsSince != null
    if (!isWatched) return { openOrders: null, unknownOrders: [] }
    const listed = this.#readings.ordersOf(bot.connectionId ?? 0, symbol)
    if (listed === undefined) {
      return { openOrders: last?.openOrders ?? null, unknownOrders: last?.unknownOrders ?? [] }
    }
    return ordersSeen(bot.id, listed, await this.#parts.store.ordersAmong(listed, accountBots))
  }

  async #compared({ bot, accountBots }: Place, rules: MarketRules, seen: Seen): Promise<Comparison> {
    const { state, accountSize, outside } = seen
    const { sizeStep, service, base, symbol } = rules
    if (service === 'futures') {
      const ignoredSize = plain(decimal(state.last?.ignoredSize ?? '0'))
      return compareFutures({ booksSize: state.size, ignoredSize, accountSize, outside, sizeStep })
    }
    const all = await this.#parts.store.holdings(accountBots, base)
    const holdings = all.filter((one) => one.symbol === symbol)
    const elsewhere = all
      .filter((one) => one.symbol !== symbol)
      .reduce((sum, one) => sum.plus(decimal(one.size)), zero)
    if (!holdings.some(({ botId }) => botId === bot.id)) {
      // A bot without a holding has nothing to lose.
      return { verdict: 'agrees', executions: [], ignoredSize: '0', difference: '0' }
    }
    const sizes = { holdings, elsewhere: plain(elsewhere), total: accountSize, outside, sizeStep }
    return compareSpot({ botId: bot.id, ...sizes })
  }

  async #conclude(
    place: Place,
    rules: MarketRules,
    seen: Seen,
    found: Comparison,
    attempt: Attempt,
    entryPrice: string | null = null,
  ): Promise<Verdict> {
    const { state, accountSize } = seen
    const { verdict, ignoredSize } = found
    const common = { place, rules, seen, accountSize, ignoredSize }
    if (verdict === 'agrees') return this.#write({ ...common, executions: [] })
    if (verdict === 'explained') return this.#write({ ...common, executions: found.executions })
    if (!attempt.isLast) return 'unsure'
    if (verdict === 'unrelated') return this.#write({ ...common, executions: [] })
    if (state.decision?.type === 'IGNORED' && rules.service === 'futures') {
      const ignored = plain(decimal(ignoredSize).plus(decimal(found.difference)))
      return this.#write({ ...common, ignoredSize: ignored, executions: [], isDecided: true })
    }
    if (state.decision?.type === 'ADOPTED') {
      const executions = await this.#adoption(common, found, state.decision.id, entryPrice)
      return this.#write({ ...common, executions, isDecided: true })
    }
    return this.#writeDifference(common, found)
  }

  /** The execution that makes the books equal to the account. */
  async #adoption(
    { place, rules, seen }: Common,
    { difference }: Comparison,
    decisionId: number,
    entryPrice: string | null,
  ): Promise<BookedOutside[]> {
    const change = adoptedChange(seen.state.size, difference, rules.service)
    if (change.eq('0')) return []
    const after = decimal(seen.state.size).plus(change)
    // A smaller position keeps its entry price, so the change happens at the current price.
    const isSmaller = after.abs().lt(decimal(seen.state.size).abs()) && !after.times(seen.state.size).lt('0')
    const price =
      isSmaller || entryPrice === null || !decimal(entryPrice).gt('0')
        ? await place.venue.price(rules.symbol)
        : entryPrice
    const { quote } = rules
    return [
      {
        ...{ tradeId: `adopted-${decisionId}`, price, fee: '0', feeAsset: quote, filledAt: Date.now() },
        side: change.gt('0') ? 'buy' : 'sell',
        size: plain(change.abs()),
        kind: 'adopted',
      },
    ]
  }

  /** The sizes agree after these executions. */
  async #write(agreement: Agreement): Promise<Verdict> {
    const { place, rules, seen, accountSize, ignoredSize, executions, isDecided = false } = agreement
    const { last, size } = seen.state
    const { symbol, base, quote, service } = rules
    const { orders, state } = seen
    const reason = unknownOrdersText(orders.unknownOrders)
    // A decision is about sizes. After it is carried out, an event follows it.
    const isNewReason =
      last?.unknownOrders.join() !== orders.unknownOrders.join() || state.decision !== undefined
    const isNewDifference = reason !== null && (last?.differsSince == null || isNewReason)
    const booked = executions.length > 0
    const event =
      reason === null || booked
        ? eventOf(executions, base, last?.differsSince ?? null)
        : isNewDifference && { type: 'DIFFERED' as const, text: reason }
    const result: Result = {
      symbol,
      booksSize: size,
      executions,
      terms: { base, quote, service, feeRates: await feeRatesOf(place.venue, rules, executions) },
      row: {
        ...orders,
        status: reason === null ? 'AGREES' : 'DIFFERS',
        accountSize,
        ignoredSize,
        // A decision is about everything up to now.
        knownUntil: new Date(isDecided ? Date.now() : knownUntil(seen, executions)),
        reason,
        differsSince: reason === null ? null : (last?.differsSince ?? new Date()),
      },
      ...(event && { event }),
      ...(isNewDifference && { isNewDifference }),
    }
    if (!(await this.#parts.writing.write(place.bot, result))) return 'unsure'
    if (booked && seen.margin !== null) {
      const held = decimal(accountSize).minus(ignoredSize)
      await this.#parts.writing.noteMargin(place.bot, symbol, plain(held), seen.margin)
    }
    return 'done'
  }

  async #writeDifference({ place, rules, seen, accountSize, ignoredSize }: Common, found: Comparison) {
    const { symbol, base, quote, service } = rules
    const { last, size } = seen.state
    const sizes = { base, booksSize: size, accountSize, ignoredSize }
    const { unknownOrders } = seen.orders
    const reason = [differenceText(sizes, found, service), unknownOrdersText(unknownOrders) ?? []]
      .flat()
      .join(' ')
    const isNew =
      last?.differsSince == null ||
      !isSame(last, { booksSize: size, accountSize, ignoredSize }) ||
      last.unknownOrders.join() !== unknownOrders.join()
    const result: Result = {
      symbol,
      booksSize: size,
      executions: [],
      terms: { base, quote, service, feeRates: {} },
      row: {
        ...seen.orders,
        status: 'DIFFERS',
        accountSize,
        ignoredSize,
        // The trades stay unknown: together with a later one, they may explain the difference.
        knownUntil: last?.knownUntil ?? new Date(seen.state.openedAt ?? Date.now()),
        reason,
        differsSince: last?.differsSince ?? new Date(),
      },
      ...(isNew && { event: { type: 'DIFFERED' as const, text: reason }, isNewDifference: true }),
    }
    return (await this.#parts.writing.write(place.bot, result)) ? 'done' : 'unsure'
  }

  /**
   * An order that the books gave up may have arrived after all. Then its trades are its own.
   * @returns whether it found one
   */
  async #findLost({ bot, venue }: Place, rules: MarketRules, since: number): Promise<boolean> {
    let isFound = false
    for (const lost of await this.#parts.store.lostOrders(bot.id, rules.symbol, since)) {
      const { clientOrderId, symbol, side, purpose, reduceOnly, size } = lost
      const request: OrderRequest = {
        clientOrderId,
        symbol,
        side,
        purpose,
        reduceOnly,
        size: plain(decimal(size)),
      }
      const outcome = await venue.lookUp(request)
      if (outcome.status !== 'found') continue
      const { base, quote, service } = rules
      const feeRates = await feeRatesOf(venue, rules, outcome.report.executions)
      await this.#parts
        .openBooks(bot)
        .report(clientOrderId, outcome.report, { base, quote, service, feeRates })
      isFound = true
    }
    return isFound
  }
}

type Seen = {
  state: BooksState
  accountSize: string
  margin: PositionMargin | null
  outside: AccountTrade[]
  orders: OrdersSeen
}
type Common = { place: Place; rules: MarketRules; seen: Seen; accountSize: string; ignoredSize: string }
type Numbers = { booksSize: string; accountSize: string; ignoredSize: string }
type Agreement = Common & { executions: readonly BookedOutside[]; isDecided?: true }

function isSame(last: Reconciliation, { booksSize, accountSize, ignoredSize }: Numbers): boolean {
  const pairs = [
    [last.booksSize, booksSize],
    [last.accountSize ?? '0', accountSize],
    [last.ignoredSize, ignoredSize],
  ] as const
  return pairs.every(([before, now]) => decimal(before).eq(decimal(now)))
}

/** Since when the books may lack trades. */
function sinceOf({ last, openedAt }: BooksState): number {
  const known = last?.knownUntil.getTime() ?? openedAt ?? Date.now()
  return Math.max(known, Date.now() - longestHistoryMs)
}

/**
 * From when the next comparison reads trades. The exchange may list a trade late, so it begins a while earlier. But a
 * trade that was seen and changed nothing must not explain a later difference.
 */
function knownUntil({ state, outside }: Seen, executions: readonly BookedOutside[]): number {
  if (state.last === undefined && state.openedAt === null) return Date.now()
  const booked = new Set(executions.map(({ tradeId }) => tradeId))
  const unbooked = outside.filter(({ tradeId }) => !booked.has(tradeId)).map(({ filledAt }) => filledAt + 1)
  return Math.max(sinceOf(state), Date.now() - overlapMs, ...unbooked)
}

/** The rest of a trade of which other bots have booked a part. */
function without(trade: AccountTrade, booked: ReadonlyMap<string, string>): AccountTrade[] {
  const part = booked.get(trade.tradeId)
  if (part === undefined) return [trade]
  const size = decimal(trade.size).minus(decimal(part))
  if (!size.gt('0')) return []
  const fee = decimal(trade.fee).times(size).div(decimal(trade.size)).round(18)
  return [{ ...trade, size: plain(size), fee: plain(fee) }]
}

/** On spot, the books of the bot give up what the account lacks, but at most what they hold. */
function adoptedChange(booksSize: string, difference: string, service: 'spot' | 'futures') {
  const change = decimal(difference)
  if (service === 'futures') return change
  const held = decimal(booksSize)
  return change.abs().gt(held) ? held.neg() : change
}

function eventOf(executions: readonly BookedOutside[], base: string, differsSince: Date | null) {
  if (executions.length > 0) return { type: 'BOOKED' as const, text: bookedText(base, executions) }
  if (differsSince === null) return undefined
  return { type: 'AGREED' as const, text: 'The books agree with the account again.' }
}

/** Prices of other assets in which fees were paid. An asset without a price is left out. */
async function feeRatesOf(
  venue: Venue,
  { base, quote }: MarketRules,
  executions: readonly { feeAsset: string }[],
): Promise<BookingTerms['feeRates']> {
  const rates: Record<string, string> = {}
  for (const asset of new Set(executions.map(({ feeAsset }) => feeAsset))) {
    if (asset === base || asset === quote) continue
    try {
      rates[asset] = await venue.price(`${asset}/${quote}`)
    } catch (error) {
      if (!(error instanceof NoSuchMarket || error instanceof VenueUnreachable)) throw error
    }
  }
  return rates
}
