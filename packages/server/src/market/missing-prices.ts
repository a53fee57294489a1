import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { PriceLog, PriceSettings } from './strategy-prices.ts'

const rememberedAtMost = 10_000

/**
 * Logs that strategies get no price of a symbol: one line when two runs in a row had none, and one when there is a
 * price again. A single run without a price is in its own record only.
 */
export class MissingPrices implements PriceLog {
  #logger: Pick<Logger, 'warn' | 'info'>
  #missing = new LRUCache<string, { isLogged: boolean }>({ max: rememberedAtMost })

  constructor(logger: Pick<Logger, 'warn' | 'info'>) {
    this.#logger = logger
  }

  missed({ exchangeId, priceSymbol }: PriceSettings, reason: string): void {
    const key = `${exchangeId} ${priceSymbol}`
    const missing = this.#missing.get(key)
    if (missing === undefined) {
      this.#missing.set(key, { isLogged: false })
    } else if (!missing.isLogged) {
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
