import { plain } from '../../base/decimals.ts'
import { isDatabaseAway } from '../../base/failures.ts'
import { Semaphore } from '../../base/semaphore.ts'
import { type Sweeper, steadySweeper } from '../../base/sweeper.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Database, PreparedStatement } from '../../db/database.ts'
import type { Announce } from '../../live/changes.ts'
import type { Market } from '../../market/market.ts'
import { marginEnd, marginTermsOf } from '../../trading/isolated-margin.ts'
import { flatPosition } from '../../trading/ledger.ts'
import { rangeOf } from '../../trading/paper-venue.ts'
import type { BotSettings } from '../../trading/types.ts'
import type { HeldBot } from '../inbox.ts'
import { candlesSince, type MissedCandles } from '../missed-candles.ts'
import type { OrderSubscribers } from '../order-notifications.ts'
import { type Judged, liquidateIfDue, type SeenPrices } from './liquidate.ts'

export type LiquidationsParts = {
  database: Database
  market: Pick<Market, 'follow' | 'latest'>
  catalogue: Pick<Catalogue, 'find'>
  /** For what nobody watched, because no process ran; `null`: a market whose time is not that of this machine. */
  candles: MissedCandles | null
  subscribers?: OrderSubscribers
  /** Tells live streams. Default: nobody. */
  onChange?: Announce
  onError(error: unknown): void
  sweepMs?: number
}

/** A paper position with a margin of its own. */
type Margined = Judged & {
  userId: number
  exchangeId: number
  settings: Pick<BotSettings, 'leverage' | 'marginMode' | 'maintenance'>
}

/**
 * `end`: the price at which it is liquidated, as a number. The transaction decides exactly. `reading`: what reads candles for
 * it. A look does not wait for that, because other positions do not.
 */
type Entry = {
  of: Margined
  end: number
  acting: Promise<void> | null
  reading: Promise<void> | null
  unreadSince: number | null
  unfollow(): void
}

type Missed = Required<Pick<SeenPrices, 'missed'>>

const defaultSweepMs = 1_000
/** How often it notes that it watches. */
const notedMs = 5_000
/** The process may have watched for so long after it last noted that it did. */
const unnotedMs = 10_000
/** After a longer pause, candles say what nobody has watched: they are of minutes. */
const pauseMs = 60_000
/** A position whose candles cannot be read for this long is judged by its current price. */
const patienceMs = 60_000
const readingsAtOnce = 4

/** The index of bots with a `maintenance` leads to them. */
const readSql = (condition: string) => `
select json_build_object('botId', b.id, 'userId', b.user_id, 'exchangeId', b.exchange_id, 'symbol', p.symbol,
  'side', p.side, 'entryPrice', trim_scale(p.entry_price)::text,
  'settings', json_build_object('leverage', b.settings->'leverage', 'marginMode', b.settings->'marginMode',
    'maintenance', b.settings->'maintenance'),
  'watchedUntil', round(extract(epoch from p.margin_watched_at) * 1000))
from bots b join positions p on p.bot_id = b.id
where b.settings->>'maintenance' is not null and b.mode = 'paper' and p.side is not null${condition}`

const notedSql = `
update positions p set margin_watched_at = now()
from json_to_recordset($1::json) as t(bot_id bigint, symbol text)
where p.bot_id = t.bot_id and p.symbol = t.symbol`

/**
 * Watches the prices of paper positions that have a margin, and books their liquidations. Every node may do this. It keeps
 * nothing that the database could not tell after a restart.
 */
export class Liquidations {
  #parts: LiquidationsParts
  #read: PreparedStatement
  #readOne: PreparedStatement
  #noted: PreparedStatement
  #entries = new Map<string, Entry>()
  #running = new Set<Promise<void>>()
  #readings = new Semaphore(readingsAtOnce)
  #notedAt = Number.NEGATIVE_INFINITY
  #sweeper: Sweeper

