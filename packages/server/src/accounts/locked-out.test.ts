/** A locked-out address is refused before any of the body is parsed. */
import assert from 'node:assert/strict'
import type { ApiAnswer } from '../../test/client.ts'
import type { TestService } from '../../test/service.ts'
import { withService } from '../../test/with-service.ts'

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

/** Tries until it is refused. @returns the number of tries */
async function lock(service: TestService, { method, path, body }: Attempt): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    if ((await service.send(method, path, { body: body(tries) })).status === 429) return tries
  }
  throw new Error(`${path} is never locked.`)
}

/** The first locks are short. If one has ended, tries again until a longer one starts. */
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

withService('an address without free guesses gets 429, whatever it sends', async (service) => {
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
  // Requests for mail are still allowed, so the body is read.
  await read('POST', '/api/v2/user')
  await read('POST', reset)
  assert.ok((await lock(service, askForMail)) >= 20)
  await refused([askForMail], 'POST', reset)
  await refused([askForMail, useLink], 'POST', '/api/v2/user')
})
