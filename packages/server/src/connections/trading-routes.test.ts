import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { startProcess } from '../../test/process.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { withAccount, withService } from '../../test/with-service.ts'

const path = '/api/v2/trading'
const off = { live_trading: false, halted: false }

withService('an administrator turns live trading on, and halts all trading', async (service) => {
  const set = (body: unknown) => expect(200, service.api('PUT', path, body))
  const read = () => expect(200, service.api('GET', path))
  assert.deepEqual(await read(), off)
  assert.deepEqual(await set({ live_trading: true }), { live_trading: true, halted: false })
  assert.deepEqual(await set({ halted: true }), { live_trading: true, halted: true })
  assert.deepEqual(await set({ halted: true }), { live_trading: true, halted: true })
  assert.deepEqual(await read(), { live_trading: true, halted: true })
  assert.deepEqual(await set({ halted: false, live_trading: false }), off)
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
    { halted: null },
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
    const halted = { live_trading: true, halted: true }
    await expect(200, first.api('PUT', path, halted))
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
      assert.deepEqual(await expect(200, node.api('GET', path)), { live_trading: true, halted: false })
    }
    await expect(200, second.api('PUT', path, { halted: true }))
    await second.killGroup()
    await using restarted = await startService({ database })
    assert.deepEqual(await expect(200, restarted.api('GET', path)), halted)
  },
)
