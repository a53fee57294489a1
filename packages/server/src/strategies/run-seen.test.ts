/** What the record of a run keeps of what its code saw. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eq } from 'drizzle-orm'
import type { Client } from '../../test/client.ts'
import { createTestDatabase } from '../../test/databases.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { withAccount } from '../../test/with-service.ts'
import { runs, strategies, users } from '../db/schema.ts'
import { Runs } from './runs.ts'

const priced = { use_price: true, exchange_id: 2, price_symbol: 'btcusdt' }

const read = (client: Client, id: number) => expect(200, client.api('GET', `/api/v2/run/${id}`))

withAccount('a run that failed can be tested again with all that it saw', async (account) => {
  const code = `
    $.log(JSON.stringify([$.Price, $.Strategy.lastTrigger, await $.Storage.get()]))
    await $.Storage.set({ n: ((await $.Storage.get())?.n ?? 0) + 1, filler: 'x'.repeat(2_000) })
    if ($.Strategy.lastTrigger.action === null) await $.Strategy.action($.Action.LONG)
    else missing.member`
  const reaction = await makeReaction(account, code, priced)
  for (let n = 0; n < 3; n++) await reaction.post({ n })
  const [first, second, third] = await reaction.ended(3)
  const [price, , storage] = JSON.parse(first.log)
  assert.deepEqual([first.status, storage], ['SUCCEEDED', null])
  const { seen, version } = await read(account, first.id)
  assert.deepEqual(seen, {
    price,
    state: { storage: null, last_trigger: { action: null, price: null, at: null } },
  })
  assert.ok(version > 0)
  for (const run of [second, third]) {
    assert.equal(run.status, 'FAILED')
    const [price, lastTrigger, storage] = JSON.parse(run.log)
    const at = new Date(lastTrigger.at).toISOString()
    const { seen } = await read(account, run.id)
    if (run === second) {
      assert.deepEqual(seen, { price, state: { storage, last_trigger: { ...lastTrigger, at } } })
      // Test runs take it as it is.
      const again = { price: seen.price, ...seen.state, payload: '{"n":1}' }
      const trace = await expect(200, account.api('POST', `${reaction.own}/test`, again))
      assert.equal(trace.log, run.log)
    } else {
      // Another large storage within ten seconds.
      assert.deepEqual(seen, { price, state: null })
    }
  }
})

withAccount('a run can be repeated with its time and its random numbers', async (account) => {
  const code = `
    const before = [Date.now(), Math.random()]
    await $.Http.get('http://127.0.0.1:9/')
    $.log(JSON.stringify([...before, Date.now() - before[0]]))`
  const reaction = await makeReaction(account, code)
  const skipping = await makeReaction(account, '', {
    use_price: true,
    exchange_id: 2,
    price_symbol: 'nosuch',
  })
  await reaction.post({})
  await skipping.post({})
  const [[run], [skipped]] = await Promise.all([reaction.ended(1), skipping.ended(1)])
  const [now, random, waited] = JSON.parse(run.log)
  const { clock } = await read(account, run.id)
  assert.deepEqual(clock, {
    seed: clock.seed,
    now: new Date(now).toISOString(),
    answers: [{ call: 1, ms: waited }],
  })
  const { seed } = clock
  for (const now of [clock.now, '2024-02-29T12:30:15.250Z']) {
    const trace = await expect(200, account.api('POST', `${reaction.own}/test`, { seed, now, http: 'none' }))
    assert.deepEqual(JSON.parse(trace.log).slice(0, 2), [Date.parse(now), random])
    assert.deepEqual([trace.clock.seed, trace.clock.now], [seed, now])
  }
  const { clock: unknown } = await read(account, skipped.id)
  assert.deepEqual([skipped.status, unknown], ['SKIPPED', null])
})

withAccount('a run that succeeded keeps its price, and a small storage', async (account) => {
  const code = `
    const { filler } = JSON.parse($.Request.data)
    await $.Storage.set(filler)`
  const reaction = await makeReaction(account, code)
  for (const filler of ['small', 'x'.repeat(600), 1]) await reaction.post({ filler })
  const ended = await reaction.ended(3)
  const seen = await Promise.all(ended.map(async ({ id }) => (await read(account, id)).seen))
  const last_trigger = { action: null, price: null, at: null }
  assert.deepEqual(seen, [
    { price: null, state: { storage: null, last_trigger } },
    { price: null, state: { storage: 'small', last_trigger } },
    null,
  ])
})

withAccount('any storage that code can write is shown as it was', async (account) => {
  const values = [
    String.raw`'\0 \ud800 \u202e </script>'`,
    '({ ["__proto__"]: 1, deep: JSON.parse("[".repeat(5_000) + "]".repeat(5_000)) })',
  ]
  for (const value of values) {
    const reaction = await makeReaction(
      account,
      `const stored = await $.Storage.get()
       if (stored === null) return $.Storage.set(${value})
       missing.member`,
    )
    await reaction.post({})
    await reaction.post({})
    const [, failed] = await reaction.ended(2)
    assert.equal(failed.status, 'FAILED')
    const { seen } = await read(account, failed.id)
    assert.deepEqual(JSON.stringify(seen.state.storage), JSON.stringify((await reaction.read()).storage))
  }
})

withAccount('what a run saw is for its owner only, and no list has it', async (account, service) => {
  const reaction = await makeReaction(account, 'missing.member')
  await reaction.post({})
  const [run] = await reaction.ended(1)
  assert.ok(!('seen' in run) && !('version' in run))
  await expect(200, account.api('GET', `/api/v2/run/${run.id}`))
  // The administrator is another user, too.
  await expect(404, service.api('GET', `/api/v2/run/${run.id}`))
})

test('a storage that only a deleted run had is shown as not kept', async () => {
  await using place = await createTestDatabase()
  const database = await place.open()
  const { db } = database
  const [user] = await db
    .insert(users)
    .values({ email: 'a@example.com', passwordHash: '', role: 'user' })
    .returning()
  const add = async () => {
    const [row] = await db
      .insert(strategies)
      .values({ userId: user!.id, type: 'code-reaction', name: '', code: '' })
      .returning()
    return row!.id
  }
  const [own, other] = [await add(), await add()]
  const run = async (strategyId: number, seen: object) => {
    const row = { strategyId, trigger: 'webhook' as const, queuedAt: new Date(), seen }
    return (await db.insert(runs).values(row).returning())[0]!.id
  }
  const first = await run(own, { storage: '[1]' })
  const later = await run(own, { storageOf: first })
  const foreign = await run(other, { storageOf: first })
  const records = new Runs(database)
  const stateOf = async (id: number) => (await records.get(user!.id, id)).seen?.state
  assert.equal((await stateOf(later))?.storage, '[1]')
  assert.equal(await stateOf(foreign), null)
  await db.delete(runs).where(eq(runs.id, first))
  assert.equal(await stateOf(later), null)
})
