import type { Database } from '../../db/database.ts'
import type { Node } from '../../db/node.ts'
import type { Announce } from '../../live/changes.ts'
import type { LegLookUp, LegVenue } from '../../trading/protection/leg-venue.ts'
import { isStop } from '../../trading/protection/legs.ts'
import type { HeldBot } from '../inbox.ts'
import { announceSignal } from '../queued-closes.ts'
import type { Settled } from '../stops-of-signal.ts'
import { adopt } from './adoption.ts'
import { keyOf, requestOf } from './ids.ts'
import type { LegMemory } from './memory.ts'
import type { LegStore, StoredLeg } from './store.ts'

/** A bot, and where its legs rest. */
export type OfBot = { bot: HeldBot; legs: LegVenue }

type Parts = {
  database: Database
  node: Pick<Node, 'id'>
  store: LegStore
  memory: LegMemory
  /** Announces bots for which closes are queued. */
  announce(botIds: number[]): void
  /** Tells live streams. Default: nobody. */
  onChange?: Announce | undefined
}

/** Asks the exchange about legs that the books have, and stores what it says. All methods throw `BotLost`. */
export class LegAnswers {
  #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Asks for a cancellation, once it is stored that the service wants it. Only a look-up says whether it worked. */
  async cancel({ bot, legs }: OfBot, leg: StoredLeg): Promise<void> {
    if (leg.cancelAskedAt === null) {
      await this.#parts.store.note(bot.id, leg.id, { cancelAskedAt: new Date() })
      leg.cancelAskedAt = Date.now()
    }
    await legs.cancel(requestOf(leg))
  }

  /**
   * Asks the exchange about a leg, and stores the answer.
   * @param botSignalId the signal in progress that takes over an order of the leg; `null`: a new one
   * @returns whether it rests there, or has ended
   */
  async lookUp({ bot, legs }: OfBot, leg: StoredLeg, botSignalId: number | null): Promise<Settled> {
    let found = await legs.lookUp(requestOf(leg))
    if (found.status === 'found' && found.leg.state === 'filling') {
      // What has been executed counts now, and the rest becomes a target of its own.
      await this.cancel({ bot, legs }, leg)
      found = await legs.lookUp(requestOf(leg))
    }
    const settled = await this.note(bot, leg, found, botSignalId)
    if (found.status === 'found' || settled === 'settled') this.changed(bot, leg.symbol)
    return settled
  }

  /** Stores an answer. @param botSignalId see `lookUp` @returns whether the leg rests there, or has ended */
  async note(bot: HeldBot, leg: StoredLeg, found: LegLookUp, botSignalId: number | null): Promise<Settled> {
    const { store, memory } = this.#parts
    const key = keyOf({ botId: bot.id, symbol: leg.symbol }, leg)
    if (found.status === 'unknown') {
      memory.isUnclear(leg.id)
      if (leg.status === 'PLANNED') {
        await store.note(bot.id, leg.id, { status: 'UNKNOWN', reason: found.reason })
      }
      return 'open'
    }
    if (found.status === 'absent') {
      if (!memory.isAbsent(leg.id)) return 'open'
      const wasThere = leg.status === 'OPEN'
      const what = isStop(leg) ? 'stop' : 'target'
      const reason = wasThere ? `The exchange no longer knows the ${what}.` : `The ${what} never arrived.`
      return this.#end(bot.id, leg, key, { status: wasThere ? 'CANCELED' : 'REJECTED', reason })
    }
    const { state, exchangeId, reason } = found.leg
    if (state === 'ended') {
      const isOurs = leg.cancelAskedAt !== null
      return this.#end(bot.id, leg, key, {
        ...{ status: 'CANCELED', exchangeId },
        reason: isOurs ? 'The service cancelled it.' : reason,
      })
    }
    if (state === 'triggered') {
      await this.#adopt(bot, leg, found.leg, botSignalId)
      return 'changed'
    }
    if (leg.status !== 'OPEN') {
      await store.note(bot.id, leg.id, { status: 'OPEN', reason: null, exchangeId })
      memory.succeeded(key)
    }
    if (state === 'triggering' || state === 'filling') memory.isUnclear(leg.id)
    else memory.rests(leg.id)
    return 'open'
  }

  /** Tells live streams that the legs of a position are others. */
  changed({ id, userId }: HeldBot, symbol: string): void {
    this.#parts.onChange?.({ kind: 'position', id, userId, part: symbol })
  }

  async #end(
    botId: number,
    leg: StoredLeg,
    key: string,
    change: { status: 'CANCELED' | 'REJECTED'; reason: string | null; exchangeId?: string },
  ): Promise<Settled> {
    const { store, memory } = this.#parts
    const isOurs = leg.cancelAskedAt !== null
    if (!isOurs) memory.failed(key)
    const isNews = !isOurs && isStop(leg) && memory.isNews(key)
    await store.note(botId, leg.id, change, isNews)
    memory.forget(leg.id)
    return 'settled'
  }

  async #adopt(
    bot: HeldBot,
    leg: StoredLeg,
    order: { orderId: string; size?: string; isTarget?: true },
    botSignalId: number | null,
  ): Promise<void> {
    const { database, node, memory, announce, onChange } = this.#parts
    const of = { botId: bot.id, legId: leg.id, order }
    const adopted = await adopt({ database, nodeId: node.id }, of, botSignalId)
    memory.forget(leg.id)
    if (adopted?.isNew !== true) return
    announce([bot.id])
    announceSignal(onChange, adopted.signalId)
  }
}
