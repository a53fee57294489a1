import { setTimeout as sleep } from 'node:timers/promises'
import { type Telegram, TelegramError, type Update } from './telegram.ts'
import { holdSeconds, type UpdateLog } from './update-log.ts'

export type PollerParts = {
  telegram: Pick<Telegram, 'updates' | 'deleteWebhook'>
  log: UpdateLog
  handle(update: Update): Promise<void>
  /** Called when something fails for the first time after it worked. The error names no token. */
  onError(error: unknown): void
  /** How long Telegram holds a request without updates. */
  timeoutSeconds?: number
  /** The pause after a failure, and between two looks at who asks. */
  pauseMs?: number
}

/** Shorter than a node holds the bot: it asks again in time. */
const defaultTimeoutSeconds = 20
const defaultPauseMs = 3_000
const longestPauseMs = 60_000

/**
 * Asks Telegram for the updates of the bot, on one node at a time, so the service needs no public address. An update
 * counts as handled, for Telegram too, only after it was: a node that dies leaves it to the next one.
 */
export class Poller {
  #parts: PollerParts
  #stop = new AbortController()
  #running: Promise<void> | undefined
  #failures = 0
  #hasWebhook = true

  constructor(parts: PollerParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#parts.log.release().catch(() => undefined)
  }

  async #run(): Promise<void> {
    const { pauseMs = defaultPauseMs } = this.#parts
    while (!this.#stop.signal.aborted) {
      try {
        if (await this.#round()) continue
        await this.#pause(pauseMs)
      } catch (error) {
        if (this.#stop.signal.aborted) return
        if (this.#failures === 0) this.#parts.onError(error)
        this.#failures++
        const refusal = error instanceof TelegramError ? error : undefined
        // Somebody has set a webhook, or another program asks with the same token.
        if (refusal?.code === 409) this.#hasWebhook = true
        const longer = Math.min(pauseMs * 2 ** (this.#failures - 1), Math.max(pauseMs, longestPauseMs))
        await this.#pause(Math.max(longer, refusal?.waitMs ?? 0))
      }
    }
  }

  /** @returns whether this node asks */
  async #round(): Promise<boolean> {
    const { log, telegram, timeoutSeconds = defaultTimeoutSeconds } = this.#parts
    const next = await log.hold()
    if (next === undefined) return false
    if (this.#hasWebhook) await telegram.deleteWebhook()
    this.#hasWebhook = false
    const updates = await telegram.updates(next, timeoutSeconds, this.#stop.signal)
    this.#failures = 0
    await Promise.all([...Map.groupBy(updates, personOf).values()].map((own) => this.#handleAll(own)))
    const last = updates.at(-1)
    if (last !== undefined) await log.advance(last.update_id + 1)
    return true
  }

  /** The updates of one person, in their order. */
  async #handleAll(updates: readonly Update[]): Promise<void> {
    const { log, handle } = this.#parts
    for (const update of updates) {
      const id = update.update_id
      const claimed = await this.#claim(id)
      if (claimed !== 'ours') continue
      try {
        await handle(update)
      } catch (error) {
        await log.free(id)
        throw error
      }
      await log.done(id)
    }
  }

  /** Waits for a node that works on it, because it may have died. */
  async #claim(id: number): Promise<'ours' | 'done'> {
    const { log, pauseMs = defaultPauseMs } = this.#parts
    const untilMs = performance.now() + 2 * holdSeconds * 1000
    for (;;) {
      const claimed = await log.claim(id)
      if (claimed !== 'elsewhere') return claimed
      if (performance.now() > untilMs) throw new Error(`Another node still works on update ${id}.`)
      await this.#pause(Math.min(pauseMs, 1_000))
      this.#stop.signal.throwIfAborted()
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined)
  }
}

function personOf({ message, callback_query }: Update): number {
  return (message?.from ?? callback_query?.from)?.id ?? 0
}
