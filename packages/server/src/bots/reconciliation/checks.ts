import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { isDatabaseAway } from '../../base/failures.ts'
import { Semaphore } from '../../base/semaphore.ts'
import { isDeadSql, type Node } from '../../db/node.ts'
import { bots } from '../../db/schema.ts'
import { NoSuchMarket, VenueUnreachable } from '../../market/price-source.ts'
import type { ClosableVenue } from '../closable-venue.ts'
import { BotLost } from '../held-bot.ts'
import type { HeldBot } from '../inbox.ts'
import type { SymbolQueues } from '../symbol-queues.ts'
import type { AccountEquities } from './account-equity.ts'
import type { Funding } from './funding.ts'
import { type AccountVenue, type Place, Reconciler, type ReconcilerParts } from './reconciler.ts'

export type ChecksParts = ReconcilerParts & {
  node: Pick<Node, 'id'>
  openVenue(bot: HeldBot): Promise<ClosableVenue>
  onError(error: unknown, botId: number): void
  /** Books funding payments. Default: nobody does. */
  funding?: Pick<Funding, 'update'>
  /** Reads what accounts are worth. Default: nobody does. */
  equities?: Pick<AccountEquities, 'update'>
  timing?: Partial<Timing>
}

export type Timing = {
  /** How often each bot is compared with its account. */
  everyMs: number
  /** Between the readings that a difference must survive. */
  pauseMs: number
  /** How often this node looks for bots to compare. */
  lookMs: number
  /** For so long, a reading of a symbol's open orders serves all bots of the account. */
  ordersMs: number
  /** For so long, a reading of an account serves all bots and symbols of it. */
  freshMs: number
}

const defaultTiming: Timing = {
  everyMs: 60_000,
  pauseMs: 3_000,
  lookMs: 5_000,
  ordersMs: 55_000,
  freshMs: 5_000,
}

/** A difference counts if so many readings show it. */
const readings = 3
/** So many bots are compared at the same time on a node. */
const mostAtOnce = 4
/** After a start, the first comparisons of all bots are this far apart. */
const betweenBotsMs = 50

/** Decides when the books of which bot are compared with its account, and does it. */
export class ReconciliationChecks {
  #parts: ChecksParts
  #timing: Timing
  #reconciler: Reconciler
  #places = new Semaphore(mostAtOnce)
  /** When each bot is compared next, by `performance.now()`. */
  #nextMs = new Map<number, number>()
  #lookMs = Number.NEGATIVE_INFINITY

  constructor(parts: ChecksParts) {
    this.#parts = parts
    this.#timing = { ...defaultTiming, ...parts.timing }
    this.#reconciler = new Reconciler(parts)
  }

