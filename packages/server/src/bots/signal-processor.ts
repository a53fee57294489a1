import { setTimeout as sleep } from 'node:timers/promises'
import { type ClosableVenue, Follower, type FollowerParts } from './follower.ts'
import type { HeldBot } from './inbox.ts'
import { SymbolQueues } from './symbol-queues.ts'

export type { ClosableVenue }
export type SignalProcessorParts = FollowerParts & {
  /** How long signals of a paper bot wait for an earlier one of another symbol. */
  orderTimeoutMs?: number
}

const afterErrorMs = 1_000
/** Longer than a first price takes after a start, and than the attempts at a signal whose error repeats. */
const defaultOrderTimeoutMs = 20_000

/** Works off the signals of one bot, as long as this node holds it. */
export class SignalProcessor {
  readonly botId: number
  #parts: SignalProcessorParts
  #wanted = false
  /** Resolved when somebody asks for the inbox to be looked at. */
  #bell = Promise.withResolvers<void>()
  #working: Promise<void> | undefined
  #stopped = new AbortController()

  constructor(botId: number, parts: SignalProcessorParts) {
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
    const queues = this.#openQueues(bot, over, () => {
      lost.abort()
      this.#bell.resolve()
    })
    try {
      await this.#takeAll(queues, over)
    } finally {
      await queues.idle()
      await inbox.release(this.botId)
    }
  }

  /** @param onLost told when another node has the bot: all that is in hand is left to it */
  #openQueues(bot: HeldBot, over: AbortSignal, onLost: () => void): SymbolQueues {
    const follower = new Follower(bot, this.#parts, over)
    return new SymbolQueues({
      // What one order on paper spends, the next one is to know, whatever its symbol.
      orderTimeoutMs: bot.mode === 'paper' ? (this.#parts.orderTimeoutMs ?? defaultOrderTimeoutMs) : null,
      nameOf: (symbol) => follower.nameOf(symbol),
      follow: async (signal) => {
        if (!(await follower.followToTheEnd(signal))) onLost()
      },
      onRoom: () => this.#bell.resolve(),
    })
  }

  async #takeAll(queues: SymbolQueues, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      this.#wanted = false
      this.#bell = Promise.withResolvers()
      if (await this.#takeSome(queues)) continue
      if (queues.isEmpty) return
      // What comes meanwhile for other symbols is not to wait for the slowest.
      await this.#bell.promise
    }
  }

  /** An error keeps nothing from being followed that is in hand. */
  async #takeSome(queues: SymbolQueues): Promise<boolean> {
    try {
      return await queues.take(await this.#parts.inbox.waiting(this.botId, queues.ids))
    } catch (error) {
      if (queues.isEmpty) throw error
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
