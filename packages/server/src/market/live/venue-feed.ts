import assert from 'node:assert/strict'
import { NoSuchMarket, type QuoteListener, VenueUnreachable } from '../price-source.ts'
import type { CcxtTicker } from './ccxt-types.ts'
import type { Pace } from './pace.ts'
import { TickerPolls } from './ticker-polls.ts'
import { wordOf } from './ticker-price.ts'
import { TickerStreams } from './ticker-streams.ts'
import type { VenueLog } from './venue-log.ts'
import type { VenueMarkets } from './venue-markets.ts'
import { WatchedSymbol } from './watched-symbol.ts'
import { reasonOf } from './words.ts'

/** Answers in a row that were news to the subscription: one can have overtaken it, two cannot. */
const missedAtMost = 2
/** What a subscription may have to wait for each that was asked for before it. */
const subscriptionMs = 300

export type VenueFeedOptions = {
  /** How the venue is called in messages, such as `Binance spot`. */
  label: string
  markets: VenueMarkets
  log: VenueLog
  pace: Pace
  /** Unix milliseconds. */
  now: () => number
  /** Told what a listener fails with. */
  onError(error: unknown): void
}

type Connected = { streams: TickerStreams | undefined; polls: TickerPolls; connected: () => boolean }

/**
 * The prices of one venue: by WebSocket where there is one, by REST where there is none, where it fails, and where
 * it has been silent for a while. Works while at least one symbol is watched.
 */
export class VenueFeed {
  #options: VenueFeedOptions
  #watched = new Map<string, WatchedSymbol>()
  #connected: Connected | undefined
  #connecting = false
  #sweeper: NodeJS.Timeout | undefined
  /** Why the venue gives nothing, as far as it is known. */
  #reason: string | undefined
  #pushedMs = Number.NEGATIVE_INFINITY
  #reconnectedMs = Number.NEGATIVE_INFINITY

  constructor(options: VenueFeedOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#watched.size
  }

