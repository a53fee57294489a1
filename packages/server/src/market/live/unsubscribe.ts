import type { CcxtClient, CcxtExchange } from './ccxt-types.ts'

type Internals = {
  watchMultiple(url: string, hashes: string[], message: unknown, subscribeHashes: string[]): Promise<unknown>
}

/** What ends a ticker's subscription at exchanges for which ccxt has no way to. */
const frames: Record<string, (exchange: CcxtExchange, symbol: string) => unknown> = {
  kraken: (_, symbol) => ({ method: 'unsubscribe', params: { channel: 'ticker', symbol: [symbol] } }),
  krakenfutures: (exchange, symbol) => ({
    event: 'unsubscribe',
    feed: 'ticker',
    product_ids: [exchange.markets?.[symbol]?.id],
  }),
  gate: (exchange, symbol) => {
    const market = exchange.markets?.[symbol]
    const type = market?.spot === true ? 'spot' : 'futures'
    return gateFrame(type, market?.id)
  },
}
frames.gateeu = frames.gate as (typeof frames)[string]

function gateFrame(type: string, id: string | undefined) {
  return {
    time: Math.floor(Date.now() / 1000),
    channel: `${type}.tickers`,
    event: 'unsubscribe',
    payload: [id],
  }
}

/** ccxt can, although it does not say so. */
const canUnwatch = new Set(['bitget'])
/** Those whose subscriptions are known to be found by their name. */
const wellNamed = new Set([
  ...Object.keys(frames),
  'binance',
  'binanceusdm',
  'binancecoinm',
  'bitget',
  'hyperliquid',
])

/**
 * Ends the subscription of a symbol's ticker, if there is one, and resolves to whether that can be relied on: not if
 * the exchange has no way to end one alone, or does not confirm it in time.
 */
export async function unsubscribe(exchange: CcxtExchange, symbol: string, limitMs: number): Promise<boolean> {
  if (Object.keys(exchange.clients ?? {}).length === 0) return true
  const found = subscriptionOf(exchange, symbol)
  if (found === undefined && wellNamed.has(exchange.id)) return true
  const frame = frames[exchange.id]
  if (frame !== undefined && found !== undefined) {
    sendAfterwards(exchange, found, frame(exchange, symbol))
    return true
  }
  if (exchange.has.unWatchTicker !== true && !canUnwatch.has(exchange.id)) return false
  const ended = await within(limitMs, exchange.unWatchTicker(symbol))
  // Either way ccxt is to subscribe anew when the symbol is wanted again.
  if (found !== undefined) delete found.client.subscriptions[found.hash]
  return ended
}

type Subscription = { client: CcxtClient; hash: string }

/** ccxt names it after the symbol: `ticker:BTC/USDT`, `ticker@BTC/USD`, `ticker:ticker@BTC/USDT`. */
function subscriptionOf(exchange: CcxtExchange, symbol: string): Subscription | undefined {
  for (const client of Object.values(exchange.clients ?? {})) {
    const hash = Object.keys(client.subscriptions).find(
      (key) => /^ticker/.test(key) && (key.endsWith(`:${symbol}`) || key.endsWith(`@${symbol}`)),
    )
    if (hash !== undefined) return { client, hash }
  }
  return undefined
}

/** By ccxt's own queue: a subscription that still waits in it goes out before. */
function sendAfterwards(exchange: CcxtExchange, { client, hash }: Subscription, frame: unknown): void {
  const sending = `unsubscribe:${hash}`
  const internals = exchange as unknown as Internals
  internals.watchMultiple(client.url, [sending], frame, [sending]).catch(() => undefined)
  delete client.subscriptions[hash]
  delete client.subscriptions[sending]
}

/** Whether something succeeds in time. */
async function within(limitMs: number, task: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, limitMs, false)
  })
  try {
    return await Promise.race([
      task.then(
        () => true,
        () => false,
      ),
      late,
    ])
  } finally {
    clearTimeout(timer)
  }
}
