import type { CcxtExchange, CcxtMarket } from './ccxt-types.ts'

type Frame = Record<string, unknown>

/** Corrects ccxt's mistakes about the WebSocket frames of single exchanges. */
export function correctFrames(exchange: CcxtExchange): void {
  if (exchange.id === 'gate' || exchange.id === 'gateeu') correctIncoming(exchange, timeGateTickers)
  if (exchange.id === 'krakenfutures') correctIncoming(exchange, timeKrakenFuturesTicker)
  if (exchange.id === 'kraken') useKrakenNames(exchange)
}

/** @param correct changes a frame in place, before ccxt reads it */
function correctIncoming(exchange: CcxtExchange, correct: (frame: Frame) => void): void {
  const handle = exchange.handleMessage
  exchange.handleMessage = (client, message) => {
    if (isFrame(message)) correct(message)
    handle.call(exchange, client, message)
  }
}

/** Gate sends the time next to the tickers, where ccxt does not look for it. */
function timeGateTickers({ channel, event, time_ms: timeMs, result }: Frame): void {
  if (event !== 'update' || !String(channel).endsWith('.tickers')) return
  for (const ticker of Array.isArray(result) ? result : [result]) {
    if (isFrame(ticker)) ticker.t ??= timeMs
  }
}

/** ccxt looks for the time under its name in REST responses. */
function timeKrakenFuturesTicker(frame: Frame): void {
  if (frame.feed !== 'ticker' || typeof frame.time !== 'number') return
  const time = new Date(frame.time)
  if (!Number.isNaN(time.getTime())) frame.lastTime ??= time.toISOString()
}

/**
 * ccxt subscribes at Kraken with the unified name of a market. At Kraken, that can be the name of another market: its
 * LUNA is LUNC elsewhere, and its LUNA2 is LUNA.
 */
function useKrakenNames(exchange: CcxtExchange): void {
  let names = krakenNames({})
  let markets: CcxtExchange['markets']
  const current = () => {
    if (markets !== exchange.markets) {
      markets = exchange.markets
      names = krakenNames(markets ?? {})
    }
    return names
  }
  correctIncoming(exchange, (frame) => {
    if (frame.channel !== 'ticker' || !Array.isArray(frame.data)) return
    for (const ticker of frame.data) {
      // An unknown name must not be taken for the unified name of another market.
      if (isFrame(ticker)) ticker.symbol = current().unified.get(String(ticker.symbol)) ?? ''
    }
  })
  exchange.rewriteOutgoing = (message) => {
    const params = isFrame(message) ? message.params : undefined
    if (!isFrame(params) || !Array.isArray(params.symbol)) return message
    const symbol = params.symbol.map((unified) => current().kraken.get(unified) ?? unified)
    return { ...(message as Frame), params: { ...params, symbol } }
  }
}

function krakenNames(markets: Record<string, CcxtMarket>) {
  const pairs = Object.values(markets).flatMap((market): [symbol: string, name: string][] =>
    market.wsId === undefined ? [] : [[market.symbol, krakenName(market.wsId)]],
  )
  return { kraken: new Map(pairs), unified: new Map(pairs.map(([symbol, name]) => [name, symbol])) }
}

/** A pair as version 2 of Kraken's WebSocket API writes it. Everything else at Kraken uses XBT and XDG. */
function krakenName(wsId: string): string {
  return wsId
    .split('/')
    .map((name) => (name === 'XBT' ? 'BTC' : name === 'XDG' ? 'DOGE' : name))
    .join('/')
}

function isFrame(value: unknown): value is Frame {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
