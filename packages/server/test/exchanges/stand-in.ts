import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** An exchange on this machine. It uses the formats of the real exchange, and the test controls it. */
export type StandIn = AsyncDisposable & {
  /** For `EXCHANGE_ENDPOINTS`. */
  endpoints: { rest: string; ws: string; unlimited: true }
  port: number
  /** This exchange's answer for a rate limit, for `failRest`. */
  rateLimited: RestAnswer
  /** The current price of a unified symbol, such as `BTC/USDT`, in REST responses. */
  price(symbol: string): string
  /** Sets the last price of a unified symbol (`BTC/USDT`, `BTC/USDT:USDT`) and sends it to WebSocket subscribers at once. */
  setPrice(symbol: string, price: number): void
  /** Sends subscribers of a symbol the last frame again, byte for byte. */
  repeat(symbol: string): void
  /** Sends raw text on every open WebSocket connection. */
  sendRaw(text: string): void
  /** Sends a ticker with fields as given, such as price `0`, `-1` or `NaN`; REST keeps the real price. */
  sendTicker(symbol: string, fields: { price?: string; timestampMs?: number }): void
  /** Stops answering on WebSocket but keeps connections open. Afterwards it answers the messages from that time. */
  silence(on: boolean): void
  /** Ends all WebSocket connections, with a close frame of this code or without any. */
  dropConnections(code?: number): void
  /** Answers new WebSocket upgrades with this HTTP status, until undefined. */
  refuseUpgrades(status: number | undefined): void
  /** Answers REST requests with this, or never, until undefined. With `path`, only requests to matching paths. */
  failRest(how: RestAnswer | 'hang' | undefined, path?: RegExp): void
  /** Carries out the next changing request, but then cuts the connection or answers with this. */
  failAfter(how: 'cut' | number): void
  /** Shifts the exchange's clock, and so all its timestamps, by this much. */
  skewClock(ms: number): void
  /**
   * The current WebSocket subscriptions: one unified symbol for each, sorted. `*` stands for all symbols of the
   * exchange.
   */
  subscriptions(): string[]
  /** The last 10,000 received text frames. */
  received(): string[]
  /** The requests so far that can change something: method, path, and the query or the body as it was sent. */
  changes(): readonly string[]
  /** REST requests so far, by path. */
  restCalls(): Map<string, number>
  /** Open WebSocket connections. */
  connections(): number
  /** WebSocket connections ever made. */
  connectionCount(): number
}

export type RestAnswer = {
  status: number
  /** Some exchanges answer differently at different paths. */
  body?: string | ((path: string) => string)
  headers?: Record<string, string>
}

/** A market: `symbol` is ccxt's name, `id` the exchange's own. */
export type StandInMarket = { symbol: string; id: string; price: string; active?: boolean }

/** The price of a market as a decimal, and the time of its last change on the exchange's clock, in Unix milliseconds. */
export type StandInQuote = { price: string; at: number }

export type RestCall = {
  method: string
  path: string
  query: URLSearchParams
  /** The query as sent, without the question mark. */
  search: string
  body: string
  headers: IncomingHttpHeaders
}

/** An answer as JSON or text, or none: then the connection is cut or stays silent. */
export type Reply =
  | { status?: number; json: unknown }
  | { status?: number; headers?: Record<string, string>; text: string }
  | 'cut'
  | 'hang'

/** A subscription has the exchange's name of it, and belongs to one market, or, with the symbol `*`, to all. */
export type Subscription = { key: string; symbol: string; lastFrame: string | undefined; missed: boolean }

export type Connection = {
  /** Path and query of the upgrade. */
  path: string
  subscriptions: Map<string, Subscription>
  send(message: unknown): void
  /** Adds a subscription, or keeps an existing one. */
  subscribe(key: string, symbol: string): void
  unsubscribe(key: string): void
  /** Sends the current ticker of a subscription. */
  sendSnapshot(key: string): void
  close(code: number): void
}

/** The part of the exchange that a protocol can use. */
export type Exchange<M extends StandInMarket> = {
  markets: readonly M[]
  quote(market: M): StandInQuote
  /** Unix milliseconds. */
  now(): number
}

/** The protocol of one exchange. */
export type Protocol<M extends StandInMarket> = {
  markets: readonly M[]
  rateLimited: RestAnswer
  /** The answer to a request; `undefined` becomes a 404. */
  rest(call: RestCall, exchange: Exchange<M>): Reply | undefined
  /** Whether the exchange has WebSocket at this path. */
  accepts(path: string): boolean
  open?(connection: Connection, exchange: Exchange<M>): void
  message(connection: Connection, text: string, exchange: Exchange<M>): void
  /** The ticker frame of a subscription, as text. */
  ticker(market: M, quote: StandInQuote, key: string, exchange: Exchange<M>): string
}

