import { readInterval } from '@tickwright/sandbox'
import { decimal, plain } from '../../base/decimals.ts'
import { isDatabaseAway } from '../../base/failures.ts'
import { Semaphore } from '../../base/semaphore.ts'
import { type Sweeper, steadySweeper } from '../../base/sweeper.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Database, PreparedStatement } from '../../db/database.ts'
import type { Announce } from '../../live/changes.ts'
import type { CandleSource } from '../../market/candles/candle-source.ts'
import type { Market } from '../../market/market.ts'
import { NoSuchMarket, VenueUnreachable } from '../../market/price-source.ts'
import { type FundingRate, fundingMoments } from '../../trading/funding.ts'
import type { MissedCandles } from '../missed-candles.ts'
import type { OrderSubscribers } from '../order-notifications.ts'
import { noteSettled, type PaperKey, payFunding, tellUnknown } from './pay-funding.ts'

export type FundingsParts = {
  database: Database
  market: Pick<Market, 'latest' | 'resolve'>
  catalogue: Pick<Catalogue, 'find'>
  /** For the prices of moments; `null`: a market whose time is not that of this machine. Then nothing is paid. */
  candles: MissedCandles | null
  rates: Pick<CandleSource, 'funding'>
  subscribers?: OrderSubscribers
  /** Tells live streams. Default: nobody. */
  onChange?: Announce
  onError(error: unknown): void
  sweepMs?: number
}

/** A paper position that pays funding, or did a while ago. `until`: every moment until then is settled. Unix ms. */
type Paying = PaperKey & { userId: number; exchangeId: number; until: number | null }

type Rates = { since: number; readAt: number; rates: FundingRate[] }

const defaultSweepMs = 30_000
const minuteMs = readInterval('1m')!.ms
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** A moment is looked at again for so long: its rate may come late, also one that nobody expected. */
const overlapMs = 2 * hourMs
/** The distance of moments shows in the rates of this time. A rate that is unknown for longer is given up. */
const windowMs = 3 * dayMs
/** How often it notes what is settled. */
const notedMs = 10 * minuteMs
/** The owner hears of a rate that is unknown for so long. */
const unknownMs = hourMs
/** Just after an hour, when rates are due, they are asked for more often. */
const soonMs = 10 * minuteMs
/** So many exchanges are asked at the same time. One that says nothing holds its place until its requests end. */
const exchangesAtOnce = 16
/** The price of a moment in a gap of the candles is the last close of this time. */
const longestGapMs = 900 * minuteMs

/** The index of bots with `funding` leads to them. Positions that are closed count until their last moments are settled. */
const readSql = `
select json_build_object('botId', b.id, 'userId', b.user_id, 'exchangeId', b.exchange_id, 'symbol', p.symbol,
  'until', floor(extract(epoch from coalesce(p.funding_until,
    (select min(f.filled_at) from fills f where f.bot_id = b.id and f.symbol = p.symbol))) * 1000))
from bots b join positions p on p.bot_id = b.id
where b.settings->>'funding' = 'exchange' and b.mode = 'paper'
  and (p.side is not null or p.funding_until is null or p.funding_until < p.updated_at)`

/**
 * Books what paper positions in perpetuals pay and receive, by the rates of their exchange. Every node may do this. It keeps
 * nothing that the database could not tell after a restart.
 */
export class Fundings {
  #parts: FundingsParts
  #read: PreparedStatement
  /** By market. */
  #rates = new Map<string, Rates>()
  /** By position: moments that are booked or at which nothing was held, and those whose rates are unknown. */
  #seen = new Map<string, { settled: Set<number>; unknown: Set<number> }>()
  /** Exchanges that are asked now. */
  #asked = new Map<number, Promise<void>>()
  #places = new Semaphore(exchangesAtOnce)
  #sweeper: Sweeper

