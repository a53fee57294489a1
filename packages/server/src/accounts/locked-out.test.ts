/** Who is locked out is refused before anything of their body is parsed. */
import assert from 'node:assert/strict'
import type { ApiAnswer } from '../../test/client.ts'
import { oneService } from '../../test/each-service.ts'
import type { TestService } from '../../test/service.ts'

const unreadable = '{"email":'
const session = '/api/v2/user/session'
const reset = '/api/v2/user/password/reset'

type Attempt = { method: string; path: string; body(n: number): object }

const signIn: Attempt = {
  method: 'POST',
  path: session,
  body: (n) => ({ email: `guess-${n}@example.com`, password: 'wrong' }),
}
const useLink: Attempt = {
  method: 'PUT',
  path: reset,
  body: () => ({ token: 'wrong', password: 'a long enough password' }),
}
const askForMail: Attempt = { method: 'POST', path: reset, body: (n) => ({ email: `mail-${n}@example.com` }) }

/** Tries until it is refused, and says after how many tries. */
async function lock(service: TestService, { method, path, body }: Attempt): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    if ((await service.send(method, path, { body: body(tries) })).status === 429) return tries
  }
  throw new Error(`${path} is never locked.`)
}

/** The first locks are short: one that has ended is made again, and is longer then. */
async function whileLocked(
  service: TestService,
  locks: Attempt[],
  method: string,
  path: string,
): Promise<ApiAnswer> {
  for (let round = 0; ; round++) {
    for (const each of locks) await lock(service, each)
    const answer = await service.send(method, path, { body: unreadable })
    if (answer.status === 429 || round === 8) return answer
  }
}

oneService('an address that has used up its guesses is answered 429, whatever it sends', async (service) => {
  const refused = async (locks: Attempt[], method: string, path: string) => {
    const answer = await whileLocked(service, locks, method, path)
    assert.equal(answer.body.code, 'auth_locked', path)
    assert.ok(Number(answer.headers.get('retry-after')) >= 1)
  }
  const read = async (method: string, path: string) =>
    assert.equal((await service.send(method, path, { body: unreadable })).body.code, 'request_malformed')

  await read('POST', session)
  await read('PUT', reset)
  assert.ok((await lock(service, signIn)) >= 20)
  await refused([signIn], 'POST', session)
  assert.ok((await lock(service, useLink)) >= 20)
  await refused([useLink], 'PUT', reset)
  // A mail may still be asked for, so that this is read.
  await read('POST', '/api/v2/user')
  await read('POST', reset)
  assert.ok((await lock(service, askForMail)) >= 20)
  await refused([askForMail], 'POST', reset)
  await refused([askForMail, useLink], 'POST', '/api/v2/user')
})
