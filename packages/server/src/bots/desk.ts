import { setTimeout as sleep } from 'node:timers/promises'
import { type ClosableVenue, Follower, type FollowerParts } from './follower.ts'
import type { HeldBot } from './inbox.ts'
import { Lanes } from './lanes.ts'

export type { ClosableVenue }
export type DeskParts = FollowerParts & {
  /** How long signals of a paper bot wait for an earlier one of another symbol. */
  orderPatienceMs?: number
}

const afterErrorMs = 1_000
/** Longer than a first price takes after a start, and than the attempts at a signal whose error repeats. */
const defaultOrderPatienceMs = 20_000

/** Works off the signals of one bot, as long as this node holds it. */
export class Desk {
  readonly botId: number
  #parts: DeskParts
  #wanted = false
  /** Resolved when somebody asks for the inbox to be looked at. */
  #bell = Promise.withResolvers<void>()
  #working: Promise<void> | undefined
  #stopped = new AbortController()

  constructor(botId: number, parts: DeskParts) {
    this.botId = botId
    this.#parts = parts
  }

  get isIdle(): boolean {
    return this.#working === undefined
  }

  /** There may be signals. */
  wake(): void {
    this.#wanted = true
    this.#bell.resolve()
    if (this.#stopped.signal.aborted) return
    this.#working ??= this.#work()
      .catch((error: unknown) => this.#recover(error))
      .finally(() => {
        this.#working = undefined
        if (this.#wanted) this.wake()
      })
  }

  /** Places nothing more; what is under way is left to be settled by the next holder. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#bell.resolve()
    await this.#working
  }

  async #work(): Promise<void> {
    this.#wanted = false
    const { inbox } = this.#parts
    const bot = await inbox.claim(this.botId)
    if (bot === undefined) return
    const lost = new AbortController()
    const over = AbortSignal.any([this.#stopped.signal, lost.signal])
    const lanes = this.#lanesOf(bot, over, () => {
      lost.abort()
      this.#bell.resolve()
    })
    try {
      await this.#takeAll(lanes, over)
    } finally {
      await lanes.idle()
      await inbox.release(this.botId)
    }
  }

  /** @param onLost told when another node has the bot: all that is in hand is left to it */
  #lanesOf(bot: HeldBot, over: AbortSignal, onLost: () => void): Lanes {
    const follower = new Follower(bot, this.#parts, over)
    return new Lanes({
      // What one order on paper spends, the next one is to know, whatever its symbol.
      orderPatienceMs: bot.mode === 'paper' ? (this.#parts.orderPatienceMs ?? defaultOrderPatienceMs) : null,
      nameOf: (symbol) => follower.nameOf(symbol),
      follow: async (signal) => {
        if (!(await follower.followToTheEnd(signal))) onLost()
      },
      onRoom: () => this.#bell.resolve(),
    })
  }

  async #takeAll(lanes: Lanes, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      this.#wanted = false
      this.#bell = Promise.withResolvers()
      if (await this.#takeSome(lanes)) continue
      if (lanes.isEmpty) return
      // What comes meanwhile for other symbols is not to wait for the slowest.
      await this.#bell.promise
    }
  }

  /** An error keeps nothing from being followed that is in hand. */
  async #takeSome(lanes: Lanes): Promise<boolean> {
    try {
      return await lanes.take(await this.#parts.inbox.waiting(this.botId, lanes.ids))
    } catch (error) {
      if (lanes.isEmpty) throw error
      await this.#pauseAfter(error)
      this.#bell.resolve()
      return false
    }
  }

  async #recover(error: unknown): Promise<void> {
    if (this.#stopped.signal.aborted) return
    await this.#pauseAfter(error)
    this.#wanted = true
  }

  async #pauseAfter(error: unknown): Promise<void> {
    this.#parts.onError(error, this.botId)
    await sleep(afterErrorMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined)
  }
}