  /** The bots that this node should compare now. */
  async due(): Promise<number[]> {
    const now = performance.now()
    const { everyMs, lookMs } = this.#timing
    if (now - this.#lookMs < lookMs) return []
    // After a start, it does not matter when the last comparison was.
    const isFirst = this.#lookMs === Number.NEGATIVE_INFINITY
    const ids = await this.#parts.store.due(this.#isFree(), isFirst ? 0 : everyMs / 2)
    this.#lookMs = now
    for (const [place, id] of ids.entries()) {
      if (!this.#nextMs.has(id)) this.#nextMs.set(id, now + Math.min(place * betweenBotsMs, everyMs))
    }
    const wanted = new Set(ids)
    for (const id of this.#nextMs.keys()) if (!wanted.has(id) && !isFirst) this.#forget(id, now)
    const due = ids.filter((id) => this.#nextMs.get(id)! <= now)
    for (const id of due) this.#nextMs.set(id, now + everyMs)
    return due
  }

  /** A bot that was not due is due again in its own time, but one that is gone needs no place. */
  #forget(id: number, now: number): void {
    if (this.#nextMs.get(id)! < now - 2 * this.#timing.everyMs) this.#nextMs.delete(id)
  }

  /**
   * Compares all symbols of a bot that this node holds. A symbol with a signal in progress is left out: its signal
   * settles first.
   * @throws {BotLost} if another node holds the bot. All other errors go to `onError`.
   */
  async check(
    bot: HeldBot,
    turns: Pick<SymbolQueues, 'isBusy' | 'inTurn'>,
    stop: AbortSignal,
  ): Promise<void> {
    if (bot.mode !== 'live' || bot.connectionId === null) return
    const release = await this.#places.acquire()
    try {
      if (!stop.aborted) await this.#withVenue(bot, (venue) => this.#checkAll(bot, venue, turns, stop))
    } catch (error) {
      await this.#handle(bot, await this.#symbolsKnown(bot), error)
    } finally {
      release()
    }
  }

  /** Compares one symbol, until a difference counts. The caller has its turn, and holds the bot. @throws like `check` */
  async compareNow(bot: HeldBot, symbol: string): Promise<void> {
    if (bot.mode !== 'live' || bot.connectionId === null) return
    try {
      await this.#withVenue(bot, async (venue) => {
        const place = await this.#placeOf(bot, venue)
        for (let reading = 1; reading <= readings; reading++) {
          if (reading > 1) await sleep(this.#timing.pauseMs, undefined, { ref: false })
          const attempt = { isLast: reading === readings, notBeforeMs: performance.now() }
          if ((await this.#reconciler.compare(place, symbol, attempt)) === 'done') return
        }
      })
    } catch (error) {
      await this.#handle(bot, [symbol], error)
    }
  }

  async #checkAll(
    bot: HeldBot,
    venue: AccountVenue,
    turns: Pick<SymbolQueues, 'isBusy' | 'inTurn'>,
    stop: AbortSignal,
  ): Promise<void> {
    const place = await this.#placeOf(bot, venue)
    await this.#aside(bot, () => this.#parts.equities?.update(place))
    let open = await this.#symbolsOf(bot, venue)
    for (const symbol of await this.#parts.store.watchedSymbols(bot.id)) {
      if (stop.aborted) return
      const notBeforeMs = performance.now() - this.#timing.ordersMs
      await this.#aside(bot, () => this.#reconciler.readOrders(place, symbol, notBeforeMs))
    }
    for (let reading = 1; reading <= readings && open.length > 0; reading++) {
      if (reading > 1)
        await sleep(this.#timing.pauseMs, undefined, { signal: stop, ref: false }).catch(() => undefined)
      const notBeforeMs = performance.now() - (reading === 1 ? this.#timing.freshMs : 0)
      // Outside of the turns, so that no signal waits for the exchange's answer.
      await this.#reconciler.readAhead(place, open[0]!.includes(':') ? 'futures' : 'spot', notBeforeMs)
      const unsure: string[] = []
      for (const symbol of open) {
        if (stop.aborted) return
        if (turns.isBusy(symbol)) continue
        const attempt = { isLast: reading === readings, notBeforeMs }
        const verdict = await turns.inTurn(symbol, () => this.#compareOne(place, symbol, attempt))
        if (verdict === 'unsure') unsure.push(symbol)
        else await this.#aside(bot, () => this.#parts.funding?.update(place, symbol))
      }
      open = unsure
    }
  }

  /** An error with one symbol does not keep the others from being compared. */
  async #compareOne(place: Place, symbol: string, attempt: { isLast: boolean; notBeforeMs: number }) {
    try {
      return await this.#reconciler.compare(place, symbol, attempt)
    } catch (error) {
      await this.#handle(place.bot, [symbol], error)
      return 'done'
    }
  }

  /** The comparison counts even if the exchange does not answer another question now. */
  async #aside(bot: HeldBot, ask: () => Promise<void> | undefined): Promise<void> {
    try {
      await ask()
    } catch (error) {
      if (error instanceof NoSuchMarket || error instanceof VenueUnreachable) return
      await this.#handle(bot, [], error)
    }
  }

  async #handle(bot: HeldBot, symbols: readonly string[], error: unknown): Promise<void> {
    if (error instanceof BotLost || isDatabaseAway(error)) throw error
    // The exchange does not list the symbol any more: there is nothing to compare.
    if (error instanceof NoSuchMarket) return
    if (!(error instanceof VenueUnreachable)) return this.#parts.onError(error, bot.id)
    this.#nextMs.set(bot.id, performance.now() + this.#timing.everyMs / 4)
    if (symbols.length > 0) await this.#parts.writing.noteUnreachable(bot, symbols, error.message)
  }

  async #symbolsKnown({ id }: HeldBot): Promise<string[]> {
    return this.#parts.store.symbolsOf(id).catch(() => [])
  }

  /** The symbols that the bot has or had a position in, and those that its settings name, by the venue's names. */
  async #symbolsOf({ id, settings }: HeldBot, venue: AccountVenue): Promise<string[]> {
    const symbols = new Set(await this.#parts.store.symbolsOf(id))
    for (const spelling of settings.symbols) {
      try {
        symbols.add((await venue.rules(spelling)).symbol)
      } catch (error) {
        if (!(error instanceof NoSuchMarket)) throw error
      }
    }
    return [...symbols]
  }

  async #placeOf(bot: HeldBot, venue: AccountVenue): Promise<Place> {
    return { bot, venue, accountBots: await this.#parts.store.botsOfAccount(bot) }
  }

  async #withVenue(bot: HeldBot, use: (venue: AccountVenue) => Promise<void>): Promise<void> {
    const venue = await this.#parts.openVenue(bot)
    try {
      const { account } = venue
      if (account !== undefined) await use({ ...venue, account })
    } finally {
      await venue.close?.()
    }
  }

  #isFree() {
    const { id } = this.#parts.node
    return sql`(${bots.holder} is null or ${bots.holder} = ${id}::uuid or ${sql.raw(isDeadSql('"bots"."holder"'))})`
  }
}