  constructor(parts: FundingsParts) {
    this.#parts = parts
    this.#read = parts.database.prepare('positions_with_funding', readSql)
    this.#sweeper = steadySweeper({
      work: () => this.#begin(Date.now()),
      everyMs: parts.sweepMs ?? defaultSweepMs,
      onError: (error) => parts.onError(error),
    })
  }

  start(): void {
    this.#sweeper.start()
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop()
    await this.#settled()
  }

  /** Books the moments until now whose rates are known. Resolves when every exchange has answered. */
  async look(now = Date.now()): Promise<void> {
    await this.#settled()
    await this.#begin(now)
    await this.#settled()
  }

  async #settled(): Promise<void> {
    await Promise.all(this.#asked.values())
  }

  /** Asks each exchange that is not asked already. One that says nothing holds up no other, nor the next look at them. */
  async #begin(now: number): Promise<void> {
    const rows = await this.#read([])
    const paying = rows.map(([text]) => JSON.parse(text!) as Paying).filter(isPerpetual)
    const positions = new Set(paying.map(keyOf))
    for (const key of this.#seen.keys()) if (!positions.has(key)) this.#seen.delete(key)
    const markets = Map.groupBy(paying, ({ exchangeId, symbol }) => `${exchangeId} ${symbol}`)
    for (const key of this.#rates.keys()) if (!markets.has(key)) this.#rates.delete(key)
    const exchanges = Map.groupBy(markets, ([, held]) => held[0]!.exchangeId)
    for (const [id, ofExchange] of exchanges) {
      if (this.#asked.has(id) || this.#sweeper.isStopped) continue
      const asked = this.#settleAll(ofExchange, now).finally(() => this.#asked.delete(id))
      this.#asked.set(id, asked)
    }
  }

  /** The markets of one exchange, one after another. Never rejects. */
  async #settleAll(markets: readonly (readonly [string, readonly Paying[]])[], now: number): Promise<void> {
    const release = await this.#places.acquire()
    try {
      for (const [key, held] of markets) {
        if (this.#sweeper.isStopped) return
        // The next look tries again.
        await this.#settle(key, held, now).catch((error: unknown) => {
          if (!isDatabaseAway(error)) this.#parts.onError(error)
        })
      }
    } finally {
      release()
    }
  }

  async #settle(market: string, held: readonly Paying[], now: number): Promise<void> {
    const since = Math.min(now - windowMs, ...held.map(({ until }) => until ?? now))
    const rates = await this.#ratesOf(market, held[0]!, since, now)
    const prices = new Map<number, string | null>()
    for (const each of held) {
      const fromMs = (each.until ?? now) + 1
      // The candle of the moment has begun, and its order may be on the way to the books.
      const moments = fundingMoments(rates, { fromMs, toMs: now - minuteMs, assumed: null })
      let open: number | undefined
      for (const { at, rate } of moments) {
        const isOver = at < now - windowMs && rate === null
        if (isOver || (await this.#pay(each, { at, rate }, prices, now))) continue
        open ??= at
      }
      const until = Math.min(now - overlapMs, (open ?? now) - 1)
      if (until - (each.until ?? 0) > notedMs) await noteSettled(this.#parts.database, each, until)
    }
  }

  /** @returns whether the moment is settled */
  async #pay(
    paying: Paying,
    { at, rate }: { at: number; rate: string | null },
    prices: Map<number, string | null>,
    now: number,
  ): Promise<boolean> {
    const { subscribers, onChange } = this.#parts
    const key = keyOf(paying)
    const { settled, unknown } = this.#seen.get(key) ?? { settled: new Set(), unknown: new Set() }
    this.#seen.set(key, { settled, unknown })
    if (settled.has(at)) return true
    const parts = { ...this.#parts, markPrice: (symbol: string) => this.#priceNow(paying, symbol) }
    if (rate !== null && !prices.has(at)) prices.set(at, await this.#priceAt(paying, at))
    const price = prices.get(at) ?? null
    if (rate === null || price === null) {
      if (now - at < unknownMs || unknown.has(at)) return false
      const { isHeld, isTold } = await tellUnknown(parts, paying, at)
      if (isTold) subscribers?.onTold()
      ;(isHeld ? unknown : settled).add(at)
      return !isHeld
    }
    const { botId: id, userId, symbol: part } = paying
    if (await payFunding(parts, paying, { at, rate, price }))
      onChange?.({ kind: 'position', id, userId, part })
    settled.add(at)
    return true
  }

  /** Those that the exchange has, from a time on. If it cannot be asked, those that are known already. */
  async #ratesOf(
    market: string,
    { exchangeId, symbol }: Paying,
    since: number,
    now: number,
  ): Promise<FundingRate[]> {
    const known = this.#rates.get(market)
    const freshMs = now % hourMs < soonMs ? minuteMs : soonMs
    if (known !== undefined && known.since <= since && now - known.readAt < freshMs) return known.rates
    const place = this.#parts.catalogue.find(exchangeId)
    if (place?.enabled !== true) return known?.rates ?? []
    try {
      const name = await this.#parts.market.resolve(place, symbol)
      const found = await this.#parts.rates.funding(place, name, { since, until: now })
      const rates = found.map(({ time, rate }) => ({
        at: time,
        rate: plain(decimal(String(rate))),
        price: null,
      }))
      this.#rates.set(market, { since, readAt: now, rates })
      return rates
    } catch (error) {
      if (!(error instanceof NoSuchMarket || error instanceof VenueUnreachable)) throw error
      const rates = known?.rates ?? []
      this.#rates.set(market, { since, readAt: now, rates })
      return rates
    }
  }

  /** The opening of the minute of a moment, or in a gap the last close before it. `null`: nobody says now. */
  async #priceAt({ userId, exchangeId, symbol }: Paying, at: number): Promise<string | null> {
    const { candles } = this.#parts
    if (candles === null) return null
    const opening = at - (at % minuteMs)
    const range = { since: opening - longestGapMs, until: opening + minuteMs }
    const series = { symbol, interval: '1m' }
    try {
      const { found } = await candles.range(userId, { exchange: String(exchangeId) }, series, () => range)
      const last = found.findLast(({ time }) => time <= opening)
      if (last === undefined) return null
      return plain(decimal(String(last.time === opening ? last.open : last.last)))
    } catch (error) {
      if (isDatabaseAway(error)) throw error
      return null
    }
  }

  #priceNow({ exchangeId }: Paying, symbol: string): string | null {
    const place = this.#parts.catalogue.find(exchangeId)
    const quote = place && this.#parts.market.latest(place, symbol)
    return quote === undefined ? null : String(quote.price)
  }
}

/** A future that ends, such as `BTC/USDT:USDT-270326`, pays nothing. */
function isPerpetual({ symbol }: Paying): boolean {
  return /:[^-]+$/.test(symbol)
}

function keyOf({ botId, symbol }: PaperKey): string {
  return `${botId} ${symbol}`
}
