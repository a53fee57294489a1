import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway } from '../../base/failures.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Database } from '../../db/database.ts'
import type { Node } from '../../db/node.ts'
import type { Announce } from '../../live/changes.ts'
import { NoSuchMarket, VenueUnreachable } from '../../market/price-source.ts'
import type { LegVenue } from '../../trading/protection/leg-venue.ts'
import {
  isStop,
  type LegStep,
  type LegSteps,
  nextLegStep,
  type WantedLeg,
} from '../../trading/protection/legs.ts'
import { type WhereKept, whereKept } from '../../trading/protection/where-kept.ts'
import type { OrderRequest } from '../../trading/types.ts'
import type { ClosableVenue } from '../closable-venue.ts'
import { BotLost } from '../held-bot.ts'
import type { HeldBot } from '../inbox.ts'
import type { OrderSubscribers } from '../order-notifications.ts'
import type { Settled, WhichLegs } from '../stops-of-signal.ts'
import type { SymbolQueues } from '../symbol-queues.ts'
import { LegAnswers } from './answers.ts'
import { queueStopClose } from './closes.ts'
import { keyOf, legIdOf, requestOf } from './ids.ts'
import { MarketSteps } from './market-steps.ts'
import { LegMemory, type LegTiming, legTiming } from './memory.ts'
import { type LegChange, LegStore, type LegsRow, type StoredLeg } from './store.ts'
import { isPartTooSmall, UnprotectedTimes } from './unprotected.ts'
import { mustClose, wantedOf } from './wanted.ts'

export type LegKeeperParts = {
  database: Database
  node: Pick<Node, 'id' | 'mayWork'>
  catalogue: Pick<Catalogue, 'find'>
  openVenue(bot: HeldBot): Promise<ClosableVenue>
  /** Why no order may be placed for the bot now; `null` if one may. */
  whyHalted(bot: HeldBot): string | null | Promise<string | null>
  /** Makes the books of the bot equal the account, in one symbol. */
  compare(bot: HeldBot, symbol: string): Promise<void>
  /** The prefix of ids, another one for each start: at most 10 letters and digits. */
  orderPrefix: string
  /** Announces bots for which closes are queued. */
  announce(botIds: number[]): void
  /** Get the event `stop.refused`. */
  subscribers?: OrderSubscribers
  /** Hears for how long positions had no stop at an exchange that keeps stops. Default: nobody. */
  onUnprotectedSeconds?(seconds: number): void
  /** Tells live streams. Default: nobody. */
  onChange?: Announce
  onError(error: unknown, botId: number): void
  timing?: Partial<LegTiming>
}

type Place = { bot: HeldBot; venue: ClosableVenue; legs: LegVenue }

/** What the order in progress is for; `null`: there is none. */
type During = OrderRequest['purpose'] | null

/** One look at a symbol takes at most so many steps. The rest comes with the next look. */
const mostSteps = 24
/** A close waits this long for what becomes of a stop that was cancelled. */
const settleMs = 10_000
/** The same for targets before a close that only reduces the position, so that nothing bad happens without the answer. */
const settleTargetsMs = 3_000

/**
 * Keeps the stops of live positions at their exchanges: it places, moves, cancels and looks up one leg after another,
 * between the signals of the symbol, until there is exactly the one that there should be.
 */
export class LegKeeper {
  readonly store: LegStore
  #parts: LegKeeperParts
  #memory: LegMemory
  #times: UnprotectedTimes
  #answers: LegAnswers
  #steps = new MarketSteps()

  constructor(parts: LegKeeperParts) {
    this.#parts = parts
    this.store = new LegStore(parts.database, parts.node.id, parts.subscribers)
    this.#times = new UnprotectedTimes(parts.database, parts.onUnprotectedSeconds)
    this.#memory = new LegMemory({ ...legTiming, ...parts.timing })
    const { database, node, announce, onChange } = parts
    const { store } = this
    this.#answers = new LegAnswers({ database, node, store, memory: this.#memory, announce, onChange })
  }

