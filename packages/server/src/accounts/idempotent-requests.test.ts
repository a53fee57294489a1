import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { Type } from 'typebox'
import { addUsers, lookInto } from '../../test/accounts.ts'
import type { Client } from '../../test/client.ts'
import { type TestDatabase, withDatabase } from '../../test/databases.ts'
import { startProcess } from '../../test/process.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { AppError } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import { buildApp } from '../http/app.ts'
import { Vault } from '../secrets/vault.ts'
import { IdempotentRequests } from './idempotent-requests.ts'

const webhooks = '/api/v2/webhook/data'
/** Nodes that execute no code, so they start no executors. */
const env = { ROLES: 'api' }

/** An application with a single route that does what the test says, on a real database. */
async function withRoute(
  place: TestDatabase,
  use: (parts: {
    database: Database
    /** The next work of the route, and how often it worked. */
    route: { handle: () => unknown; calls: number }
    post(
      key: string,
      body?: object,
    ): Promise<{ status: number; code: unknown; isReplayed: boolean; text: string }>
  }) => Promise<void>,
): Promise<void> {
  await addUsers(place, ['once@example.com'])
  await lookInto(place, async (database) => {
    const route = { handle: (): unknown => ({}), calls: 0 }
    const app = await buildApp({
      logger: pino({ level: 'silent' }),
      authenticate: () => ({ userId: 2, role: 'user' }),
      idempotentRequests: new IdempotentRequests(database, new Vault(Buffer.alloc(32, 7))),
      market: 'live',
      apiRoutes: [
        (scope) => {
          const body = Type.Object({ another: Type.Optional(Type.String({ maxLength: 10 })) })
          scope.post('/act', { schema: { body } }, () => {
            route.calls++
            return route.handle()
          })
        },
      ],
      openRoutes: [],
    })
    const post = async (key: string, body: object = {}) => {
      const headers = { 'idempotency-key': key }
      const answer = await app.inject({ method: 'POST', url: '/api/v2/act', headers, payload: body })
      const isReplayed = answer.headers['idempotency-replayed'] === 'true'
      return { status: answer.statusCode, code: answer.json().code, isReplayed, text: answer.body }
    }
    await use({ database, route, post })
    await app.close()
  })
}

const age = (database: Database, seconds: number) =>
  database.db.execute(
    sql`update idempotent_requests set claimed_at = claimed_at - make_interval(secs => ${seconds})`,
  )

withDatabase('a key is free again after a day', async (place) => {
  await withRoute(place, async ({ database, route, post }) => {
    route.handle = () => ({ call: route.calls })
    assert.equal((await post('daily')).text, '{"call":1}')
    await age(database, 24 * 3600 - 60)
    assert.deepEqual(await post('daily'), {
      status: 200,
      code: undefined,
      isReplayed: true,
      text: '{"call":1}',
    })
    await age(database, 120)
    assert.equal((await post('daily', { another: 'body' })).text, '{"call":2}')
    assert.equal((await post('daily')).code, 'idempotency_key_reused')
  })
})

withDatabase(
  'a request that was not started can be tried again, one that may have taken effect cannot',
  async (place) => {
    await withRoute(place, async ({ route, post }) => {
      const refuse = (error: Error) => {
        route.handle = () => {
          throw error
        }
      }
      // The route itself says that it did nothing.
      for (const code of ['rate_limited', 'auth_locked', 'service_unavailable'] as const) {
        refuse(new AppError(code, 'Not now.'))
        assert.equal((await post(code)).code, code)
        route.handle = () => ({ done: code })
        assert.deepEqual(
          [(await post(code)).text, (await post(code)).isReplayed],
          [`{"done":"${code}"}`, true],
        )
      }
      // Nothing says so here.
      refuse(new Error('half-way'))
      assert.equal((await post('broken')).code, 'internal_error')
      route.handle = () => ({ done: true })
      const { calls } = route
      for (let n = 0; n < 2; n++) {
        const { status, code } = await post('broken')
        assert.deepEqual([status, code], [409, 'idempotency_outcome_unknown'])
      }
      assert.equal(route.calls, calls)
    })
  },
)

withDatabase(
  'an answer over a megabyte is not kept, and its request is not carried out again',
  async (place) => {
    await withRoute(place, async ({ route, post }) => {
      route.handle = () => ({ text: 'x'.repeat(1024 * 1024) })
      assert.equal((await post('long')).status, 200)
      assert.equal((await post('long')).code, 'idempotency_outcome_unknown')
      assert.equal(route.calls, 1)
    })
  },
)

withDatabase('a user has at most 100,000 keys a day, and repetitions are still answered', async (place) => {
  await withRoute(place, async ({ database, route, post }) => {
    await database.db.execute(sql`insert into idempotent_requests (user_id, key, claim, fingerprint)
      select 2, 'filler ' || n, '', '' from generate_series(1, 99999) n`)
    assert.equal((await post('the last')).status, 200)
    const { status, code } = await post('one too many')
    assert.deepEqual([status, code], [429, 'rate_limited'])
    assert.equal((await post('the last')).isReplayed, true)
    assert.equal(route.calls, 1)
  })
})

