import { setTimeout as sleep } from 'node:timers/promises'
import { Follower, type FollowerParts } from './follower.ts'
import { BotLost } from './held-bot.ts'
import type { HeldBot, Waiting } from './inbox.ts'
import type { LegKeeper } from './legs/keeper.ts'
import type { ReconciliationChecks } from './reconciliation/checks.ts'
import { SymbolQueues } from './symbol-queues.ts'

export type SignalProcessorParts = FollowerParts & {
  /** How long the signals of a paper bot wait for an earlier signal of another symbol. */
  orderTimeoutMs?: number
  /** Called when a signal of the bot is delayed: in this many ms, the delay is over. */
  onDelayed?(untilDueMs: number): void
  /** Compares the books of live bots with their accounts. Default: nobody does. */
  checks?: Pick<ReconciliationChecks, 'check'>
  /** Keeps the stops of live bots at their exchanges. Default: nobody does. */
  legs?: Pick<LegKeeper, 'keep' | 'settle' | 'keepDuring'>
}

/** Work on a bot between its signals, one at a time. */
type Job = { isWanted: boolean; running: Promise<void> | undefined }

const afterErrorMs = 1_000
/** Longer than a first price takes after a start, and longer than all attempts at a signal whose error repeats. */
const defaultOrderTimeoutMs = 20_000

/** Follows the signals of one bot while this node holds the bot. */
export class SignalProcessor {
  readonly botId: number
  #parts: SignalProcessorParts
  #mayHaveSignals = false
  /** The comparison with the account. */
  #check: Job = { isWanted: false, running: undefined }
  /** The work on stops at the exchange. */
  #keep: Job = { isWanted: false, running: undefined }
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

  /** Compares the books with the account, between the signals. */
  check(): void {
    this.#check.isWanted = true
    this.wake()
  }

  /** Looks at the stops of the bot, between the signals. */
  keep(): void {
    this.#keep.isWanted = true
    this.wake()
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
    const claimed = await inbox.claim(this.botId)
    if (claimed === undefined) {
      this.#check.isWanted = false
      this.#keep.isWanted = false
      return
    }
    const lost = new AbortController()
    const over = AbortSignal.any([this.#stopped.signal, lost.signal])
    const onLost = () => {
      lost.abort()
      this.#woken.resolve()
    }
    const { bot } = claimed
    const follower = new Follower(bot, this.#parts, over)
    const queues = this.#openQueues(bot, follower, onLost)
    let first = claimed.waiting
    const look = async () => {
      const waiting = first ?? (await inbox.waiting(this.botId, queues.ids))
      first = null
      if (waiting.bot === undefined) onLost()
      else follower.know(waiting.bot)
      return waiting
    }
    try {
      await this.#takeAll(queues, over, look, () => this.#startOthers(bot, queues, over, onLost))
    } finally {
      await queues.idle()
      await this.#check.running
      await this.#keep.running
      await inbox.release(this.botId)
    }
  }

  /** @param onLost called when another node holds the bot: that node continues with its signals */
  #openQueues(bot: HeldBot, follower: Follower, onLost: () => void): SymbolQueues {
    return new SymbolQueues({
      // An order of a paper bot must know what earlier orders spent, of whatever symbol.
      orderTimeoutMs: bot.mode === 'paper' ? (this.#parts.orderTimeoutMs ?? defaultOrderTimeoutMs) : null,
      nameOf: (symbol) => follower.nameOf(symbol),
      follow: async (signal, newer, onRest) => {
        if (!(await follower.followToTheEnd(signal, newer, onRest))) onLost()
      },
      onRoom: () => this.#woken.resolve(),
    })
  }

  async #takeAll(
    queues: SymbolQueues,
    over: AbortSignal,
    look: () => Promise<Waiting>,
    startOthers: () => void,
  ): Promise<void> {
    // The claim may not have seen the signals of which the processor has heard meanwhile.
    let isLate = this.#mayHaveSignals
    while (!over.aborted) {
      this.#mayHaveSignals = false
      this.#woken = Promise.withResolvers()
      const isMore = (await this.#takeSome(queues, look)) || isLate
      isLate = false
      if (isMore) continue
      startOthers()
      const isBusy = this.#check.running !== undefined || this.#keep.running !== undefined
      if (queues.isEmpty && !isBusy) return
      // Signals of other symbols may come meanwhile, and must not wait for the slowest one.
      await this.#woken.promise
    }
  }

  /** Starts what is wanted beside the signals. Only live bots have it. */
  #startOthers(bot: HeldBot, queues: SymbolQueues, over: AbortSignal, onLost: () => void): void {
    const { checks, legs, inbox, onError } = this.#parts
    const start = (job: Job, work: ((now: HeldBot) => Promise<void>) | undefined) => {
      if (!job.isWanted || job.running !== undefined) return
      job.isWanted = false
      if (work === undefined || bot.mode !== 'live') return
      job.running = inbox
        // The bot may have been changed since it was claimed.
        .read(this.botId)
        .then((now) => (now === undefined ? onLost() : work(now)))
        .catch((error: unknown) => (error instanceof BotLost ? onLost() : onError(error, this.botId)))
        .finally(() => {
          job.running = undefined
          this.#woken.resolve()
        })
    }
    start(this.#check, checks && ((now) => checks.check(now, queues, over)))
    start(this.#keep, legs && ((now) => legs.keep(now, queues, over)))
  }

  /** An error here does not stop the signals in progress. */
  async #takeSome(queues: SymbolQueues, look: () => Promise<Waiting>): Promise<boolean> {
    try {
      const waiting = await look()
      if (waiting.bot === undefined) return false
      if (waiting.untilDueMs !== null) this.#parts.onDelayed?.(waiting.untilDueMs)
      return await queues.take(waiting)
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