  /** The bots for whose legs this node should do something now. */
  async due(): Promise<number[]> {
    const rows = await this.store.rows()
    this.#memory.keepOnly(
      new Set(rows.map((row) => keyOf(row))),
      new Set(rows.flatMap(({ legs }) => legs.map(({ id }) => id))),
    )
    await this.#count(rows.filter((row) => this.#keeps(row).stop === 'exchange'))
    this.#steps.keepOnly(rows)
    const due = rows.filter((row) => {
      if (this.#keeps(row).stop === 'service' && row.legs.length === 0) return false
      if (mustClose(row)) return true
      const steps = this.#steps.known(row)
      if (steps === undefined) return this.#steps.isDue(row)
      const now = { steps, mayPlace: true, locksFunds: false }
      return !isQuiet(this.#next(row, this.#wantedOf(row, steps), now))
    })
    return [...new Set(due.map(({ botId }) => botId))]
  }

  /** What goes wrong with the figures keeps no stop from being placed. */
  async #count(rows: readonly LegsRow[]): Promise<void> {
    try {
      await this.#times.look(
        rows.flatMap((row) => {
          const steps = this.#steps.known(row)
          return steps === undefined ? [] : [{ row, steps }]
        }),
      )
    } catch (error) {
      if (isDatabaseAway(error)) throw error
      this.#parts.onError(error, rows[0]!.botId)
    }
  }

  #keeps({ exchangeId }: LegsRow): Pick<WhereKept, 'stop' | 'targets'> {
    const place = this.#parts.catalogue.find(exchangeId)
    return place === undefined ? { stop: 'service', targets: 'service' } : whereKept(place)
  }

  /** The exchange is asked about the legs of a bot at the next look: a price has reached one. */
  async prompt(botId: number, symbol: string): Promise<void> {
    for (const { legs } of await this.store.rows({ botId, symbol })) {
      for (const { id } of legs) this.#memory.prompt(id)
    }
  }

  /**
   * Does what is due for the legs of a bot that this node holds. A symbol with a signal in progress is left out.
   * @throws {BotLost} if another node holds the bot. All other errors go to `onError`.
   */
  async keep(bot: HeldBot, turns: Pick<SymbolQueues, 'isBusy' | 'inTurn'>, stop: AbortSignal): Promise<void> {
    const rows = await this.store.rows({ botId: bot.id })
    if (rows.length === 0 || bot.mode !== 'live') return
    try {
      await this.#withVenue(bot, async (venue) => {
        const { legs } = venue
        if (legs === undefined) return
        for (const { symbol } of rows) {
          if (stop.aborted) return
          if (turns.isBusy(symbol)) continue
          await turns.inTurn(symbol, () => this.#keepOne({ bot, venue, legs }, symbol, stop))
        }
      })
    } catch (error) {
      this.#handle(bot, error)
    }
  }

  /**
   * Does what is due for the stop of a position while the signal in progress has its turn.
   * @param of `close`: it has cancelled the stop to free its coins, and waits for its next attempt. `open`: its opening is
   * open. Books and account may differ then, so nothing is done if they were never compared before
   * @throws {BotLost} if another node holds the bot. All other errors go to `onError`.
   */
  async keepDuring(
    bot: HeldBot,
    venue: ClosableVenue,
    { symbol, purpose }: Pick<OrderRequest, 'symbol' | 'purpose'>,
    stop: AbortSignal,
  ): Promise<void> {
    const { legs } = venue
    if (legs !== undefined) await this.#keepOne({ bot, venue, legs }, symbol, stop, purpose)
  }

  async #keepOne(place: Place, symbol: string, stop: AbortSignal, during: During = null): Promise<void> {
    const { bot, venue } = place
    try {
      for (let step = 0; step < mostSteps && !stop.aborted; step++) {
        let [row] = await this.store.rows({ botId: bot.id, symbol })
        if (row?.protection != null && row.account === null && during !== 'open') {
          await this.#parts.compare(bot, symbol)
          ;[row] = await this.store.rows({ botId: bot.id, symbol })
        }
        if (row === undefined || (row.protection !== null && row.account === null)) return
        const steps = await this.#steps.of(place, row)
        await this.#count([row])
        const wanted = this.#wantedOf(row, steps, during)
        const mayPlace = (venue.closedReason ?? null) === null && (await this.#parts.whyHalted(bot)) === null
        if (mayPlace && wanted.some(isStop) && mustClose(row) && !isPartTooSmall(row, steps)) {
          await queueStopClose(this.#parts, row, venue, 'unprotected')
          return
        }
        const { locksFunds } = place.legs
        const next = this.#next(row, wanted, { steps, mayPlace, locksFunds, during })
        if (!(await this.#take(place, row, { next, sizeStep: steps.sizeStep }, during))) return
      }
    } catch (error) {
      this.#handle(bot, error)
    }
  }

  /** @returns whether another step may follow at once */
  async #take(
    place: Place,
    row: LegsRow,
    { next, sizeStep }: { next: LegStep; sizeStep: string },
    during: During,
  ): Promise<boolean> {
    if (next.step === 'none' || next.step === 'wait' || !this.#parts.node.mayWork()) return false
    if (next.step === 'place') return this.#place(place, row, { leg: next.leg, sizeStep }, during)
    const leg = next.leg as StoredLeg
    if (next.step === 'cancel') await this.#answers.cancel(place, leg)
    const settled = await this.#answers.lookUp(place, leg, null)
    // After a cancellation that did not work, the next attempt comes with the next look.
    return next.step === 'look up' || settled === 'settled'
  }

  /** @param during while an opening is open, its stop goes alone: a target would close nothing of what is still to come */
  #wantedOf(row: LegsRow, steps: LegSteps, during: OrderRequest['purpose'] | null = null): WantedLeg[] {
    const keepsTargets = this.#keeps(row).targets === 'exchange'
    const mayOco = during !== 'open' && this.#memory.mayOco(keyOf(row))
    return wantedOf(row, steps, { keepsTargets, mayOco })
  }

  #next(
    row: LegsRow,
    wanted: readonly WantedLeg[],
    now: { steps: LegSteps; mayPlace: boolean; locksFunds: boolean; during?: During },
  ): LegStep {
    const { legs, protection, account } = row
    const { steps, mayPlace, locksFunds, during = null } = now
    const { renewAfterMs = Number.POSITIVE_INFINITY } = steps
    const old = new Set(legs.filter(({ sentAt }) => Date.now() - sentAt > renewAfterMs).map(({ id }) => id))
    const mayPlaceAny =
      mayPlace &&
      (protection?.isClosing === false || (during === 'close' && protection !== null)) &&
      account?.differs === false
    return nextLegStep({
      ...{ wanted, legs, locksFunds, isOpening: during === 'open' },
      isDue: ({ id }) => this.#memory.isDue(id),
      isOld: ({ id }) => old.has(id),
      mayPlace: (leg) => {
        const isMove = legs.some(({ target }) => target === leg.target)
        return mayPlaceAny && this.#memory.mayPlace(keyOf(row, leg), { size: leg.size, isMove })
      },
    })
  }

  async #place(
    { bot, legs, venue }: Place,
    row: LegsRow,
    { leg: wanted, sizeStep }: { leg: WantedLeg; sizeStep: string },
    during: During,
  ): Promise<boolean> {
    const key = keyOf(row, wanted)
    const openedAt = row.protection!.position.openedAt
    const ownRole = isStop(wanted) ? 'stop' : 'target'
    const clientIdOf = (generation: number, role: 'stop' | 'target' = ownRole) =>
      legs.clientId(legIdOf(this.#parts.orderPrefix, { ...row, openedAt, generation }, role))
    if (!isStop(wanted) && (await canHave(legs, row, wanted)) === false) {
      // Nothing is stored: the exchange would refuse one after another until its owner changes the account.
      this.#memory.failed(key)
      return true
    }
    const leg = await this.store.plan(row, wanted, { sizeStep, clientIdOf })
    if (leg === null) return true
    this.#memory.placed(key)
    this.#memory.isUnclear(leg.id)
    // Another node may hold the bot by now. It will look the leg up.
    if (!this.#parts.node.mayWork()) return false
    const outcome = await legs.place(requestOf(leg))
    const note = async (change: LegChange, isNews?: boolean) => {
      await this.store.note(bot.id, leg.id, change, isNews)
      this.#answers.changed(bot, row.symbol)
    }
    if (outcome.status === 'placed') {
      await note({ status: 'OPEN', reason: null, exchangeId: outcome.exchangeId })
      this.#memory.rests(leg.id)
      this.#memory.succeeded(key)
      return true
    }
    if (outcome.status === 'unknown') {
      await note({ status: 'UNKNOWN', reason: outcome.reason })
      return false
    }
    if (outcome.status === 'refused' && wanted.oco != null) {
      await note({ status: 'REJECTED', reason: outcome.reason })
      this.#memory.refusedOco(key)
      this.#memory.forget(leg.id)
      return true
    }
    const isBeyond = outcome.status === 'refused' && outcome.isBeyond
    this.#memory.failed(key, during === 'open' ? leg.size : null)
    const isNews = outcome.status === 'refused' && !isBeyond && isStop(leg) && this.#memory.isNews(key)
    await note({ status: 'REJECTED', reason: outcome.reason }, isNews)
    this.#memory.forget(leg.id)
    if (isBeyond) await queueStopClose(this.#parts, row, venue, 'beyond')
    return false
  }

  /**
   * Cancels legs, and waits until the exchange has said what became of each. The caller has the turn of the symbol. An
   * order of a leg becomes one of the given signal.
   * @param which `all` before a close at the stop, the targets first; `targets` before any other close; `old` before an
   * opening: those of earlier positions
   * @throws {BotLost}
   */
  async settle(
    bot: HeldBot,
    venue: ClosableVenue,
    of: { symbol: string; botSignalId: number; which: WhichLegs },
    stop: AbortSignal,
  ): Promise<Settled> {
    const { legs } = venue
    if (legs === undefined) return 'settled'
    const deadline = performance.now() + (of.which === 'targets' ? settleTargetsMs : settleMs)
    let hasChanged = false
    for (let attempt = 0; !stop.aborted; attempt++) {
      const [row] = await this.store.rows({ botId: bot.id, symbol: of.symbol })
      const openedAt = row?.protection?.position.openedAt
      const left = (row?.legs ?? []).filter((leg) => {
        if (of.which === 'old') return leg.openedAt !== openedAt
        return of.which === 'all' || !isStop(leg)
      })
      if (left.length === 0) return hasChanged ? 'changed' : 'settled'
      if (performance.now() > deadline || !this.#parts.node.mayWork()) return 'open'
      if (attempt > 0)
        await sleep(Math.min(100 * attempt, 1_000), undefined, { signal: stop }).catch(() => undefined)
      const end = async (leg: StoredLeg) => {
        await this.#answers.cancel({ bot, legs }, leg)
        if ((await this.#answers.lookUp({ bot, legs }, leg, of.botSignalId)) === 'changed') hasChanged = true
      }
      // A close does not wait for one target after another.
      await Promise.all(left.filter((leg) => !isStop(leg)).map(end))
      for (const leg of left.filter(isStop)) await end(leg)
    }
    return 'open'
  }

  /**
   * Whether no leg of the symbol explains trades that are of no order in the books: the exchange has said of each that it
   * rests there, or has ended. If one has become an order, the books have it now.
   */
  async areQuiet(bot: HeldBot, venue: ClosableVenue, symbol: string): Promise<boolean> {
    const { legs } = venue
    if (legs === undefined) return true
    const [row] = await this.store.rows({ botId: bot.id, symbol })
    const given = await this.store.neverArrived(bot.id, symbol)
    let isQuiet = true
    for (const leg of [...(row?.legs ?? []), ...given]) {
      const found = await legs.lookUp(requestOf(leg))
      const isGiven = given.includes(leg)
      if (isGiven && (found.status !== 'found' || found.leg.state !== 'triggered')) continue
      await this.#answers.note(bot, leg, found, null)
      isQuiet &&= found.status === 'found' && (found.leg.state === 'open' || found.leg.state === 'ended')
    }
    return isQuiet
  }

  #handle({ id }: HeldBot, error: unknown): void {
    if (error instanceof BotLost || isDatabaseAway(error)) throw error
    // The service watches until the exchange can be asked again.
    if (error instanceof NoSuchMarket || error instanceof VenueUnreachable) return
    this.#parts.onError(error, id)
  }

  async #withVenue(bot: HeldBot, use: (venue: ClosableVenue) => Promise<void>): Promise<void> {
    const venue = await this.#parts.openVenue(bot)
    try {
      await use(venue)
    } finally {
      await venue.close?.()
    }
  }
}

function isQuiet({ step }: LegStep): boolean {
  return step === 'none' || step === 'wait'
}

function canHave(legs: LegVenue, { symbol }: LegsRow, { side, size, price }: WantedLeg) {
  return legs.canHave?.({ symbol, side, size, price, clientId: '', sentAt: Date.now(), isTarget: true })
}
