import type { CcxtClient, CcxtExchange } from './ccxt-types.ts'

/** What ccxt keeps beside what its types for prices tell. */
type Internals = {
  spawn?: (...task: unknown[]) => Promise<unknown>
}
type Socket = { terminate?: () => void }

/**
 * Takes ccxt's WebSocket connections in hand. A connection that ccxt has given up is ended: it drops it from its
 * list, but would leave it open, subscriptions and all. Pauses between attempts are ours, and nothing that it does
 * in the background can end the process.
 */
export function ownConnections(exchange: CcxtExchange): void {
  const ws = (exchange.options.ws ?? {}) as Record<string, unknown>
  // A subscription is one small message; ten a second are within everybody's limits.
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

/** Ends all connections; whoever waits for something from one is told `reason`. */
export function endConnections(exchange: CcxtExchange, reason: string): void {
  for (const client of Object.values(exchange.clients ?? {})) {
    client.onError(new Error(reason))
    delete exchange.clients[client.url]
  }
}

/** From now on there are no connections, whatever is still under way. */
export function refuseConnections(exchange: CcxtExchange): void {
  exchange.client = () => {
    throw new Error('The prices of this exchange are closed.')
  }
  endConnections(exchange, 'closed')
}

function terminate(client: CcxtClient): void {
  // A closing handshake would wait for the other side, which may be what is silent.
  ;(client as { connection?: Socket }).connection?.terminate?.()
}
