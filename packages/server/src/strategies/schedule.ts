import { AppError, invalidField } from '../base/errors.ts'
import { type Schedule, ticks } from '../schedules/cron-interval.ts'
import type { Strategy, StrategySettings } from './strategy.ts'

type Triggered = Pick<Strategy, 'status' | 'cronInterval' | 'timezone' | 'exchangeId' | 'priceSymbol'>

/** The schedule of a strategy; `null` if it is inactive or a reaction. */
export function scheduleOf({ status, cronInterval, timezone }: Triggered): Schedule | null {
  if (status === 'INACTIVE' || cronInterval === null) return null
  return { cronInterval, timezone: timezone ?? 'UTC' }
}

/** The market whose prices trigger a strategy; `null` if prices do not trigger it. */
export function tickMarket(strategy: Triggered): Pick<Strategy, 'exchangeId' | 'priceSymbol'> | null {
  const schedule = scheduleOf(strategy)
  if (schedule === null || !ticks(schedule)) return null
  return { exchangeId: strategy.exchangeId, priceSymbol: strategy.priceSymbol }
}

/**
 * Checks that a strategy that runs on each price has a market.
 * @param where a prefix of the field names in the error, such as `body.`
 * @throws {AppError} 400, which names the missing fields
 */
export function checkTickMarket(strategy: Triggered, where = ''): void {
  const market = tickMarket(strategy)
  if (market === null) return
  const missing = []
  if (market.exchangeId === null) missing.push('exchange_id')
  if (market.priceSymbol === null || market.priceSymbol.trim() === '') missing.push('price_symbol')
  if (missing.length === 0) return
  const message = 'is required: each price of it triggers the strategy'
  throw new AppError(
    'request_invalid',
    `An ACTIVE strategy with the cron_interval TICK needs ${missing.join(' and ')}.`,
    { details: missing.map((name) => ({ field: `${where}${name}`, message })) },
  )
}

/**
 * Checks that the clock triggers a strategy, not each price.
 * @throws {AppError} 400 for `TICK`
 */
export function demandClock({ cronInterval, timezone = 'UTC' }: StrategySettings): void {
  if (cronInterval === undefined || !ticks({ cronInterval, timezone })) return
  throw invalidField(
    'cron_interval',
    'cannot be TICK for an AI session: prices can come every second, and no model answers that fast. Use an interval such as 1H, or a cron expression',
  )
}
