import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { buildApp } from './app.ts'
import type { Routes } from './types.ts'

const tellIp: Routes = (scope) => {
  scope.get('/ip', ({ ip }) => ({ ip }))
}

/** The sender's address, as the service sees it, of a request that `remoteAddress` forwarded. */
async function seenFrom(trustedProxies: string[], remoteAddress: string, forwarded: string): Promise<string> {
  const app = await buildApp({
    logger: pino({ level: 'silent' }),
    authenticate: () => assert.fail('nobody asks'),
    market: 'live',
    trustedProxies,
    apiRoutes: [],
    openRoutes: [tellIp],
  })
  const answer = await app.inject({ url: '/ip', remoteAddress, headers: { 'x-forwarded-for': forwarded } })
  await app.close()
  return answer.json().ip
}

test("only the configured proxies are trusted to name the sender's address", async () => {
  const client = '198.51.100.7'
  assert.equal(await seenFrom([], '127.0.0.1', client), '127.0.0.1')
  assert.equal(await seenFrom(['10.0.0.0/8'], '10.1.2.3', client), client)
  assert.equal(await seenFrom(['10.0.0.0/8'], '192.0.2.1', client), '192.0.2.1')
  // The client's claim comes before the address that the proxy adds.
  assert.equal(await seenFrom(['10.0.0.0/8'], '10.1.2.3', `127.0.0.1, ${client}`), client)
  assert.equal(await seenFrom(['10.0.0.0/8', '2001:db8::1'], '2001:db8::1', `${client}, 10.9.9.9`), client)
})
