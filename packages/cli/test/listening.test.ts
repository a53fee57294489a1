/** Deliveries that reach a listener, whatever happens to it and to its connection. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createTestDatabase } from '../../server/test/databases.ts'
import { administratorKey } from '../../server/test/environment.ts'
import { expect, makeReaction } from '../../server/test/reaction.ts'
import { startService } from '../../server/test/service.ts'
import { withSharedAccount } from '../../server/test/shared-account.ts'
import { until } from '../../server/test/until.ts'
import type { Context } from '../src/context.ts'
import { forward, type Received } from '../src/listening/handlers.ts'
import { openLine } from './line.ts'
import { login } from './login.ts'
import { makeHome, records } from './run.ts'

const program = fileURLToPath(new URL('../bin/tickwright.js', import.meta.url))
const code = 'if (JSON.parse($.Request.data).n > 1) await $.Strategy.action($.Action.LONG)'

/** A project whose reaction is attached to a webhook, in the folder of a home. */
async function write(folder: string, webhookId: number, text = code) {
  await mkdir(join(folder, 'reactions'), { recursive: true })
  await writeFile(join(folder, 'tickwright.yaml'), 'project: tests\n')
  await writeFile(join(folder, 'reactions/spike.yaml'), `data_webhook_id: ${webhookId}\nsymbol: BTCUSDT\n`)
  await writeFile(join(folder, 'reactions/spike.js'), text)
}

withSharedAccount('what arrived since the last listener runs through local files, once', async (account) => {
  await using home = await makeHome()
  await login(home, account)
  const reaction = await makeReaction(account, '$.log(1)')
  await reaction.post({ n: 0 })
  await write(home.path, reaction.webhookId)
  const listen = (more = '') => home.run(`listen ${reaction.webhookId} --once --json${more}`)
  assert.deepEqual(records(await listen()), [])
  await reaction.post({ n: 1 })
  await reaction.post({ n: 2 })
  const heard = records(await listen())
  assert.deepEqual(
    heard.map(({ results: [result] }) => [result.file, result.status, result.action]),
    [
      ['reactions/spike.yaml', 'SUCCEEDED', null],
      ['reactions/spike.yaml', 'SUCCEEDED', 'LONG'],
    ],
  )
  assert.deepEqual(records(await listen()), [])
  await reaction.post({ n: 3 })
  await write(home.path, reaction.webhookId, 'if (')
  const [broken] = records(await listen())
  assert.match(broken.results[0].status, /FAILED|REFUSED/)
  assert.match((await listen(' other')).err, /no reactions\/other/)
  assert.deepEqual(await expect(200, account.api('GET', '/api/v2/signal')), [])

  // Nor does a cursor beyond the latest delivery, such as after a restore, make it deaf.
  assert.match((await listen(' --after 999999999')).err, /has no delivery 999999999: its latest is \d+\./)
  await reaction.post({ n: 3 })
  assert.equal(records(await listen()).length, 1)

  // To another webhook, byte for byte, and once however often it is posted.
  const target = await expect(201, account.api('POST', '/api/v2/webhook/data', { name: 'Copy' }))
  const copied = async () =>
    (await expect(200, account.api('GET', `/api/v2/webhook/data/${target.id}/deliveries`))).map(
      ({ body }: { body: string }) => body,
    )
  const begin = heard[0].delivery_id
  const to = new URL(new URL(target.url).pathname, account.url).href
  const asked = await listen(` --to ${to}`)
  assert.deepEqual([asked.code, asked.out], [2, ''])
  assert.match(asked.err, /real money.*--yes/)
  for (let times = 0; times < 2; times++) {
    const posted = records(await listen(` --to ${to} --yes --after ${begin}`))
    assert.deepEqual(
      posted.map(({ posted }) => posted),
      [true, true, true],
    )
  }
  assert.deepEqual(await copied(), ['{"n":3}', '{"n":3}', '{"n":2}'])
  const own = await expect(200, account.api('GET', `/api/v2/webhook/data/${reaction.webhookId}`))
  assert.match((await listen(` --to ${own.url} --yes`)).err, /would never end/)
})

