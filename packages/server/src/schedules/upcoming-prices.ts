import type { Database, PreparedStatement } from '../db/database.ts'
import type { MarketCandles } from '../market/candles/market-candles.ts'
import type { StrategyPrices } from '../market/strategy-prices.ts'

/** How often to look for strategies that are due soon, and how far ahead: twice as far, so that none is missed in between. */
const lookMs = 10_000
const aheadMs = 2 * lookMs
const maxMarkets = 1_000

const upcomingSql = `
select distinct st.exchange_id, st.price_symbol
from schedules s join strategies st on st.id = s.strategy_id
where not s.ticks and s.next_run_at between to_timestamp($1::double precision / 1000.0)
  and to_timestamp($2::double precision / 1000.0)
  and st.use_price and st.exchange_id is not null and st.price_symbol is not null
limit ${maxMarkets}`

const dueSql = `
select strategy_id from schedules
where not ticks and next_run_at between to_timestamp($1::double precision / 1000.0)
  and to_timestamp($2::double precision / 1000.0)
  and strategy_id = any($3::bigint[])
limit ${maxMarkets}`

export type UpcomingPricesParts = {
  database: Database
  prices: Pick<StrategyPrices, 'latest'>
  candles: Pick<MarketCandles, 'remembered' | 'prepare'>
  onError(error: unknown): void
  onSuccess?(): void
}

/**
 * Asks for the prices of strategies that are due soon, and for the candles that they asked for last time. Otherwise a strategy that runs once an hour would have to wait
 * for an exchange that the service has disconnected from in the meantime.
 */
export class UpcomingPrices {
  #parts: UpcomingPricesParts
  #upcoming: PreparedStatement
  #due: PreparedStatement
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  constructor(parts: UpcomingPricesParts) {
    this.#parts = parts
    this.#upcoming = parts.database.prepare('upcoming_prices', upcomingSql)
    this.#due = parts.database.prepare('upcoming_candles', dueSql)
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), lookMs).unref()
    this.look()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  /** Looks once, unless a look is in progress. */
  look(): void {
    this.#looking ??= this.#look()
      .then(() => this.#parts.onSuccess?.())
      .catch((error: unknown) => this.#parts.onError(error))
      .finally(() => {
        this.#looking = undefined
      })
  }

  async #look(): Promise<void> {
    const { prices, candles } = this.#parts
    const now = Date.now()
    for (const [exchangeId, priceSymbol] of await this.#upcoming([now, now + aheadMs])) {
      // The market watches a symbol from the first request for its price.
      prices.latest({ exchangeId: Number(exchangeId), priceSymbol: priceSymbol! })
    }
    const asked = candles.remembered
    if (asked.length === 0) return
    const due = await this.#due([now, now + aheadMs, `{${asked.join()}}`])
    candles.prepare(due.map(([strategyId]) => Number(strategyId)))
  }
}
