import type { CcxtClient, CcxtExchange } from './ccxt-types.ts'

/** Members of a ccxt exchange that its price types leave out. */
type Internals = {
  spawn?: (...task: unknown[]) => Promise<unknown>
}
type Socket = { terminate?: () => void }

/**
 * Takes control of ccxt's WebSocket connections. When ccxt gives up a connection, it drops it from its list but leaves
 * it open, with its subscriptions; this ends it. It also turns off ccxt's pauses between attempts, and keeps errors in
 * ccxt's background work from ending the process.
 */
export function ownConnections(exchange: CcxtExchange): void {
  const ws = (exchange.options.ws ?? {}) as Record<string, unknown>
  // A subscription is one small message. Every exchange accepts ten a second.
  const cost = ws.cost ?? Math.min(1, 100 / exchange.rateLimit)
  exchange.options.ws = { ...ws, cost, backoff: { base: 0 } }
  const internals = exchange as Internals
  const { spawn } = internals
  if (spawn !== undefined) {
    internals.spawn = (...task) => {
      const spawned = spawn.apply(exchange, task)
      spawned.catch(() => undefined)
      return spawned
    }
  }
  const client = exchange.client
  const owned = new WeakSet<CcxtClient>()
  exchange.client = (url) => {
    const made = client.call(exchange, url)
    if (!owned.has(made)) {
      owned.add(made)
      endWithError(made)
    }
    return made
  }
}

function endWithError(client: CcxtClient): void {
  const onError = client.onError
  client.onError = (error) => {
    onError.call(client, error)
    terminate(client)
  }
}

/** Ends all connections. Everything that waits for one fails with `reason`. */
export function endConnections(exchange: CcxtExchange, reason: string): void {
  for (const client of Object.values(exchange.clients ?? {})) {
    client.onError(new Error(reason))
    delete exchange.clients[client.url]
  }
}

/** Ends all connections and refuses new ones, also from work that is still in progress. */
export function refuseConnections(exchange: CcxtExchange): void {
  exchange.client = () => {
    throw new Error('The prices of this exchange are closed.')
  }
  endConnections(exchange, 'closed')
}

function terminate(client: CcxtClient): void {
  // A closing handshake would wait for the other side, which may be silent.
  ;(client as { connection?: Socket }).connection?.terminate?.()
}
