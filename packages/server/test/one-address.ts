import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** One address for servers that take each other's place, as a load balancer gives. */
export type OneAddress = AsyncDisposable & {
  port: number
  /** Ends all connections, and passes new ones to the server on this port. */
  switchTo(port: number): void
  /** Passes nothing more on what is connected now, as if the other machine were gone. New connections are not concerned. */
  silence(): void
  /** Of the next request that contains this text, the answer is lost: the connection ends when it would arrive. */
  loseAnswerTo(text: string): void
}

/** An address that leads to the server of a database, and the URL of that database there. */
export async function startAddressOf(databaseUrl: string): Promise<{ address: OneAddress; url: string }> {
  const url = new URL(databaseUrl)
  const host = decodeURIComponent(url.hostname)
  // The server may listen on a socket in a folder.
  const address = await startAddress(host.startsWith('/') ? `${host}/.s.PGSQL.${url.port}` : Number(url.port))
  url.host = `127.0.0.1:${address.port}`
  return { address, url: url.href }
}

/** Listens on a free port of the loopback address, and passes connections to the server on a port, or a socket's path. */
export async function startAddress(first: number | string): Promise<OneAddress> {
  let target = first
  let unlucky: string | undefined
  const sockets = new Set<Socket>()
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((from) => {
    const to = typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1')
    from.on('data', (sent) => {
      if (unlucky === undefined || !sent.includes(unlucky)) return
      unlucky = undefined
      to.unpipe(from)
        .once('data', () => to.destroy())
        .resume()
    })
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket)
      // An error is followed by `close`.
      socket.on('error', () => undefined).pipe(other)
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    switchTo: (next) => {
      target = next
      endAll()
    },
    silence: () => {
      for (const socket of sockets) socket.unpipe().pause()
    },
    loseAnswerTo: (text) => {
      unlucky = text
    },
    [Symbol.asyncDispose]: async () => {
      endAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
