import { Backoff } from './backoff.ts'
import { type CcxtExchange, type CcxtTicker, isCcxtError } from './ccxt-types.ts'
import { isRateLimit } from './failure-reasons.ts'
import type { Pace } from './pace.ts'
import { rateLimitPauseMs } from './rate-limit-pause.ts'

/** Symbols in one request. Their names are part of its address. */
const batchSize = 100
/**
 * At most this many symbols are requested one by one, if the exchange allows requests in quick succession: there, one
 * request for all of them can cost as much as forty, and the next request has to wait for that.
 */
const fewSymbols = 3
const closeRequestsMs = 100

export type TickerPollsOptions = {
  exchange: CcxtExchange
  pace: Pace
  /** `askedMs`: when the request was sent, by `performance.now()`. */
  onAnswer(symbol: string, ticker: CcxtTicker, askedMs: number): void
  /** The exchange did not answer. The next request follows after a pause. */
  onUnreachable(error: unknown): void
  /** The exchange refused this symbol. It is requested again later, on its own. */
  onRefused(symbol: string, error: unknown): void
}

/** Requests tickers of one venue by REST: one request at a time, for many symbols if the exchange allows that. */
export class TickerPolls {
  #options: TickerPollsOptions
  #backoff: Backoff
  #refused = new Map<string, Backoff>()
  #asking = false
  #closed = false

  constructor(options: TickerPollsOptions) {
    this.#options = options
    this.#backoff = new Backoff({ ...options.pace, firstPauseMs: options.pace.pollMs })
  }

  /** Whether a request may be made now. */
  get isFree(): boolean {
    return !this.#asking && !this.#closed && this.#backoff.waitMs === 0
  }

  /** How long the exchange is not asked, because it has refused requests or not answered, in ms. */
  get waitMs(): number {
    return this.#backoff.waitMs
  }

  /** Forgets that a symbol was refused. */
  forget(symbol: string): void {
    this.#refused.delete(symbol)
  }

  /** Requests tickers, unless a request is in progress. Never rejects. */
  async ask(symbols: string[]): Promise<void> {
    if (!this.isFree) return
    this.#asking = true
    for (const batch of this.#batchesOf(symbols)) {
      if (this.#closed || this.#backoff.waitMs > 0) break
      await this.#askFor(batch)
    }
    this.#asking = false
  }

  close(): void {
    this.#closed = true
  }

  /** One request is for markets of one kind. A refused symbol gets its own, so that it does not fail the others. */
  #batchesOf(symbols: string[]): string[][] {
    const { exchange } = this.#options
    const alone: string[][] = []
    const kinds = new Map<string, string[]>()
    for (const symbol of symbols) {
      const refused = this.#refused.get(symbol)
      if (refused !== undefined || exchange.has.fetchTickers !== true) {
        if (refused === undefined || refused.waitMs === 0) alone.push([symbol])
        continue
      }
      const market = exchange.markets?.[symbol]
      const kind = `${market?.type} ${market?.linear} ${market?.settle}`
      kinds.set(kind, [...(kinds.get(kind) ?? []), symbol])
    }
    const cheaperAlone = exchange.has.fetchTicker === true && exchange.rateLimit <= closeRequestsMs
    const size = (kind: string[]) => (cheaperAlone && kind.length <= fewSymbols ? 1 : batchSize)
    return [...[...kinds.values()].flatMap((kind) => chunksOf(kind, size(kind))), ...alone]
  }

  async #askFor(batch: string[]): Promise<void> {
    const askedMs = performance.now()
    try {
      const tickers = await this.#fetch(batch)
      this.#backoff.reset()
      if (this.#closed) return
      for (const [symbol, ticker] of tickers) {
        this.#refused.delete(symbol)
        this.#options.onAnswer(symbol, ticker, askedMs)
      }
    } catch (error) {
      if (!this.#closed) await this.#afterFailure(batch, error)
    }
  }

  async #fetch(batch: string[]): Promise<[symbol: string, ticker: CcxtTicker][]> {
    const { exchange } = this.#options
    const [symbol] = batch as [string]
    if (batch.length === 1 && exchange.has.fetchTicker === true) {
      return [[symbol, await exchange.fetchTicker(symbol)]]
    }
    const tickers = await exchange.fetchTickers(batch)
    return batch.flatMap((wanted) => {
      const ticker = tickers[wanted]
      return ticker === undefined ? [] : [[wanted, ticker]]
    })
  }

  async #afterFailure(batch: string[], error: unknown): Promise<void> {
    if (isRateLimit(error) || isCcxtError(error, 'OperationFailed') || !isCcxtError(error, 'BaseError')) {
      this.#backoff.failed(
        isRateLimit(error) ? rateLimitPauseMs(this.#options.exchange, this.#options.pace) : 0,
      )
      this.#options.onUnreachable(error)
      return
    }
    const [symbol] = batch as [string]
    if (batch.length === 1) {
      const refused = this.#refused.get(symbol) ?? new Backoff(this.#options.pace)
      refused.failed(this.#options.pace.pollMs)
      this.#refused.set(symbol, refused)
      this.#options.onRefused(symbol, error)
      return
    }
    // The exchange refuses one of them. Requesting the halves finds out which.
    const half = Math.ceil(batch.length / 2)
    await this.#askFor(batch.slice(0, half))
    if (this.#backoff.waitMs === 0 && !this.#closed) await this.#askFor(batch.slice(half))
  }
}

function chunksOf(symbols: string[], size: number): string[][] {
  const chunks: string[][] = []
  for (let i = 0; i < symbols.length; i += size) chunks.push(symbols.slice(i, i + size))
  return chunks
}