test('a delivery that another node has stored late is handled, once', async () => {
  await using database = await createTestDatabase()
  await using service = await startService({ database })
  const { db } = await database.open()
  await using home = await makeHome()
  const { key, secret } = administratorKey
  const env = { TICKWRIGHT_URL: service.url, TICKWRIGHT_API_KEY: key, TICKWRIGHT_API_SECRET: secret }
  const reaction = await makeReaction(service, '$.log(1)')
  const post = async (n: number): Promise<number> => (await expect(202, reaction.post({ n }))).id
  await write(home.path, reaction.webhookId)
  const handled = async (): Promise<number[]> => {
    const done = await home.run(`listen ${reaction.webhookId} --once --json`, { env })
    return records(done).map(({ delivery_id }) => delivery_id)
  }
  assert.deepEqual(await handled(), [])
  const first = await post(1)
  assert.deepEqual(await handled(), [first])
  // A node takes its number before the next one is stored, and stores it afterwards.
  const taken = await db.execute(`select nextval('deliveries_id_seq')::integer as id`)
  const second = (taken as unknown as { rows: [{ id: number }] }).rows[0].id
  const third = await post(3)
  assert.deepEqual(await handled(), [third])
  await db.execute(`
    insert into deliveries (id, webhook_id, body, headers, ip, reactions, received_at) overriding system value
    select ${second}, webhook_id, body, headers, ip, reactions, received_at from deliveries where id = ${third}`)
  assert.deepEqual(await handled(), [second])
  const fourth = await post(4)
  assert.deepEqual(await handled(), [fourth])
  assert.deepEqual(await handled(), [])
})

withSharedAccount(
  'a listener says that its connection is lost, and then handles what it missed',
  async (account) => {
    await using home = await makeHome()
    const reaction = await makeReaction(account, '$.log(1)')
    await write(home.path, reaction.webhookId)
    const key = await expect(201, account.api('POST', '/api/v2/api/key', { name: 'x', algorithm: 'HMAC' }))
    await using line = await openLine(Number(new URL(account.url).port))
    const child = spawn(process.execPath, [program, 'listen', String(reaction.webhookId)], {
      cwd: home.path,
      env: {
        PATH: process.env.PATH,
        HOME: home.path,
        TICKWRIGHT_URL: `http://127.0.0.1:${line.port}`,
        TICKWRIGHT_API_KEY: key.api_key,
        TICKWRIGHT_API_SECRET: key.api_secret,
      },
    })
    const ended = once(child, 'close')
    try {
      let [out, err] = ['', '']
      child.stdout.setEncoding('utf8').on('data', (text) => (out += text))
      child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
      const says = (what: RegExp) => until(`the listener to say ${what}`, async () => what.test(out + err))
      await says(/Following/)
      await reaction.post({ n: 1 })
      await says(/spike.yaml: SUCCEEDED, no action/)
      line.cut()
      await says(/The connection is lost/)
      await reaction.post({ n: 2 })
      line.mend()
      await says(/Connected again/)
      await says(/spike.yaml: SUCCEEDED, LONG/)
    } finally {
      child.kill()
      await ended
    }
  },
)

test('an old payload is named, and not posted', async () => {
  const place = { target: new URL('http://127.0.0.1:9/'), from: 'here', key: undefined, maxAgeSeconds: 300 }
  const handle = forward({} as Context, place)
  const delivery = { id: 7, body: '{}', headers: {}, received_at: '2026-01-01T00:00:00.000Z' }
  const { text, record } = await handle(delivery as Received)
  assert.match(text, /not posted: it is \d+ s old, and --max-age is 300/)
  assert.deepEqual(record, { delivery_id: 7, posted: false, reason: 'too old' })
})
