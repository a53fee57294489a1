import assert from 'node:assert/strict'
import { given } from '../src/base/given.ts'
import {
  type MarketVenue,
  NoSuchMarket,
  type PriceSource,
  type Quote,
  type QuoteListener,
} from '../src/market/price-source.ts'
import type { MarketRules } from '../src/market/rules.ts'
import { until } from './until.ts'

/** A price with the current time. */
export const now = (price: number): Quote => ({ price, at: Date.now() })

/** An exchange whose prices the test sets. */
export class ManualPrices implements PriceSource {
  readonly kind = 'live'
  /** The current watchers, by venue and symbol. */
  listeners = new Map<string, QuoteListener>()
  /** Every watch so far. */
  begun: string[] = []
  asked = 0
  closed = false
  /** Errors for the next requests for a symbol, in order. */
  failures: Error[] = []
  /** The highest leverage of every future; `undefined`: it does not say. */
  mostLeverage: string | undefined

  nameOf({ exchange }: MarketVenue) {
    return exchange
  }

  async resolve(_venue: MarketVenue, spelling: string) {
    this.asked += 1
    const failure = this.failures.shift()
    if (failure !== undefined) throw failure
    const symbol = spelling.toUpperCase().replace('/', '')
    if (symbol === 'NOSUCH') throw new NoSuchMarket('There is no NOSUCH.')
    return symbol
  }

  async rules({ service }: MarketVenue, symbol: string): Promise<MarketRules> {
    const [base = symbol, quote = 'USDT'] = symbol.split('/')
    const step = { sizeStep: '0.001', minSize: '0.001', minNotional: '5' }
    if (service !== 'futures') return { symbol, service: 'spot', base, quote, ...step }
    return { symbol, service: 'futures', base, quote, ...step, ...given({ mostLeverage: this.mostLeverage }) }
  }

  watch({ service }: MarketVenue, symbol: string, listener: QuoteListener) {
    const key = `${service} ${symbol}`
    assert.ok(!this.listeners.has(key), `${key} is watched twice`)
    this.begun.push(key)
    this.listeners.set(key, listener)
    return () => {
      this.listeners.delete(key)
    }
  }

  async close() {
    this.closed = true
  }

  /** Sends a price as soon as someone watches. */
  async send(price: number, key?: string): Promise<void> {
    ;(await this.listener(key)).onUpdate(now(price))
  }

  /** Resolves when someone watches. */
  async listener(key = 'spot BTCUSDT'): Promise<QuoteListener> {
    await until(`somebody to watch ${key}`, async () => this.listeners.has(key))
    return this.listeners.get(key)!
  }
}
