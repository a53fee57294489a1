/** How much a running paper bot may trade: a part of what others trade. */
import { readInterval } from '@tickwright/sandbox'
import { and, eq, gte, ne, sql } from 'drizzle-orm'
import { decimal, zero } from '../../base/decimals.ts'
import type { Database } from '../../db/database.ts'
import { fills } from '../../db/schema.ts'
import type { MarketCandles } from '../../market/candles/market-candles.ts'
import { VenueUnreachable } from '../../market/price-source.ts'
import type { MarketRules } from '../../market/rules.ts'
import { ofLastMinute, shareOf, takeUpTo } from '../../trading/market-share.ts'
import type { Taken } from '../../trading/paper-venue.ts'
import type { OrderRequest } from '../../trading/types.ts'
import type { HeldBot } from '../inbox.ts'

export type MinuteCandles = Pick<MarketCandles, 'latest'>

export type PaperVolumeParts = {
  database: Pick<Database, 'db'>
  /** `null`: a market whose time is not that of this machine. */
  candles: MinuteCandles | null
  now?: () => number
}

const minuteMs = readInterval('1m')!.ms
/** A candle may come so long after its minute. */
const lateMs = 30_000
/** The one that has not ended, one that may still change, and one that is over. */
const candlesRead = 3

/**
 * The volume of a minute that has not ended is not known, so that of the last complete candle of a minute counts, for all
 * orders of the symbol since then. The books say what these have executed, so a restart or another node gives nothing
 * more.
 */
export class PaperVolume {
  #parts: PaperVolumeParts

  constructor(parts: PaperVolumeParts) {
    this.#parts = parts
  }

  /**
   * Executes what it can of an order that gets its price now.
   * @throws {VenueUnreachable} if nobody says what was traded
   */
  async take(
    bot: Pick<HeldBot, 'id' | 'userId' | 'exchangeId' | 'settings'>,
    { symbol, size }: Pick<OrderRequest, 'symbol' | 'size'>,
    rules: MarketRules,
  ): Promise<Taken> {
    const { participation: share = null } = bot.settings
    if (share === null) return { size, reason: null }
    const { volume, endedAt } = await this.#lastMinute(bot, symbol)
    const left = shareOf(volume, share, rules).minus(await this.#filledSince(bot.id, symbol, endedAt))
    return takeUpTo(left.gt('0') ? left : zero, size, { share, of: ofLastMinute, base: rules.base })
  }

  async #lastMinute({ userId, exchangeId }: Pick<HeldBot, 'userId' | 'exchangeId'>, symbol: string) {
    const { candles, now = Date.now } = this.#parts
    if (candles === null) throw new VenueUnreachable(`A replayed market does not say ${whatIsMissing}.`)
    const series = { symbol, interval: '1m' }
    const { found } = await candles
      .latest(userId, { exchange: String(exchangeId) }, series, candlesRead)
      .catch(unreadable)
    const last = found.findLast(({ done }) => done)
    // Exchanges leave out the candles of minutes without a trade, and send others some seconds late.
    if (last === undefined || last.time + minuteMs < now() - minuteMs - lateMs) {
      return { volume: 0, endedAt: now() }
    }
    return { volume: last.volume, endedAt: last.time + minuteMs }
  }

  /** A liquidation is no order, and takes nothing of the volume. */
  async #filledSince(botId: number, symbol: string, since: number) {
    const [row] = await this.#parts.database.db
      .select({ sum: sql<string>`coalesce(sum(${fills.size}), 0)` })
      .from(fills)
      .where(
        and(
          ...[eq(fills.botId, botId), eq(fills.symbol, symbol), ne(fills.kind, 'liquidation')],
          gte(fills.filledAt, new Date(since)),
        ),
      )
    return decimal(row!.sum)
  }
}

const whatIsMissing = 'how much was traded in the last minute, so the bot may trade no part of it'

function unreadable(error: unknown): never {
  const reason = error instanceof Error ? error.message : 'The candles cannot be read.'
  throw new VenueUnreachable(`Nobody says ${whatIsMissing}: ${reason}`)
}
