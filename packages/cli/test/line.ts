import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way to a port of this machine that can be cut and mended. */
export type Line = AsyncDisposable & { port: number; cut(): void; mend(): void }

/** @param onSent called with what comes from the near end, before the far end gets it */
export async function openLine(
  port: number,
  onSent: (bytes: Buffer) => void = () => undefined,
): Promise<Line> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    }
    near.on('data', onSent)
    near.pipe(far).pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as { port: number }).port,
    cut,
    mend: () => {
      isCut = false
    },
    [Symbol.asyncDispose]: async () => {
      cut()
      server.close()
    },
  }
}