  /** Watches a symbol until what it returns is called. */
  watch(symbol: string, listener: QuoteListener): () => void {
    assert.ok(!this.#watched.has(symbol), `${symbol} is watched already`)
    const watched = new WatchedSymbol(symbol, this.#guarded(listener), this.#options.pace, this.#options.now)
    this.#watched.set(symbol, watched)
    this.#connected?.streams?.add(symbol)
    if (this.#sweeper === undefined) {
      this.#sweeper = setInterval(() => this.#sweep(), this.#options.pace.sweepMs).unref()
      this.#sweep()
    }
    return () => {
      if (this.#watched.get(symbol) !== watched) return
      this.#watched.delete(symbol)
      this.#connected?.streams?.drop(symbol)
      this.#connected?.polls.forget(symbol)
      if (this.#watched.size === 0) this.#rest()
    }
  }

  /** Lets go of the exchange; what is still watched begins anew. */
  disconnect(): void {
    this.#connected?.streams?.close()
    this.#connected?.polls.close()
    this.#connected = undefined
  }

  close(): void {
    this.#watched.clear()
    this.#rest()
    this.disconnect()
  }

  #rest(): void {
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
    this.#reason = undefined
  }

  #sweep(): void {
    const atMs = performance.now()
    if (this.#connected === undefined) void this.#connect()
    else this.#askForDue(this.#connected.polls, atMs)
    for (const watched of this.#watched.values()) {
      watched.complain(atMs, () =>
        this.#reason === undefined
          ? { reason: this.#nothingHeardOf(watched.symbol), scope: 'symbol' }
          : { reason: this.#reason, scope: 'venue' },
      )
    }
  }

  async #connect(): Promise<void> {
    if (this.#connecting) return
    this.#connecting = true
    const { markets, pace } = this.#options
    try {
      const exchange = await markets.exchange()
      if (this.#watched.size === 0) return
      this.#reason = undefined
      const polls = new TickerPolls({
        exchange,
        pace,
        onAnswer: (symbol, ticker, askedMs) => this.#onAnswer(symbol, ticker, askedMs),
        onUnreachable: (error) => this.#onUnreachable(error),
        onRefused: (symbol, error) => this.#onRefused(symbol, error),
      })
      const streams = new TickerStreams({
        exchange,
        pace,
        onTicker: (symbol, ticker) => this.#onTicker(symbol, ticker),
        onLost: (error) => this.#onLost(error),
        onUnsupported: () => {
          if (this.#connected !== undefined) this.#connected.streams = undefined
        },
      })
      const connected = () => Object.values(exchange.clients ?? {}).some((client) => client.isConnected)
      const canStream = exchange.has.watchTicker === true
      this.#connected = { streams: canStream ? streams : undefined, polls, connected }
      for (const watched of this.#watched.values()) {
        watched.isStreaming = false
        watched.subscribedMs = performance.now()
        if (canStream) streams.add(watched.symbol)
      }
    } catch (error) {
      const isKnown = error instanceof VenueUnreachable || error instanceof NoSuchMarket
      this.#reason = isKnown ? error.message : this.#unreachable(reasonOf(error))
    } finally {
      this.#connecting = false
    }
  }

  #askForDue(polls: TickerPolls, atMs: number): void {
    if (!polls.isFree) return
    const due: string[] = []
    for (const watched of this.#watched.values()) {
      if (!watched.isDue(atMs)) continue
      watched.asked(atMs)
      due.push(watched.symbol)
    }
    if (due.length > 0) void polls.ask(due)
  }

  #onTicker(symbol: string, ticker: CcxtTicker): void {
    const watched = this.#watched.get(symbol)
    const word = watched && this.#wordOf(watched, ticker)
    if (watched === undefined || word === undefined || !watched.push(word)) return
    this.#pushedMs = watched.pushedMs
    this.#reason = undefined
    if (this.#connected?.streams?.isHealthy === true) this.#options.log.back('stream')
  }

  #onAnswer(symbol: string, ticker: CcxtTicker, askedMs: number): void {
    this.#options.log.back('requests')
    this.#reason = undefined
    const watched = this.#watched.get(symbol)
    const word = watched && this.#wordOf(watched, ticker)
    if (watched === undefined || word === undefined) return
    const isNews = watched.answer(word, askedMs)
    if (isNews && watched.pushedMs < askedMs) this.#missed(watched)
  }

  #wordOf(watched: WatchedSymbol, ticker: CcxtTicker) {
    const word = wordOf(ticker)
    if (word !== undefined) {
      this.#options.log.usable(watched.symbol)
      return word
    }
    this.#options.log.unusable(watched.symbol)
    watched.fault = `${this.#options.label} sends no usable price of ${watched.symbol}.`
    return undefined
  }

  /** A subscription that says nothing while the price moves is made anew, or all of them if none says anything. */
  #missed(watched: WatchedSymbol): void {
    if (this.#connected?.streams === undefined || !this.#connected.connected()) return
    watched.missed += 1
    if (watched.missed < missedAtMost) return
    const now = performance.now()
    const { quietMs, renewMs } = this.#options.pace
    if (now - this.#pushedMs >= quietMs) {
      if (now - this.#reconnectedMs >= renewMs) this.#reconnect(this.#connected.streams, now)
      return
    }
    const leastMs = renewMs + (watched.isStreaming ? 0 : this.#watched.size * subscriptionMs)
    if (now - watched.subscribedMs < leastMs) return
    watched.missed = 0
    watched.subscribedMs = now
    this.#connected.streams.renew(watched.symbol)
  }

  #reconnect(streams: TickerStreams, now: number): void {
    this.#reconnectedMs = now
    for (const watched of this.#watched.values()) {
      watched.missed = 0
      watched.isStreaming = false
      watched.subscribedMs = now
    }
    this.#options.log.lost('stream', 'it was silent while prices moved')
    streams.reconnect('the connection was silent')
  }

  #onLost(error: unknown): void {
    const reason = reasonOf(error)
    this.#options.log.lost('stream', reason)
    this.#reason ??= this.#unreachable(reason)
    for (const watched of this.#watched.values()) watched.isStreaming = false
  }

  #onUnreachable(error: unknown): void {
    const reason = reasonOf(error)
    this.#options.log.lost('requests', reason)
    this.#reason = this.#unreachable(reason)
  }

  #onRefused(symbol: string, error: unknown): void {
    const watched = this.#watched.get(symbol)
    if (watched !== undefined) {
      watched.fault = `${this.#options.label} gives no price of ${symbol}: ${reasonOf(error)}.`
    }
  }

  #unreachable(reason: string): string {
    return `${this.#options.label} cannot be reached: ${reason}.`
  }

  #nothingHeardOf(symbol: string): string {
    return `${this.#options.label} has sent no price of ${symbol} for a while.`
  }

  /** What a listener throws must not end a loop that serves others. */
  #guarded(listener: QuoteListener): QuoteListener {
    const guard =
      <T>(tell: (value: T) => void) =>
      (value: T) => {
        try {
          tell(value)
        } catch (error) {
          this.#options.onError(error)
        }
      }
    return {
      onUpdate: guard((quote) => listener.onUpdate(quote)),
      onConfirmation: guard((quote) => listener.onConfirmation(quote)),
      onTrouble: guard((trouble) => listener.onTrouble(trouble)),
    }
  }
}
