import { setImmediate as nextTurn } from 'node:timers/promises'
import { Backoff } from './backoff.ts'
import { type CcxtExchange, type CcxtTicker, isCcxtError } from './ccxt-types.ts'
import { endConnections } from './connections.ts'
import { isRateLimit } from './failure-reasons.ts'
import type { Pace } from './pace.ts'
import { unsubscribe } from './unsubscribe.ts'

export type TickerStreamsOptions = {
  exchange: CcxtExchange
  pace: Pace
  onTicker(symbol: string, ticker: CcxtTicker): void
  /** A connection was lost, or could not be opened. Called for each symbol on it. The service connects again. */
  onLost(error: unknown): void
  /** The exchange gives this service no tickers by WebSocket. There are no more attempts. */
  onUnsupported(error: unknown): void
}

/** The longest time of a timer in Node. */
const longestTimerMs = 2 ** 31 - 1
/** The reason in the error of connections that were ended on purpose. */
const leftoverReason = 'a subscription could not be ended'

type Stream = {
  readonly symbol: string
  wanted: boolean
  listening: boolean
  /** Subscribe again although nothing has changed. */
  renew: boolean
  settling: boolean
  /** The number of loops so far. Only the latest one is in charge. */
  generation: number
}

/**
 * Tickers of one venue by WebSocket, with one subscription for each symbol. ccxt shares connections among them and sends
 * the subscriptions. This class decides when each begins and ends, and what to do after a failure.
 */
export class TickerStreams {
  #options: TickerStreamsOptions
  #streams = new Map<string, Stream>()
  #backoff: Backoff
  #closed = false
  #pauses = new Set<() => void>()
  /** Symbols that are no longer wanted, but whose subscription could not be ended. */
  #leftovers = new Set<string>()
  #leftoversTimer: NodeJS.Timeout | undefined
  #endedMs = Number.NEGATIVE_INFINITY

  constructor(options: TickerStreamsOptions) {
    this.#options = options
    this.#backoff = new Backoff(options.pace)
  }

  /** Whether there has been no failure for a while. */
  get isHealthy(): boolean {
    return this.#backoff.isHealthy
  }

  add(symbol: string): void {
    let stream = this.#streams.get(symbol)
    if (stream === undefined) {
      stream = { symbol, wanted: true, listening: false, renew: false, settling: false, generation: 0 }
      this.#streams.set(symbol, stream)
    }
    stream.wanted = true
    void this.#settle(stream)
  }

  drop(symbol: string): void {
    const stream = this.#streams.get(symbol)
    if (stream === undefined) return
    stream.wanted = false
    void this.#settle(stream)
  }

  /** Subscribes to a symbol again, because it is silent while others are not. */
  renew(symbol: string): void {
    const stream = this.#streams.get(symbol)
    if (stream === undefined) return
    stream.renew = true
    void this.#settle(stream)
  }

