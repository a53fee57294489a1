import type { CcxtClient, CcxtExchange } from './ccxt-types.ts'

type Internals = {
  watchMultiple(url: string, hashes: string[], message: unknown, subscribeHashes: string[]): Promise<unknown>
}

/** The messages that end a ticker's subscription at exchanges where ccxt cannot do it. */
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

/** Exchanges where ccxt can unsubscribe although it does not say so. */
const canUnwatch = new Set(['bitget'])
/** Exchanges whose subscriptions ccxt is known to name after the symbol. */
const wellNamed = new Set([
  ...Object.keys(frames),
  'binance',
  'binanceusdm',
  'binancecoinm',
  'bitget',
  'hyperliquid',
])

/**
 * Ends the subscription of a symbol's ticker, if there is one.
 * @returns whether it has certainly ended: not if a single subscription cannot be ended, or the exchange does not confirm
 * the end in time
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
  // In either case, ccxt must subscribe again when the symbol is wanted again.
  if (found !== undefined) delete found.client.subscriptions[found.hash]
  return ended
}

type Subscription = { client: CcxtClient; hash: string }

/** Finds a subscription by its name, which ends with the symbol: `ticker:BTC/USDT`, `ticker@BTC/USD`, `ticker:ticker@BTC/USDT`. */
function subscriptionOf(exchange: CcxtExchange, symbol: string): Subscription | undefined {
  for (const client of Object.values(exchange.clients ?? {})) {
    const hash = Object.keys(client.subscriptions).find(
      (key) => /^ticker/.test(key) && (key.endsWith(`:${symbol}`) || key.endsWith(`@${symbol}`)),
    )
    if (hash !== undefined) return { client, hash }
  }
  return undefined
}

/** Sends a message through ccxt's own queue, so that a subscription that still waits there goes out first. */
function sendAfterwards(exchange: CcxtExchange, { client, hash }: Subscription, frame: unknown): void {
  const sending = `unsubscribe:${hash}`
  const internals = exchange as unknown as Internals
  internals.watchMultiple(client.url, [sending], frame, [sending]).catch(() => undefined)
  delete client.subscriptions[hash]
  delete client.subscriptions[sending]
}

/** Whether a task succeeds in time. */
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
