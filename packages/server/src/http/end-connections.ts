import type { App } from './types.ts'

/** When the service stops, a request in progress has this long to arrive and be answered. */
const graceMs = 3000
const sweepMs = 50

/**
 * Ends the connections that keep a server from closing: those that a client keeps open for its next request, as soon
 * as they are idle, and after a grace period those of senders that stall.
 */
export function endConnectionsOnClose(app: App): void {
  app.addHook('preClose', async () => {
    const { server } = app
    if (!server.listening) return
    const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
    const grace = setTimeout(() => server.closeAllConnections(), graceMs)
    server.once('close', () => {
      clearInterval(sweep)
      clearTimeout(grace)
    })
  })
}