withDatabase('an answer can be decrypted only in its own row', async (place) => {
  await withRoute(place, async ({ database, route, post }) => {
    route.handle = () => ({ secret: `swordfish ${route.calls}` })
    await post('one')
    await post('two')
    await database.db.execute(sql`update idempotent_requests a set answer = b.answer
      from idempotent_requests b where a.key = 'one' and b.key = 'two'`)
    assert.equal((await post('one')).status, 500)
    assert.equal((await post('two')).text, '{"secret":"swordfish 2"}')
  })
})

const withKey = (client: Client, key: string, path: string, body: object) =>
  client.api('POST', path, body, { 'idempotency-key': key })

withDatabase('the database contains no secret of an answer in plain text', async (place) => {
  let secret = ''
  {
    await using service = await startService({ database: place, env })
    const newKey = { name: 'kept', algorithm: 'HMAC' }
    const made = await expect(201, withKey(service, 'a secret', '/api/v2/api/key', newKey))
    assert.deepEqual((await withKey(service, 'a secret', '/api/v2/api/key', newKey)).body, made)
    secret = made.api_secret
  }
  await lookInto(place, async ({ db }) => {
    const result = await db.execute(sql`select encode(answer, 'escape') || row_to_json(r)::text as row
      from idempotent_requests r`)
    const { rows } = result as unknown as { rows: { row: string }[] }
    assert.equal(rows.length, 1)
    assert.ok(rows[0]!.row.includes('a secret') && secret.length > 20)
    const hex = Buffer.from(secret).toString('hex')
    assert.ok(!rows[0]!.row.includes(secret) && !rows[0]!.row.includes(hex))
  })
})

const namesOf = async (client: Client) =>
  (await expect(200, client.api('GET', webhooks))).map(({ name }: { name: string }) => name)

withDatabase('a request whose process is killed half-way is never carried out again', async (place) => {
  const path = '/api/v2/strategy/code/test'
  // It does not end by itself: the service stops a test run after 5 s.
  const send = (client: Client) => withKey(client, 'killed', path, { code: 'for (;;);' })
  {
    await using node = await startProcess({ database: place })
    // One of them has the key and works; the others get an answer that says so.
    const told = await Promise.any(
      Array.from({ length: 3 }, async () => {
        const { body } = await send(node)
        assert.equal(body.code, 'idempotency_under_way')
      }),
    )
    assert.equal(told, undefined)
    await node.killGroup()
  }
  await lookInto(place, (database) => age(database, 31))
  await using service = await startService({ database: place, env })
  assert.equal((await send(service)).body.code, 'idempotency_outcome_unknown')
})

withDatabase(
  'of many requests at once on two nodes, one takes effect, and both nodes have its answer',
  async (place) => {
    await using one = await startService({ database: place, env })
    await using other = await startService({ database: place, env })
    const send = (node: Client) => withKey(node, 'on both', webhooks, { name: 'once' })
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => send(n % 2 === 0 ? one : other)))
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.id)
    assert.ok(made.length > 0)
    assert.equal(new Set(made).size, 1)
    assert.ok(answers.every(({ status, body }) => status === 201 || body.code === 'idempotency_under_way'))
    for (const node of [one, other]) assert.equal((await expect(201, send(node))).id, made[0])
    assert.deepEqual(await namesOf(one), ['once'])
  },
)

withDatabase(
  'a request that took effect before its process was killed does not take effect again',
  async (place) => {
    const send = (node: Client) => withKey(node, 'killed late', webhooks, { name: 'once' })
    const outside = await place.open()
    {
      await using node = await startProcess({ database: place, env })
      // The effect is committed, but the answer never is.
      await outside.db.execute(sql`create function stall() returns trigger language plpgsql
      as 'begin perform pg_sleep(600); return new; end'`)
      await outside.db.execute(
        sql`create trigger stall before update on idempotent_requests for each row execute function stall()`,
      )
      const first = send(node).catch(() => undefined)
      await until('the effect to be committed', async () => (await namesOf(node)).length === 1)
      await node.killGroup()
      await first
    }
    await outside.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where pid <> pg_backend_pid() and datname = current_database() and wait_event = 'PgSleep'`)
    await outside.db.execute(sql`drop trigger stall on idempotent_requests`)
    await using service = await startService({ database: place, env })
    const repeat = await send(service)
    assert.deepEqual([repeat.status, repeat.body.code], [409, 'idempotency_under_way'])
    await age(outside, 31)
    assert.equal((await send(service)).body.code, 'idempotency_outcome_unknown')
    assert.deepEqual(await namesOf(service), ['once'])
  },
)
