import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { makeHome, records } from '../../../cli/test/run.ts'
import { withDatabase } from '../../test/databases.ts'
import { administratorKey } from '../../test/environment.ts'
import { startProcess } from '../../test/process.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { withAccount, withService } from '../../test/with-service.ts'

const path = '/api/v2/trading'
const off = { live_trading: false, halted: false, halt: null }

withService('an administrator turns live trading on, and halts all trading', async (service) => {
  const set = (body: unknown) => expect(200, service.api('PUT', path, body))
  const read = () => expect(200, service.api('GET', path))
  assert.deepEqual(await read(), off)
  assert.deepEqual(await set({ live_trading: true }), { live_trading: true, halted: false, halt: null })
  const halted = await set({ halted: true })
  const halt = { reason: null, user_id: 1, at: halted.halt.at, watched: [], watched_total: 0 }
  assert.deepEqual(halted, { live_trading: true, halted: true, halt })
  assert.deepEqual(await set({ halted: true }), halted)
  assert.deepEqual(await read(), halted)
  const openings = await set({ halted: 'openings' })
  assert.deepEqual(openings, { ...halted, halted: 'openings' })
  assert.deepEqual(await set({ halted: false, live_trading: false }), off)
})

withAccount(
  'everyone reads why trading is halted, and the log of the administrator has it',
  async (account, service) => {
    const set = (body: unknown) => service.api('PUT', path, body)
    const reason = `Prices of exchange 2 are wrong \u202e<b>`
    const halted = await expect(200, set({ halted: true, reason: ` ${reason}\n` }))
    const { at } = halted.halt
    assert.deepEqual(halted.halt, { reason, user_id: 1, at, watched: [], watched_total: 0 })
    assert.deepEqual(await expect(200, account.api('GET', path)), halted)
    // A second request without a reason keeps the first one.
    assert.deepEqual(await expect(200, set({ halted: true })), halted)
    for (const none of [null, '', ' ']) {
      assert.equal((await expect(200, set({ reason: none }))).halt.reason, null)
    }
    assert.deepEqual(await expect(200, set({ halted: false })), off)
    // A reason alone never halts: somebody may have ended the halt while it was written.
    for (const change of [{ reason: 'late' }, { reason: 'late', live_trading: true }]) {
      assert.equal((await expect(409, set(change))).code, 'resource_conflict')
    }
    assert.deepEqual(await expect(200, service.api('GET', path)), off)
    const events = await expect(200, service.api('GET', '/api/v2/user/audit'))
    const [resumed, changed, first] = events
    assert.deepEqual([resumed.event, resumed.details], ['trading_resumed', {}])
    assert.deepEqual([changed.event, changed.details], ['halt_reason_changed', {}])
    assert.deepEqual([first.event, first.details, first.by_user_id], ['trading_halted', { reason }, 1])
  },
)

withService('the command line of an administrator halts trading, and ends the halt', async (service) => {
  await using home = await makeHome()
  const { key, secret } = administratorKey
  const env = { TICKWRIGHT_URL: service.url, TICKWRIGHT_API_KEY: key, TICKWRIGHT_API_SECRET: secret }
  const openings = ['halt', '--openings', '--reason', 'Wrong prices', '--json']
  const [halted] = records(await home.run(openings, { env }))
  assert.deepEqual([halted.halted, halted.halt.reason], ['openings', 'Wrong prices'])
  assert.equal((await home.run('halt', { env })).out, 'halted        everything\nlive trading  off\n')
  assert.equal((await expect(200, service.api('GET', path))).halted, true)
  assert.equal((await home.run('resume', { env })).code, 0)
  assert.deepEqual(await expect(200, service.api('GET', path)), off)
})

withAccount('anybody may read the switch, and only an administrator may set it', async (account, service) => {
  assert.deepEqual(await expect(200, account.api('GET', path)), off)
  for (const body of [{ live_trading: true }, { halted: true }, { halted: false }]) {
    const refused = await expect(403, account.api('PUT', path, body))
    assert.equal(refused.code, 'access_denied')
  }
  await expect(401, service.send('GET', path))
  await expect(401, service.send('PUT', path, { body: { halted: true } }))
  assert.deepEqual(await expect(200, account.api('GET', path)), off)
})

withService('a switch that is misspelt or no boolean is refused, and nothing is set', async (service) => {
  for (const body of [
    {},
    [],
    '',
    'true',
    { halt: true },
    { halted: true, live: false },
    { halted: 'true' },
    { halted: 1 },
    { halted: 'closes' },
    { halted: 'openings', live: true },
    { halted: null },
    { halted: false, reason: 'because' },
    { halted: true, reason: 'x'.repeat(256) },
    { halted: true, reason: 7 },
    { halted: true, halt: { reason: 'because' } },
    { live_trading: 'on' },
    '{"halted":true',
  ]) {
    await expect(400, service.api('PUT', path, body))
  }
  assert.deepEqual(await expect(200, service.api('GET', path)), off)
})

withDatabase(
  'a change on one node applies on another and after a restart, and every node returns the stored state',
  async (database) => {
    await using first = await startProcess({ database })
    const second = await startProcess({ database })
    const setting = { live_trading: true, halted: true, reason: 'Maintenance' }
    const halted = await expect(200, first.api('PUT', path, setting))
    assert.equal(halted.halt.reason, 'Maintenance')
    assert.deepEqual(await expect(200, second.api('GET', path)), halted)
    await until('both nodes to log it', async () =>
      [first, second].every((node) => /"liveTrading":true,"halted":true/.test(node.output())),
    )
    await until('a log line with the user', async () =>
      /"userId":\d+.*trading switched by/.test(first.output()),
    )

    const { db } = await database.open()
    await db.execute(sql`update installation set trading_halted = false`)
    for (const node of [first, second]) {
      const running = { live_trading: true, halted: false, halt: null }
      assert.deepEqual(await expect(200, node.api('GET', path)), running)
    }
    const again = await expect(200, second.api('PUT', path, { halted: true }))
    assert.equal(again.halt.reason, null)
    await second.killGroup()
    await using restarted = await startService({ database })
    assert.deepEqual(await expect(200, restarted.api('GET', path)), again)
  },
)
