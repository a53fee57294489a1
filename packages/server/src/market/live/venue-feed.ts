import assert from 'node:assert/strict'
import { NoSuchMarket, type QuoteListener, VenueUnreachable } from '../price-source.ts'
import type { CcxtTicker } from './ccxt-types.ts'
import { reasonOf } from './failure-reasons.ts'
import type { Pace } from './pace.ts'
import { TickerPolls } from './ticker-polls.ts'
import { readTicker } from './ticker-price.ts'
import { TickerStreams } from './ticker-streams.ts'
import type { VenueLog } from './venue-log.ts'
import type { VenueMarkets } from './venue-markets.ts'
import { WatchedSymbol } from './watched-symbol.ts'

/** A subscription that missed this many new prices in a row does not work: one response can overtake it, two cannot. */
const maxMissed = 2
/** How long each earlier subscription may delay a new one. */
const subscriptionMs = 300

export type VenueFeedOptions = {
  /** The venue's name in messages, such as `Binance spot`. */
  label: string
  markets: VenueMarkets
  log: VenueLog
  pace: Pace
  /** Unix milliseconds. */
  now: () => number
  /** Called when a listener throws. */
  onError(error: unknown): void
}

type Connected = { streams: TickerStreams | undefined; polls: TickerPolls; connected: () => boolean }

/**
 * The prices of one venue: by WebSocket if it has one, and by REST if it has none, or while it fails or is silent. The
 * feed works while at least one symbol is watched.
 */
export class VenueFeed {
  #options: VenueFeedOptions
  #watched = new Map<string, WatchedSymbol>()
  #connected: Connected | undefined
  #connecting = false
  #sweeper: NodeJS.Timeout | undefined
  /** Why the venue sends nothing, if that is known. */
  #reason: string | undefined
  #pushedMs = Number.NEGATIVE_INFINITY
  #reconnectedMs = Number.NEGATIVE_INFINITY

  constructor(options: VenueFeedOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#watched.size
  }

  /** How long the feed sends no requests, because the exchange wants fewer or does not answer, in ms. */
  get pausedMs(): number {
    return this.#connected?.polls.waitMs ?? 0
  }

  /** Watches a symbol until the returned function is called. */
  watch(symbol: string, listener: QuoteListener): () => void {
    assert.ok(!this.#watched.has(symbol), `${symbol} is already watched`)
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
      if (this.#watched.size === 0) this.#stopSweeping()
    }
  }

  /** Disconnects from the exchange. Symbols that are still watched connect again. */
  disconnect(): void {
    this.#connected?.streams?.close()
    this.#connected?.polls.close()
    this.#connected = undefined
  }

  close(): void {
    this.#watched.clear()
    this.#stopSweeping()
    this.disconnect()
  }

  #stopSweeping(): void {
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
    this.#reason = undefined
  }

  #sweep(): void {
    const atMs = performance.now()
    if (this.#connected === undefined) void this.#connect()
    else this.#pollDue(this.#connected.polls, atMs)
    for (const watched of this.#watched.values()) {
      watched.reportTrouble(atMs, () =>
        this.#reason === undefined
          ? { reason: this.#silenceOf(watched.symbol), scope: 'symbol' }
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
        onAnswer: (symbol, ticker, askedMs) => this.#onPolled(symbol, ticker, askedMs),
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

  #pollDue(polls: TickerPolls, atMs: number): void {
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
    const report = watched && this.#readTicker(watched, ticker)
    if (watched === undefined || report === undefined || !watched.push(report)) return
    this.#pushedMs = watched.pushedMs
    this.#reason = undefined
    if (this.#connected?.streams?.isHealthy === true) this.#options.log.back('stream')
  }

  #onPolled(symbol: string, ticker: CcxtTicker, askedMs: number): void {
    this.#options.log.back('requests')
    this.#reason = undefined
    const watched = this.#watched.get(symbol)
    const report = watched && this.#readTicker(watched, ticker)
    if (watched === undefined || report === undefined) return
    const isNew = watched.poll(report, askedMs)
    if (isNew && watched.pushedMs < askedMs) this.#missed(watched)
  }

  #readTicker(watched: WatchedSymbol, ticker: CcxtTicker) {
    const report = readTicker(ticker)
    if (report !== undefined) {
      this.#options.log.usable(watched.symbol)
      return report
    }
    this.#options.log.unusable(watched.symbol)
    watched.fault = `${this.#options.label} sends no usable price of ${watched.symbol}.`
    return undefined
  }

  /** Renews a subscription that is silent while the price moves, or the connection if all subscriptions are silent. */
  #missed(watched: WatchedSymbol): void {
    if (this.#connected?.streams === undefined || !this.#connected.connected()) return
    watched.missed += 1
    if (watched.missed < maxMissed) return
    const now = performance.now()
    const { quietMs, renewMs } = this.#options.pace
    if (now - this.#pushedMs >= quietMs) {
      if (now - this.#reconnectedMs >= renewMs) this.#reconnect(this.#connected.streams, now)
      return
    }
    const minMs = renewMs + (watched.isStreaming ? 0 : this.#watched.size * subscriptionMs)
    if (now - watched.subscribedMs < minMs) return
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

  #silenceOf(symbol: string): string {
    return `${this.#options.label} has sent no price of ${symbol} for a while.`
  }

  /** A listener that throws must not end a loop that serves others. */
  #guarded(listener: QuoteListener): QuoteListener {
    const guard =
      <T>(call: (value: T) => void) =>
      (value: T) => {
        try {
          call(value)
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
