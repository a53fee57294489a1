import type { Logger } from 'pino'
import { latestUsed } from '../base/latest-used.ts'
import type { PriceLog, PriceSettings } from './strategy-prices.ts'

const maxRemembered = 10_000
/** Runs that wait for the same first price fail together. That is no outage yet. */
const sameMomentMs = 5_000

/**
 * Logs that strategies get no price of a symbol: one line when runs had none and a later one has none either, and one
 * line when there is a price again. The records of runs show the price that was missing only for a moment.
 */
export class MissingPrices implements PriceLog {
  #logger: Pick<Logger, 'warn' | 'info'>
  #missing = latestUsed<string, { sinceMs: number; isLogged: boolean }>(maxRemembered)

  constructor(logger: Pick<Logger, 'warn' | 'info'>) {
    this.#logger = logger
  }

  missed({ exchangeId, priceSymbol }: PriceSettings, reason: string): void {
    const key = `${exchangeId} ${priceSymbol}`
    const missing = this.#missing.get(key)
    if (missing === undefined) {
      this.#missing.set(key, { sinceMs: performance.now(), isLogged: false })
    } else if (!missing.isLogged && performance.now() - missing.sinceMs >= sameMomentMs) {
      missing.isLogged = true
      this.#logger.warn({ exchangeId, priceSymbol, reason }, 'strategies have no price')
    }
  }

  arrived({ exchangeId, priceSymbol }: PriceSettings): void {
    if (this.#missing.size === 0) return
    const key = `${exchangeId} ${priceSymbol}`
    const missing = this.#missing.get(key)
    if (missing === undefined) return
    this.#missing.delete(key)
    if (missing.isLogged) this.#logger.info({ exchangeId, priceSymbol }, 'strategies have a price again')
  }
}
