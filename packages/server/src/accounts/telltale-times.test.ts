/** Checks that times do not reveal who has an account: neither those of answers to guests, nor those of the next answers. */
import assert from 'node:assert/strict'
import { lookInto } from '../../test/accounts.ts'
import type { ApiAnswer } from '../../test/client.ts'
import { type TestDatabase, withDatabase } from '../../test/databases.ts'
import { deviationOf, shareAbove, shuffled } from '../../test/distributions.ts'
import { expect } from '../../test/reaction.ts'
import { startService, type TestService } from '../../test/service.ts'
import { users } from '../db/schema.ts'
import { Passwords } from './passwords.ts'

const each = 32
/** By chance alone, a share is this far from a half once in hundreds of thousands of times. */
const band = 4.7 * deviationOf(each, each)

const addresses = (host: string) => Array.from({ length: each }, (_, n) => `user-${n}@${host}`)
const known = addresses('known.example')
const unknown = addresses('unknown.example')

/** Each guest has an own address, so that none has to wait. */
const env = {
  TRUSTED_PROXIES: '127.0.0.1',
  SIGN_UP: 'open',
  SMTP_URL: 'smtp://127.0.0.1:9',
  LOG_LEVEL: 'silent',
}

async function startWithUsers(place: TestDatabase): Promise<TestService> {
  // Before there are users: the first start creates the administrator only on an empty database.
  const service = await startService({ database: place, env })
  // A hash with a lower cost than today's.
  const passwordHash = await new Passwords(13).hash('correct horse battery')
  await lookInto(place, async ({ db }) => {
    await db.insert(users).values(known.map((email) => ({ email, passwordHash, role: 'user' as const })))
  })
  return service
}

type Ask = (email: string, ip: string) => Promise<ApiAnswer>
type Times = { answers: number[]; next: number[] }

/**
 * Asks about known and unknown addresses in random order, and right after each for something that needs the event loop
 * and the database.
 * @param meanwhile work that delays the next request after a known address
 */
async function compare(
  service: TestService,
  ask: Ask,
  meanwhile: () => Promise<unknown> = async () => undefined,
) {
  const times: Record<'known' | 'unknown', Times> = {
    known: { answers: [], next: [] },
    unknown: { answers: [], next: [] },
  }
  const statuses = new Set<string>()
  const asked = shuffled([
    ...known.map((email) => ({ email, kind: 'known' as const })),
    ...unknown.map((email) => ({ email, kind: 'unknown' as const })),
  ])
  for (const [index, { email, kind }] of asked.entries()) {
    const ip = `10.0.${counter++ % 200}.${index}`
    const startedMs = performance.now()
    const { status, body, headers } = await ask(email, ip)
    const answeredMs = performance.now()
    if (kind === 'known') await meanwhile()
    await service.send('GET', '/health/ready')
    times[kind].next.push(performance.now() - answeredMs)
    times[kind].answers.push(answeredMs - startedMs)
    const { request_id: _, ...rest } = body
    statuses.add(JSON.stringify([status, rest, [...headers.keys()].sort()]))
  }
  return {
    /** All answers, without the ids of requests. */
    answers: [...statuses],
    ofAnswers: shareAbove(times.known.answers, times.unknown.answers),
    ofNext: shareAbove(times.known.next, times.unknown.next),
  }
}
let counter = 0

/** Shares a webhook with the user of an address, or with an unknown id. Other tests check the answers. */
async function sharing(service: TestService): Promise<Ask> {
  const webhook = await expect(201, service.api('POST', '/api/v2/webhook/data', {}))
  const listed: { id: number; email: string }[] = await expect(200, service.api('GET', '/api/v2/user'))
  const ids = new Map(listed.map(({ id, email }) => [email, id]))
  return async (email) => {
    const userId = ids.get(email) ?? 900_000 + unknown.indexOf(email) + 1
    const answer = await service.api('POST', `/api/v2/webhook/data/share/${webhook.id}`, { userId })
    return { ...answer, body: {} }
  }
}

withDatabase('neither answers nor times reveal who has an account', async (place) => {
  await using service = await startWithUsers(place)
  const from = (ip: string) => ({ 'x-forwarded-for': ip })
  const post = (path: string, body: object, ip: string) =>
    service.send('POST', `/api/v2/user${path}`, { body, headers: from(ip) })
  const asks: Record<string, Ask> = {
    'a new password': (email, ip) => post('/password/reset', { email }, ip),
    'a wrong password': (email, ip) => post('/session', { email, password: 'wrong horse battery' }, ip),
    'an account': (email, ip) => post('', { email }, ip),
    'a share': await sharing(service),
  }
  // The first request of each kind takes longer.
  for (const ask of Object.values(asks)) await ask('warm-up@unknown.example', '192.0.2.1')
  for (const [what, ask] of Object.entries(asks)) {
    const { answers, ofAnswers, ofNext } = await compare(service, ask)
    assert.equal(answers.length, 1, `${what}: ${answers.join('\n')}`)
    assert.ok(
      Math.abs(ofAnswers - 0.5) < band,
      `${what}: known addresses took longer ${ofAnswers} of the time`,
    )
    assert.ok(Math.abs(ofNext - 0.5) < band, `${what}: what came next took longer ${ofNext} of the time`)
  }

  // Shows that the test would notice: work after the answer for known addresses only delays the next answer.
  const control = async () => {
    const { ofNext } = await compare(service, asks['a new password']!, async () => {
      for (let writes = 0; writes < 2; writes++)
        await expect(201, service.api('POST', '/api/v2/webhook/data', {}))
    })
    return ofNext
  }
  // A busy machine can hide such a delay once.
  let ofNext = await control()
  for (let left = 3; left > 0 && ofNext - 0.5 <= band; left--) ofNext = await control()
  assert.ok(ofNext - 0.5 > band, `the control is told apart ${ofNext} of the time only`)
})
