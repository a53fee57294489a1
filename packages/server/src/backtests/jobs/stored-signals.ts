import { and, asc, eq, gte, lte, not, sql } from 'drizzle-orm'
import { invalidField, notFound } from '../../base/errors.ts'
import type { Db } from '../../db/database.ts'
import { botWebhooks, signals } from '../../db/schema.ts'
import { type Decisions, noTrigger } from '../decide.ts'
import type { Decided } from '../host.ts'
import type { MarketTimes } from '../market-times.ts'

/** Far more than a bot webhook gets within the days for which signals are stored. */
const mostSignals = 100_000

/** Times in Unix ms, both included. */
type Asked = { userId: number; webhookId: number; fromMs: number; toMs: number }

/**
 * What a bot webhook of the user has told its bots, as decisions that no code made.
 * @throws {AppError} 404 for a webhook that the user does not have; 400 if there are no signals, or too many
 */
export async function decisionsOf(db: Db, data: MarketTimes, asked: Asked): Promise<Decisions> {
  const { userId, webhookId, fromMs, toMs } = asked
  const webhooks = await db.$count(
    botWebhooks,
    and(eq(botWebhooks.id, webhookId), eq(botWebhooks.userId, userId)),
  )
  if (webhooks === 0) throw notFound('bot webhook', webhookId)
  const { id, action, symbols, price, options, createdAt, flags } = signals
  const rows = await db
    .select({ action, symbols, price, options, createdAt })
    .from(signals)
    .where(
      and(
        ...[eq(signals.webhookId, webhookId), eq(signals.userId, userId)],
        ...[gte(createdAt, new Date(fromMs)), lte(createdAt, new Date(toMs))],
        not(sql`'TEST' = any(${flags})`),
      ),
    )
    .orderBy(asc(createdAt), asc(id))
    .limit(mostSignals + 1)
  const followed = rows.filter((row) => row.symbols.some((symbol) => data.isSymbol(symbol)))
  if (rows.length > mostSignals) {
    throw invalidField('bot_webhook_id', `must have at most ${mostSignals} signals in this time`)
  }
  if (followed.length === 0) {
    throw invalidField(
      'bot_webhook_id',
      `has no stored signals for ${data.symbol} from ${isoOf(fromMs)} to ${isoOf(toMs)}`,
    )
  }
  const first = data.firstFrom(fromMs)
  return {
    ...{ runs: 0, skipped: 0, failed: 0, violated: 0, withheld: 0 },
    ...{ failures: [], violations: [], logs: [] },
    ...{ stoppedMs: null, storage: null, lastTrigger: noTrigger, asksPositions: false },
    signals: followed.map((row): Decided => {
      const atMs = row.createdAt.getTime()
      // Within the first candle, none has ended yet, and the bots follow at the next opening too.
      const index = Math.max(first, data.endAt(atMs) - 1)
      return { index, atMs, action: row.action, price: row.price ?? 0, options: row.options }
    }),
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