  constructor(parts: LiquidationsParts) {
    this.#parts = parts
    const { database } = parts
    this.#read = database.prepare('positions_with_margin', readSql(''))
    this.#readOne = database.prepare(
      'position_with_margin',
      readSql(' and b.id = $1::bigint and p.symbol = $2'),
    )
    this.#noted = database.prepare('margins_watched', notedSql)
    this.#sweeper = steadySweeper({
      work: () => this.look(),
      everyMs: parts.sweepMs ?? defaultSweepMs,
      onError: (error) => parts.onError(error),
    })
  }

  start(): void {
    this.#sweeper.start()
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop()
    for (const { unfollow } of this.#entries.values()) unfollow()
    await this.settled()
  }

  /** Resolves when everything that it has begun has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Reads the positions, and judges each of them at its current price. */
  async look(now = Date.now()): Promise<void> {
    const rows = await this.#read([])
    const margined = rows.map(([text]) => JSON.parse(text!) as Margined)
    const found = new Map(margined.filter(({ settings }) => marginTermsOf(settings) !== null).map(keyed))
    for (const [key, entry] of this.#entries) {
      if (found.has(key)) continue
      entry.unfollow()
      this.#entries.delete(key)
    }
    for (const [key, of] of found) this.#take(key, of)
    const entries = [...this.#entries.values()]
    const watched: Entry[] = []
    for (const entry of entries) {
      if (this.#isMissed(entry.of, now)) {
        this.#begin(entry, 'reading', () => this.#settleMissed(entry, now))
        continue
      }
      watched.push(entry)
      this.#judge(entry, this.#priceOf(entry.of), now)
    }
    await this.#note(watched, now)
    await Promise.all(entries.map(({ acting }) => acting))
  }

  /**
   * Before a bot follows a signal: liquidates its position in the symbol if the price, or the time in which nobody watched,
   * has ended its margin. If nobody says now what the price was in that time, the signal does not wait for it.
   * @param bot one whose positions have a margin
   */
  async settle(bot: HeldBot, symbol: string): Promise<void> {
    const [row] = await this.#readOne([bot.id, symbol])
    if (row === undefined) return
    const of = JSON.parse(row[0]!) as Margined
    const now = Date.now()
    const current = this.#priceOf(of)
    const seen = this.#isMissed(of, now) ? await this.#missedOf(of, now).catch(() => null) : {}
    await this.#liquidate(of, { current, ...seen }, now)
  }

  #take(key: string, of: Margined): void {
    const known = this.#entries.get(key)
    const position = { ...flatPosition(), side: of.side, entryPrice: of.entryPrice }
    const end = Number(plain(marginEnd(position, marginTermsOf(of.settings)!)!.liquidation))
    if (known !== undefined) {
      Object.assign(known, { of, end })
      return
    }
    const entry: Entry = {
      of,
      end,
      acting: null,
      reading: null,
      unreadSince: null,
      unfollow: () => undefined,
    }
    this.#entries.set(key, entry)
    const place = this.#parts.catalogue.find(of.exchangeId)
    if (place === undefined) return
    entry.unfollow = this.#parts.market.follow(place, of.symbol, ({ price }) => {
      const now = Date.now()
      if (!this.#isMissed(entry.of, now)) this.#judge(entry, String(price), now)
    })
  }

  /** Whether candles have to say what has happened. */
  #isMissed({ watchedUntil }: Margined, now: number): boolean {
    return this.#parts.candles !== null && watchedUntil !== null && now - watchedUntil > pauseMs
  }

  #judge(entry: Entry, current: string | null, now: number): void {
    const { of, end } = entry
    if (current === null) return
    const price = Number(current)
    // A little earlier than the exact end: a number may differ from the decimal.
    const isNear = of.side === 'long' ? price <= end * (1 + 1e-9) : price >= end * (1 - 1e-9)
    if (isNear) this.#begin(entry, 'acting', () => this.#liquidate(of, { current }, now))
  }

  async #settleMissed(entry: Entry, now: number): Promise<void> {
    const { of } = entry
    entry.unreadSince ??= now
    let seen: Missed = { missed: null }
    const release = await this.#readings.acquire()
    try {
      seen = await this.#missedOf(of, now)
    } catch (error) {
      if (now - entry.unreadSince < patienceMs) return
      this.#parts.onError(error)
    } finally {
      release()
    }
    entry.unreadSince = null
    await this.#liquidate(of, { current: this.#priceOf(of), ...seen }, now)
  }

  /** The prices since the position was watched last. @throws what `MarketCandles.range` does */
  async #missedOf(of: Margined, now: number): Promise<Missed> {
    const { candles } = this.#parts
    if (candles === null || of.watchedUntil === null) return { missed: null }
    return { missed: rangeOf(await candlesSince(candles, of, of.watchedUntil + unnotedMs, now)) }
  }

  #begin(entry: Entry, kind: 'acting' | 'reading', work: () => Promise<void>): void {
    if (entry.acting !== null || entry.reading !== null || this.#sweeper.isStopped) return
    const running = work()
      .catch((error: unknown) => {
        // The next look tries again.
        if (!isDatabaseAway(error)) this.#parts.onError(error)
      })
      .finally(() => {
        entry[kind] = null
        this.#running.delete(running)
      })
    entry[kind] = running
    this.#running.add(running)
  }

  async #liquidate(of: Margined, prices: SeenPrices, now: number): Promise<void> {
    const { database, subscribers, onChange } = this.#parts
    const { botId, symbol, userId } = of
    const markPrice = (name: string) => this.#priceOf({ ...of, symbol: name })
    const outcome = await liquidateIfDue({ database, markPrice, subscribers }, of, prices, now)
    if (outcome.status !== 'booked') return
    if (outcome.isTold) subscribers?.onTold()
    for (const id of outcome.fillIds) onChange?.({ kind: 'fill', id, userId })
    onChange?.({ kind: 'position', id: botId, userId, part: symbol })
  }

  #priceOf({ exchangeId, symbol }: Pick<Margined, 'exchangeId' | 'symbol'>): string | null {
    const place = this.#parts.catalogue.find(exchangeId)
    const quote = place && this.#parts.market.latest(place, symbol)
    return quote === undefined ? null : String(quote.price)
  }

  async #note(watched: readonly Entry[], now: number): Promise<void> {
    const isFirst = watched.some(({ of }) => of.watchedUntil === null)
    if (watched.length === 0 || (!isFirst && now - this.#notedAt < notedMs)) return
    await this.#noted([JSON.stringify(watched.map(({ of }) => ({ bot_id: of.botId, symbol: of.symbol })))])
    this.#notedAt = now
  }
}

function keyed(of: Margined): [string, Margined] {
  return [`${of.botId} ${of.symbol}`, of]
}
