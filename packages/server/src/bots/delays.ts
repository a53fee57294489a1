import { and, eq, sql } from 'drizzle-orm'
import { Sweeper } from '../base/sweeper.ts'
import type { Database, Db, PreparedStatement } from '../db/database.ts'
import { botSignals } from '../db/schema.ts'
import type { Bot } from './bot.ts'

const atOnce = 1_000
/** Node fires a longer timer at once. A sweep sets it again before that. */
const longestTimerMs = 60_000

/**
 * Queues the signals whose delay is over, and computes the ms until the next one's is. Several nodes can do this at the
 * same time; each skips what another one is queueing. Their bots keep the order all the same: see `inbox.ts`.
 */
const releaseSql = `
with released as (
  update bot_signals set status = 'QUEUED' where id = any(array(
    select id from bot_signals where status = 'DELAYED' and due_at <= clock_timestamp()
    order by due_at, id limit ${atOnce} for no key update skip locked
  ))
  returning id, bot_id
)
select (select json_agg(distinct bot_id) from released), (select json_agg(id) from released),
  (select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000) from bot_signals
   where status = 'DELAYED' and due_at > clock_timestamp())`

export type DelaysParts = {
  database: Database
  /** Receives the bots whose signals are queued now, and these signals. */
  onReleased(botIds: number[], botSignalIds: number[]): void
  onError(error: unknown): void
  sweepMs: number
}

/** Ends the delays of signals, which are rows of the database: a restart forgets none. */
export class Delays {
  #parts: DelaysParts
  #release: PreparedStatement
  #sweeper: Sweeper
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  constructor(parts: DelaysParts) {
    const { database, onError, sweepMs: everyMs } = parts
    this.#parts = parts
    this.#release = database.prepare('release_delayed_signals', releaseSql)
    this.#sweeper = new Sweeper({ work: () => this.#work(), everyMs, onError })
  }

  start(): void {
    this.#sweeper.start()
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop()
    clearTimeout(this.#timer)
  }

  /** A delay ends in this many ms. */
  expect(ms: number): void {
    const at = performance.now() + Math.max(0, ms)
    if (at >= this.#timerAt || this.#sweeper.isStopped) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => this.#due(), Math.min(longestTimerMs, Math.max(1, ms))).unref()
  }

  #due(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    this.#sweeper.wake()
  }

  async #work(): Promise<void> {
    const [row] = await this.#release([])
    const [botIds, signalIds, untilNextMs] = row!
    if (botIds !== null) {
      const released = JSON.parse(signalIds!) as number[]
      this.#parts.onReleased(JSON.parse(botIds!) as number[], released)
      if (released.length === atOnce) this.#sweeper.wake()
    }
    if (untilNextMs !== null) this.expect(Number(untilNextMs))
  }
}

export function isNewDelay(before: Bot, after: Bot): boolean {
  return delayMsOf(before) !== delayMsOf(after)
}

/** How long a bot waits before it follows a signal. The statement that routes signals says the same: `signals/routing.ts`. */
function delayMsOf({
  mode,
  settings: { delaySeconds, latencyMs = 0 },
}: Pick<Bot, 'mode' | 'settings'>): number {
  return delaySeconds * 1_000 + (mode === 'paper' ? latencyMs : 0)
}

/** Applies a new delay to the signals that the bot delays already. They keep their order. @returns their ids */
export async function delayAnew(tx: Db, bot: Bot): Promise<number[]> {
  const delayed = await tx
    .update(botSignals)
    .set({ dueAt: sql`${botSignals.queuedAt} + ${delayMsOf(bot)}::float8 * interval '1 millisecond'` })
    .where(and(eq(botSignals.botId, bot.id), eq(botSignals.status, 'DELAYED')))
    .returning({ id: botSignals.id })
  return delayed.map(({ id }) => id)
}
