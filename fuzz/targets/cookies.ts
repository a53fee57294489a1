import assert from 'node:assert/strict'
import Fastify from 'fastify'
import { loadCookies, readSessionCookie } from '../../packages/server/src/http/session-cookie.ts'
import { textTarget } from '../target.ts'

await loadCookies(Fastify() as never)

/** A Cookie header gives a token or none; a plain header gives exactly its token. */
export default textTarget({
  seeds: [
    'tickwright_session=abc',
    'a=b; tickwright_session="q%20"; c',
    'tickwright_session=%',
    'x_tickwright_session=1;tickwright_session=2',
  ],
  words: ['tickwright_session', '=', ';', '; ', '"', '%', '%20', '__proto__=', ',', ' ', '\t'],
  libraries: ['@fastify/cookie'],
  check: (cookie) => {
    const token = readSessionCookie({ headers: { cookie } } as never)
    assert.ok(token === undefined || (typeof token === 'string' && token.length <= cookie.length))
    const [, plain] = /^tickwright_session=([\w-]+)$/.exec(cookie) ?? []
    if (plain !== undefined) assert.equal(token, plain)
    if (token !== undefined) assert.match(cookie, /(^|;)\s*tickwright_session\s*=/)
  },
})