  /** Ends all connections and connects again, because they are silent. */
  reconnect(reason: string): void {
    this.#leftovers.clear()
    endConnections(this.#options.exchange, reason)
  }

  close(): void {
    this.#closed = true
    for (const end of this.#pauses) end()
    clearTimeout(this.#leftoversTimer)
    for (const stream of this.#streams.values()) stream.generation += 1
    this.#streams.clear()
  }

  /** Subscribes or unsubscribes until the stream is as wanted, one step at a time: a symbol never has two subscriptions. */
  async #settle(stream: Stream): Promise<void> {
    if (stream.settling) return
    stream.settling = true
    while (!this.#closed && (stream.wanted !== stream.listening || stream.renew)) {
      if (stream.listening) {
        stream.listening = false
        stream.generation += 1
        const { renew } = stream
        stream.renew = false
        await this.#unsubscribe(stream.symbol, renew && stream.wanted)
      } else {
        stream.renew = false
        if (!stream.wanted) break
        stream.listening = true
        stream.generation += 1
        this.#leftovers.delete(stream.symbol)
        void this.#listen(stream, stream.generation)
      }
    }
    stream.settling = false
    if (!stream.wanted) this.#streams.delete(stream.symbol)
  }

  async #listen(stream: Stream, generation: number): Promise<void> {
    const { symbol } = stream
    const isCurrent = () => stream.generation === generation && !this.#closed
    const own = new Backoff(this.#options.pace)
    // A ticker that ccxt kept from an earlier subscription is not new.
    let heard = this.#kept(symbol)
    const hear = (ticker: CcxtTicker) => {
      heard = ticker
      if (ticker.symbol === symbol) this.#options.onTicker(symbol, ticker)
    }
    await this.#pause(this.#backoff.waitMs)
    while (isCurrent()) {
      try {
        const next = await this.#options.exchange.watchTicker(symbol)
        if (!isCurrent()) return this.#heardTooLate(stream, next)
        // Of two tickers in one packet, ccxt returns the first. If it did not wait at all, it returns the same one again.
        const ticker = this.#kept(symbol) ?? next
        if (ticker === heard) await this.#pause(this.#options.pace.firstPauseMs)
        else hear(ticker)
        own.reset()
        this.#backoff.worked()
      } catch (error) {
        if (isCurrent()) await this.#afterFailure(error, own)
        const missed = this.#kept(symbol)
        if (isCurrent() && missed !== undefined && missed !== heard) hear(missed)
      }
    }
  }

  /** The latest ticker that ccxt keeps. */
  #kept(symbol: string): CcxtTicker | undefined {
    return (this.#options.exchange as { tickers?: Record<string, CcxtTicker> }).tickers?.[symbol]
  }

  async #afterFailure(error: unknown, own: Backoff): Promise<void> {
    if (isCcxtError(error, 'NotSupported') || isCcxtError(error, 'AuthenticationError')) {
      this.#options.onUnsupported(error)
      this.close()
      return
    }
    if (isCcxtError(error, 'NetworkError')) {
      this.#backoff.failed(isRateLimit(error) ? this.#options.pace.rateLimitPauseMs : 0)
      if (!isDeliberate(error)) this.#options.onLost(error)
      await this.#pause(this.#backoff.waitMs)
    } else {
      // An unreadable message, or a refusal of this symbol: the connection is fine.
      own.failed()
      await this.#pause(own.waitMs)
    }
  }

  /** A loop that is no longer in charge has received a ticker. */
  #heardTooLate(stream: Stream, ticker: CcxtTicker): void {
    if (this.#closed) return
    if (stream.wanted) {
      // The next loop may have begun to wait too late for it.
      if (ticker.symbol === stream.symbol) this.#options.onTicker(stream.symbol, ticker)
    } else if (!stream.settling && !this.#streams.has(stream.symbol)) {
      // For some exchanges, ccxt requests an address first, and then subscribes although the symbol was dropped.
      void this.#unsubscribe(stream.symbol, false)
    }
  }

  async #unsubscribe(symbol: string, wanted: boolean): Promise<void> {
    const { exchange, pace } = this.#options
    // By the next turn, a new subscription is on ccxt's list.
    await nextTurn()
    if (this.#closed) return
    const ended = await unsubscribe(exchange, symbol, pace.unsubscribeMs).catch(() => false)
    if (ended || wanted || this.#closed) return
    this.#leftovers.add(symbol)
    this.#endLeftovers()
  }

  /** Ends the connections if a subscription cannot be ended otherwise: at once if no other symbol needs them. */
  #endLeftovers(): void {
    if (this.#leftovers.size === 0 || this.#leftoversTimer !== undefined) return
    const isAlone = ![...this.#streams.values()].some((stream) => stream.wanted)
    const dueMs = isAlone ? 0 : this.#endedMs + this.#options.pace.renewMs - performance.now()
    this.#leftoversTimer = setTimeout(
      () => {
        this.#leftoversTimer = undefined
        if (this.#leftovers.size === 0) return
        this.#endedMs = performance.now()
        this.reconnect(leftoverReason)
      },
      Math.max(0, dueMs),
    ).unref()
  }

  #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#closed) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#pauses.delete(end)
        resolve()
      }
      const timer = setTimeout(end, Math.min(ms, longestTimerMs)).unref()
      this.#pauses.add(end)
    })
  }
}

function isDeliberate(error: unknown): boolean {
  return error instanceof Error && error.message === leftoverReason
}