export type StandInOptions = { port?: number }

/** Starts an exchange on a loopback address; it ends with all its connections when disposed of. */
export async function startStandIn<M extends StandInMarket>(
  protocol: Protocol<M>,
  options: StandInOptions = {},
): Promise<StandIn> {
  let skewMs = 0
  let silent = false
  let refusal: number | undefined
  let failure: RestAnswer | 'hang' | undefined
  let failing = /./
  let afterwards: 'cut' | number | undefined
  let connectionCount = 0
  const marketOf = new Map(protocol.markets.map((market) => [market.symbol, market]))
  const quotes = new Map<string, StandInQuote>()
  const calls = new Map<string, number>()
  const changes: string[] = []
  const frames: string[] = []
  const sockets = new Set<Socket>()
  const open = new Map<WebSocket, Connection>()
  const waiting: (() => void)[] = []

  const now = () => Date.now() + skewMs
  const market = (symbol: string): M => {
    const found = marketOf.get(symbol)
    if (found === undefined) throw new Error(`This exchange has no ${symbol}.`)
    return found
  }
  const exchange: Exchange<M> = {
    markets: protocol.markets,
    quote: ({ symbol, price }) => quotes.get(symbol) ?? { price, at: now() },
    now,
  }

  const server = createServer((request, response) => void answer(request, response))
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://exchange')
    calls.set(url.pathname, (calls.get(url.pathname) ?? 0) + 1)
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const how = failing.test(url.pathname) ? failure : undefined
    if (how === 'hang') return
    const reply = (status: number, headers: Record<string, string>, text: string) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
    if (how !== undefined) {
      const { status, headers = {}, body: text = '' } = how
      reply(status, headers, typeof text === 'string' ? text : text(url.pathname))
      return
    }
    const { method = 'GET', headers } = request
    const search = url.search.slice(1)
    if (method !== 'GET') changes.push(`${method} ${url.pathname} ${search}${body}`)
    const call = { method, path: url.pathname, query: url.searchParams, search, body, headers }
    const answered = lost(call) ?? protocol.rest(call, exchange)
    if (answered === undefined) reply(404, {}, '{"error":"Not Found"}')
    else if (answered === 'cut') request.socket.destroy()
    else if (answered === 'hang') return
    else if ('json' in answered) reply(answered.status ?? 200, {}, JSON.stringify(answered.json))
    else reply(answered.status ?? 200, answered.headers ?? {}, answered.text)
  }

  /** Replaces the answer to a request that is carried out anyway. */
  function lost(call: RestCall): Reply | undefined {
    if (afterwards === undefined || !isChange(call)) return undefined
    const how = afterwards
    afterwards = undefined
    protocol.rest(call, exchange)
    return how === 'cut' ? how : { status: how, text: '' }
  }

  // A silent exchange sends no pongs either.
  const upgrades = new WebSocketServer({ noServer: true, autoPong: false })
  server.on('upgrade', (request, socket, head) => {
    // A client may reset the connection after a refusal. That is not an error.
    socket.on('error', () => socket.destroy())
    const path = request.url ?? '/'
    const status = refusal ?? (protocol.accepts(path) ? undefined : 404)
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    upgrades.handleUpgrade(request, socket, head, (webSocket) => connect(webSocket, path))
  })

  /** Does something now, or after the silence. */
  function unlessSilent(action: () => void): void {
    if (silent) waiting.push(action)
    else action()
  }

  function connect(webSocket: WebSocket, path: string): void {
    connectionCount++
    const connection: Connection = {
      path,
      subscriptions: new Map(),
      send: (message) => webSocket.send(typeof message === 'string' ? message : JSON.stringify(message)),
      subscribe: (key, symbol) => {
        if (connection.subscriptions.has(key)) return
        connection.subscriptions.set(key, { key, symbol, lastFrame: undefined, missed: false })
      },
      unsubscribe: (key) => connection.subscriptions.delete(key),
      sendSnapshot: (key) => {
        const subscription = connection.subscriptions.get(key)
        if (subscription !== undefined) tell(connection, subscription, {})
      },
      close: (code) => webSocket.close(code),
    }
    open.set(webSocket, connection)
    webSocket.on('close', () => open.delete(webSocket))
    webSocket.on('error', () => webSocket.terminate())
    webSocket.on('ping', (data) => unlessSilent(() => webSocket.pong(data)))
    webSocket.on('message', (data) => {
      const text = String(data)
      if (frames.push(text) > 10_000) frames.shift()
      unlessSilent(() => open.has(webSocket) && protocol.message(connection, text, exchange))
    })
    unlessSilent(() => protocol.open?.(connection, exchange))
  }

  function tell(
    connection: Connection,
    subscription: Subscription,
    fields: Partial<StandInQuote>,
    symbol = concerns(subscription),
  ): void {
    if (silent) {
      subscription.missed = true
      return
    }
    const about = market(symbol)
    const quote = { ...exchange.quote(about), ...fields }
    subscription.lastFrame = protocol.ticker(about, quote, subscription.key, exchange)
    subscription.missed = false
    connection.send(subscription.lastFrame)
  }

  /** A subscription to all markets begins with any one of them. */
  function concerns({ symbol }: Subscription): string {
    return symbol === '*' ? (protocol.markets[0]?.symbol ?? '') : symbol
  }

  function eachSubscription(action: (connection: Connection, subscription: Subscription) => void): void {
    for (const connection of open.values()) {
      for (const subscription of connection.subscriptions.values()) action(connection, subscription)
    }
  }

  function toSubscribers(symbol: string, fields: Partial<StandInQuote>): void {
    market(symbol)
    eachSubscription((connection, subscription) => {
      if ([symbol, '*'].includes(subscription.symbol)) tell(connection, subscription, fields, symbol)
    })
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    endpoints: { rest: `http://127.0.0.1:${port}`, ws: `ws://127.0.0.1:${port}`, unlimited: true },
    port,
    rateLimited: protocol.rateLimited,
    price: (symbol) => exchange.quote(market(symbol)).price,
    setPrice: (symbol, price) => {
      quotes.set(symbol, { price: decimal(price), at: now() })
      toSubscribers(symbol, {})
    },
    repeat: (symbol) =>
      eachSubscription((connection, subscription) => {
        if (subscription.symbol === symbol && subscription.lastFrame !== undefined && !silent) {
          connection.send(subscription.lastFrame)
        }
      }),
    sendRaw: (text) => {
      for (const connection of open.values()) connection.send(text)
    },
    sendTicker: (symbol, { price, timestampMs }) =>
      toSubscribers(symbol, {
        at: timestampMs ?? now(),
        ...(price === undefined ? {} : { price }),
      }),
    silence: (on) => {
      silent = on
      if (on) return
      for (const action of waiting.splice(0)) action()
      eachSubscription((connection, subscription) => {
        if (subscription.missed) tell(connection, subscription, {})
      })
    },
    dropConnections: (code) => {
      for (const webSocket of open.keys()) {
        if (code === undefined) webSocket.terminate()
        else webSocket.close(code)
      }
    },
    refuseUpgrades: (status) => {
      refusal = status
    },
    failRest: (how, path = /./) => {
      failure = how
      failing = path
    },
    failAfter: (how) => {
      afterwards = how
    },
    skewClock: (ms) => {
      skewMs = ms
    },
    subscriptions: () => {
      const symbols: string[] = []
      eachSubscription((_, { symbol }) => symbols.push(symbol))
      return symbols.sort()
    },
    received: () => [...frames],
    changes: () => changes,
    restCalls: () => new Map(calls),
    connections: () => open.size,
    connectionCount: () => connectionCount,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Some exchanges also use POST for questions. */
function isChange({ method, path }: RestCall): boolean {
  return method !== 'GET' && !/\/info$|\/private\/(Open|Closed|Query|Balance)/.test(path)
}

/** Writes a number without an exponent, as exchanges do. */
export function decimal(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
}

/** A price as a JSON number, as some exchanges send it. An invalid price stays a text. */
export function jsonNumber(price: string): number | string {
  return Number.isFinite(Number(price)) ? Number(price) : price
}

/** Parses a frame; `undefined` if it is not a JSON object. */
export function parseFrame(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** The last Friday, 08:00 UTC, of the quarter that is at least 30 days away: when dated futures end. */
export function quarterEnd(from = new Date()): Date {
  const soonest = from.getTime() + 30 * 86_400_000
  for (let quarter = 0; ; quarter++) {
    const month = Math.floor(from.getUTCMonth() / 3) * 3 + 3 * (quarter + 1)
    const last = new Date(Date.UTC(from.getUTCFullYear(), month, 0, 8))
    last.setUTCDate(last.getUTCDate() - ((last.getUTCDay() + 2) % 7))
    if (last.getTime() > soonest) return last
  }
}

/** A day as in the names of dated futures: `261225`. */
export function yymmdd(date: Date): string {
  return date.toISOString().slice(2, 10).replaceAll('-', '')
}
