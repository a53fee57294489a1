import type { ExchangeName } from '@tickwright/sandbox'

/** A rate and when it was true, in Unix milliseconds on this machine's clock. */
export type Rate = { price: number; at: number }

/**
 * Where current rates come from. `symbol` is in lower case, such as `btcusdt`. It may fail, and may answer late:
 * what asks has given up when `signal` is aborted.
 */
export type RateSource = (exchange: ExchangeName, symbol: string, signal: AbortSignal) => Promise<Rate | null>

/** An older rate is none. */
const freshForMs = 10_000
/** As long as a strategy waits for an answer from the world outside. */
const patienceMs = 1_750

/** What `$.getExchangeRate` asks. */
export class ExchangeRates {
  #source: RateSource | null
  #onError: (error: unknown) => void

  /**
   * @param source `null`: there are no rates to be had
   * @param onError told of what the source failed with; the answer is then `null`
   */
  constructor(source: RateSource | null, onError: (error: unknown) => void) {
    this.#source = source
    this.#onError = onError
  }

  /** The current rate in quote currency, or `null` where no recent one can be had. */
  async rate(exchange: ExchangeName, symbol: string): Promise<number | null> {
    if (this.#source === null) return null
    const signal = AbortSignal.timeout(patienceMs)
    try {
      const rate = await Promise.race([
        this.#source(exchange, symbol.toLowerCase(), signal),
        new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null))),
      ])
      return rate !== null && isCurrent(rate) ? rate.price : null
    } catch (error) {
      if (!signal.aborted) this.#onError(error)
      return null
    }
  }
}

function isCurrent({ price, at }: Rate): boolean {
  return Number.isFinite(price) && price > 0 && Date.now() - at < freshForMs
}
