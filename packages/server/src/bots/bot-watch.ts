import { setImmediate } from 'node:timers/promises'
import { isDatabaseAway } from '../base/failures.ts'
import { type Sweeper, steadySweeper } from '../base/sweeper.ts'
import type { TextRow } from '../db/database.ts'

export type BotWatchParts<Candidate> = {
  /** Rows whose first column is a candidate as JSON. */
  candidates(now: number): Promise<TextRow[]>
  judge(candidate: Candidate, now: number): Promise<void>
  onError(error: unknown): void
  sweepMs?: number | undefined
}

/** A position may lose this much longer before the service notices. */
const defaultSweepMs = 3_000
/** Bots that are judged at the same time. */
const atOnce = 10

/** Looks at many bots every few seconds, without waiting for a signal. */
export class BotWatch<Candidate extends { id: number }> {
  #parts: BotWatchParts<Candidate>
  /** The bots whose last look ended in an error. */
  #failing = new Set<number>()
  #sweeper: Sweeper

  constructor(parts: BotWatchParts<Candidate>) {
    this.#parts = parts
    this.#sweeper = steadySweeper({
      work: () => this.look(Date.now()),
      everyMs: parts.sweepMs ?? defaultSweepMs,
      onError: (error) => parts.onError(error),
    })
  }

  start(): void {
    this.#sweeper.start()
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop()
  }

  /** Looks once at all bots. In a crash, many may reach their limits at the same time. */
  async look(now: number): Promise<void> {
    const rows = await this.#parts.candidates(now)
    for (let at = 0; at < rows.length; at += atOnce) {
      const bots = rows.slice(at, at + atOnce).map(([json]) => JSON.parse(json!) as Candidate)
      await Promise.all(bots.map((bot) => this.#lookAt(bot, now)))
      // Ten thousand bots must not keep this process from its other work.
      await setImmediate()
    }
  }

  /** An error of one bot does not keep the others from their limits. It is reported once. */
  async #lookAt(bot: Candidate, now: number): Promise<void> {
    try {
      await this.#parts.judge(bot, now)
      this.#failing.delete(bot.id)
    } catch (error) {
      if (isDatabaseAway(error)) throw error
      if (!this.#failing.has(bot.id)) this.#parts.onError(error)
      this.#failing.add(bot.id)
    }
  }
}
