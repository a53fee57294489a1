import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'

/** Listens on a free port, sends it to the parent, and ends with the parent. */
export function serve(server: Server, onEnd: () => Promise<void> = async () => {}): void {
  server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
  process.once('disconnect', async () => {
    server.closeAllConnections()
    await onEnd()
    process.exit()
  })
}

/** Answers a POST of JSON with 202 and `{ "id": n }` when `take` resolves. */
export async function payloadServer(take: (body: string, path: string) => Promise<number>): Promise<Server> {
  const app = fastify()
  app.post('/*', async (request, reply) => {
    const id = await take(JSON.stringify(request.body), request.url)
    return reply.code(202).send({ id })
  })
  await app.ready()
  return app.server
}
