import { AppError } from '../base/errors.ts'
import { type Schedule, ticks } from '../schedules/cron-interval.ts'
import type { Strategy } from './strategy.ts'

type Triggered = Pick<Strategy, 'status' | 'cronInterval' | 'timezone' | 'exchangeId' | 'priceSymbol'>

/** What sets a strategy off while it is switched on; `null` where neither the clock nor a price does. */
export function scheduleOf({ status, cronInterval, timezone }: Triggered): Schedule | null {
  if (status === 'INACTIVE' || cronInterval === null) return null
  return { cronInterval, timezone: timezone ?? 'UTC' }
}

/** The market whose prices set a strategy off, if any do. */
export function tickMarket(strategy: Triggered): Pick<Strategy, 'exchangeId' | 'priceSymbol'> | null {
  const schedule = scheduleOf(strategy)
  if (schedule === null || !ticks(schedule)) return null
  return { exchangeId: strategy.exchangeId, priceSymbol: strategy.priceSymbol }
}

/**
 * Whether there are prices to set off a strategy that waits for them.
 * @param where the fields are in the request, such as `body.`; nowhere by default
 * @throws {AppError} 400 naming what is missing
 */
export function checkTickMarket(strategy: Triggered, where = ''): void {
  const market = tickMarket(strategy)
  if (market === null) return
  const missing = []
  if (market.exchangeId === null) missing.push('exchange_id')
  if (market.priceSymbol === null || market.priceSymbol.trim() === '') missing.push('price_symbol')
  if (missing.length === 0) return
  const message = 'is needed: each price of it is to set the strategy off'
  throw new AppError(
    'request_invalid',
    `A strategy with the cron_interval TICK needs ${missing.join(' and ')} while it is ACTIVE.`,
    { details: missing.map((name) => ({ field: `${where}${name}`, message })) },
  )
}
