import type { App } from './types.ts'

/** A request that is under way when the service ends has this long to arrive and be answered. */
const graceMs = 3000
const sweepMs = 50

/**
 * Ends what keeps a server from closing: connections that a client keeps open for its next request, as they
 * fall idle, and, after a grace, those of senders that stall.
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
