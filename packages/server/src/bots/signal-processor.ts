import { setTimeout as sleep } from 'node:timers/promises'
import { type ClosableVenue, Follower, type FollowerParts } from './follower.ts'
import type { HeldBot } from './inbox.ts'
import { SymbolQueues } from './symbol-queues.ts'

export type { ClosableVenue }
export type SignalProcessorParts = FollowerParts & {
  /** How long the signals of a paper bot wait for an earlier signal of another symbol. */
  orderTimeoutMs?: number
}

const afterErrorMs = 1_000
/** Longer than a first price takes after a start, and longer than all attempts at a signal whose error repeats. */
const defaultOrderTimeoutMs = 20_000

/** Follows the signals of one bot while this node holds the bot. */
export class SignalProcessor {
  readonly botId: number
  #parts: SignalProcessorParts
  #mayHaveSignals = false
  /** Resolves when the inbox may have signals. */
  #woken = Promise.withResolvers<void>()
  #working: Promise<void> | undefined
  #stopped = new AbortController()

  constructor(botId: number, parts: SignalProcessorParts) {
    this.botId = botId
    this.#parts = parts
  }

  get isIdle(): boolean {
    return this.#working === undefined
  }

  /** Looks for signals. */
  wake(): void {
    this.#mayHaveSignals = true
    this.#woken.resolve()
    if (this.#stopped.signal.aborted) return
    this.#working ??= this.#work()
      .catch((error: unknown) => this.#recover(error))
      .finally(() => {
        this.#working = undefined
        if (this.#mayHaveSignals) this.wake()
      })
  }

  /** Places no more orders. The next holder settles the ones in progress. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#woken.resolve()
    await this.#working
  }

  async #work(): Promise<void> {
    this.#mayHaveSignals = false
    const { inbox } = this.#parts
    const bot = await inbox.claim(this.botId)
    if (bot === undefined) return
    const lost = new AbortController()
    const over = AbortSignal.any([this.#stopped.signal, lost.signal])
    const queues = this.#openQueues(bot, over, () => {
      lost.abort()
      this.#woken.resolve()
    })
    try {
      await this.#takeAll(queues, over)
    } finally {
      await queues.idle()
      await inbox.release(this.botId)
    }
  }

  /** @param onLost called when another node holds the bot: that node continues with its signals */
  #openQueues(bot: HeldBot, over: AbortSignal, onLost: () => void): SymbolQueues {
    const follower = new Follower(bot, this.#parts, over)
    return new SymbolQueues({
      // An order of a paper bot must know what earlier orders spent, of whatever symbol.
      orderTimeoutMs: bot.mode === 'paper' ? (this.#parts.orderTimeoutMs ?? defaultOrderTimeoutMs) : null,
      nameOf: (symbol) => follower.nameOf(symbol),
      follow: async (signal) => {
        if (!(await follower.followToTheEnd(signal))) onLost()
      },
      onRoom: () => this.#woken.resolve(),
    })
  }

  async #takeAll(queues: SymbolQueues, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      this.#mayHaveSignals = false
      this.#woken = Promise.withResolvers()
      if (await this.#takeSome(queues)) continue
      if (queues.isEmpty) return
      // Signals of other symbols may come meanwhile, and must not wait for the slowest one.
      await this.#woken.promise
    }
  }

  /** An error here does not stop the signals in progress. */
  async #takeSome(queues: SymbolQueues): Promise<boolean> {
    try {
      return await queues.take(await this.#parts.inbox.waiting(this.botId, queues.ids))
    } catch (error) {
      if (queues.isEmpty) throw error
      await this.#pauseAfter(error)
      this.#woken.resolve()
      return false
    }
  }

  async #recover(error: unknown): Promise<void> {
    if (this.#stopped.signal.aborted) return
    await this.#pauseAfter(error)
    this.#mayHaveSignals = true
  }

  async #pauseAfter(error: unknown): Promise<void> {
    this.#parts.onError(error, this.botId)
    await sleep(afterErrorMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined)
  }
}
