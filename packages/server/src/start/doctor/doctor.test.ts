/** The doctor against real servers: a database, a mail server, an exchange's clock, and the system's own tools. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createTestDatabase } from '../../../test/databases.ts'
import { freePort } from '../../../test/free-port.ts'
import { startMailbox } from '../../../test/mailbox.ts'
import { startTelegram } from '../../../test/telegram.ts'
import { openVault } from '../../secrets/open.ts'
import { examine } from './doctor.ts'
import type { Finding } from './finding.ts'
import { node } from './machine.ts'

type Environment = Record<string, string>

const masterKey = randomBytes(32)

async function settings(dataDir: string, more: Environment = {}): Promise<Environment> {
  return { DATA_DIR: dataDir, PORT: String(await freePort()), MARKET: 'sim', ...more }
}

async function findings(env: Environment): Promise<{ isWell: boolean; about: (name: string) => Finding[] }> {
  const { text, isWell } = await examine(env, true)
  const found = text
    .trimEnd()
    .split('\n')
    .map((line): Finding => JSON.parse(line))
  return { isWell, about: (name) => found.filter(({ about }) => about === name) }
}

/** What Kraken answers to `GET /0/public/Time` (https://docs.kraken.com/api/docs/rest-api/get-server-time). */
async function clockOf(offMs: number) {
  const server = createServer((request, response) => {
    assert.equal(request.url, '/0/public/Time')
    const unixtime = Math.floor((Date.now() + offMs) / 1000)
    response.end(
      JSON.stringify({ error: [], result: { unixtime, rfc1123: 'Thu,  1 Jan 70 00:00:00 +0000' } }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const endpoints = { kraken: { rest: `http://127.0.0.1:${port}`, ws: 'ws://127.0.0.1:1', unlimited: true } }
  return {
    env: { MARKET: 'live', EXCHANGE_ENDPOINTS: JSON.stringify(endpoints) },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

suite('the doctor', { concurrency: 2 }, () => {
  test('finds nothing wrong before the first start, and creates nothing', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
    const dataDir = join(folder.path, 'not', 'there')
    const { text, isWell } = await examine(await settings(dataDir), false)
    assert.ok(isWell, text)
    assert.match(text, /^ok {4}node {12}Node \d/m)
    assert.match(text, /first start creates it/)
    assert.match(text, /\n\nNothing keeps the service from its work\./)
    assert.ok(!existsSync(dataDir))
  })

  test('names what is wrong, each with what to do', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
    await using slow = await clockOf(-3_600_000)
    await using mailbox = await startMailbox(undefined, {
      authOptional: false,
      onAuth: (_, __, done) => done(new Error('wrong password')),
    })
    await using telegram = await startTelegram()
    telegram.refuse('getMe', 1, 401, 'Unauthorized')
    await using inTheWay = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => inTheWay.once('listening', resolve))
    await writeFile(join(folder.path, 'master.key'), masterKey.toString('hex'))
    await chmod(join(folder.path, 'master.key'), 0o644)
    const closed = await freePort()
    const { isWell, about } = await findings(
      await settings(folder.path, {
        ...{ ...slow.env, ...telegram.env },
        DATABASE_URL: `postgres://someone:secret@127.0.0.1:${closed}/trades`,
        PORT: String((inTheWay.address() as AddressInfo).port),
        PUBLIC_URL: 'https://trading.example.com',
        SMTP_URL: mailbox.url.replace('://', '://ada:wrong@'),
        WEBHOOK_RAET: '5',
      }),
    )
    assert.ok(!isWell)
    const bad: Record<string, [RegExp, RegExp]> = {
      database: [/refused|ECONNREFUSED/, new RegExp(`Start PostgreSQL on 127.0.0.1, port ${closed}`)],
      'master key': [/Others on this machine can read/, /^chmod 600 /],
      clock: [/The clock is 3[56]\d\d\.\d s ahead/, /timedatectl/],
      proxy: [/share its limits/, /TRUSTED_PROXIES/],
      chat: [/^getMe: Telegram answered 401: Unauthorized$/, /TELEGRAM_BOT_TOKEN/],
      mail: [/does not let the service in/, /SMTP_URL/],
    }
    for (const [name, [text, remedy]] of Object.entries(bad)) {
      const [finding] = about(name)
      assert.equal(finding?.state, 'bad', name)
      assert.match(finding!.text, text)
      assert.match(finding!.remedy!, remedy)
      assert.doesNotMatch(JSON.stringify(finding), /secret|wrong@|AAStandIn/)
    }
    assert.match(about('address')[0]!.text, /^Port \d+ is in use/)
    assert.match(about('settings')[0]!.text, /Did you mean WEBHOOK_RATE\?/)
  })

  test('recognises the master key of a database, and a wrong one', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-test-'))
    await using database = await createTestDatabase()
    await using right = await clockOf(0)
    await using telegram = await startTelegram()
    const opened = await database.open()
    await openVault({ masterKey, dataDir: folder.path }, opened)
    const env = await settings(folder.path, {
      ...right.env,
      ...telegram.env,
      DATABASE_URL: database.databaseUrl,
    })
    const own = await findings({ ...env, MASTER_KEY: masterKey.toString('hex') })
    assert.deepEqual(
      [...own.about('database'), ...own.about('master key'), ...own.about('clock'), ...own.about('chat')].map(
        ({ state }) => state,
      ),
      ['good', 'good', 'good', 'good'],
    )
    assert.match(own.about('database')[0]!.text, /^PostgreSQL \d+.* has the tables of this version\.$/)
    const other = await findings({ ...env, MASTER_KEY: randomBytes(32).toString('hex') })
    assert.match(other.about('master key')[0]!.text, /not the key of this database/)
    const [none] = (await findings(env)).about('master key')
    assert.match(none!.text, /There is none for this database/)
  })

  test('says which setting is wrong', async () => {
    const { isWell, about } = await findings({ PORT: 'many' })
    assert.ok(!isWell)
    assert.match(about('settings')[0]!.text, /^PORT must be a whole number/)
  })
})

test('only a version of Node that isolated-vm is built for can run strategies', () => {
  assert.deepEqual(
    ['24.8.1', '24.9.0', '25.0.0', '26.10.0'].map((version) => node(version).state),
    ['bad', 'good', 'bad', 'good'],
  )
})
