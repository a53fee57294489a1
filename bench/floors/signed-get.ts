/**
 * The floor of a signed GET: Fastify checks an HMAC-SHA256 signature and answers a small JSON object. An authenticated
 * API cannot do less.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import fastify from 'fastify'
import { serve } from './serve.ts'

const secret = process.env.API_SECRET!
const app = fastify()

app.get('/signed', async (request, reply) => {
  const { signature, timestamp } = request.headers as { signature: string; timestamp: string }
  const expected = createHmac('sha256', secret).update(`GET${request.url}${timestamp}`).digest()
  const given = Buffer.from(signature, 'hex')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return reply.code(401).send({})
  return { id: 1, name: 'one', enabled: true }
})

await app.ready()
serve(app.server)
