import { eventText } from './event-text.ts'
import type { LiveStream } from './stream.ts'

/** A symbol of an exchange, in any spelling. */
export type PricedSymbol = { exchangeId: number; symbol: string }

/** The latest price, or why there is none. */
export type Price = { price: number; at: number } | { reason: string }

/**
 * Calls `onPrice` with the price of a symbol now, and with each new one, until the returned function is called.
 * @throws {AppError} 400 if there is no such exchange
 */
export type FollowPrice = (symbol: PricedSymbol, onPrice: (price: Price) => void) => () => void

/** A stream gets at most four prices of a symbol a second. */
const paceMs = 250

/** Sends the prices of symbols to a stream, until the stream ends. */
export function sendPrices(stream: LiveStream, symbols: readonly PricedSymbol[], follow: FollowPrice): void {
  using ends = new DisposableStack()
  for (const symbol of symbols) {
    const pace = ends.use(new Pace((price) => stream.send(Buffer.from(textOf(symbol, price)))))
    ends.defer(follow(symbol, (price) => pace.take(price)))
  }
  const kept = ends.move()
  stream.once('close', () => kept.dispose())
}

/** The price as the stream shows it. */
function textOf({ exchangeId, symbol }: PricedSymbol, price: Price): string {
  const known = 'price' in price
  return eventText('price', {
    exchange_id: exchangeId,
    symbol,
    price: known ? price.price : null,
    at: known ? new Date(price.at).toISOString() : null,
    reason: known ? null : price.reason,
  })
}

/** Lets the first price through at once, and then the latest of each interval. */
class Pace {
  #send: (price: Price) => void
  #timer: NodeJS.Timeout | undefined
  #latest: Price | undefined

  constructor(send: (price: Price) => void) {
    this.#send = send
  }

  take(price: Price): void {
    this.#latest = price
    if (this.#timer === undefined) this.#sendLatest()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  #sendLatest(): void {
    const price = this.#latest
    this.#latest = undefined
    this.#timer = price === undefined ? undefined : setTimeout(() => this.#sendLatest(), paceMs).unref()
    if (price !== undefined) this.#send(price)
  }
}
