import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { openPglite } from '../db/pglite.ts'
import { exchangeSettings } from '../db/schema.ts'
import { type Catalogue, createCatalogue, type Exchange, type Selection } from './catalogue.ts'

const never = 2 ** 30
const binanceSpot = 2
const noError = (error: unknown) => assert.fail(`unexpected: ${error}`)

let database: Database
before(async () => {
  database = await openPglite('memory://')
})
after(() => database.close())
beforeEach(async () => {
  await database.db.delete(exchangeSettings)
})

/** A node of its own on the shared database, which reads the settings again only when it is told of a change. */
async function openNode(refreshMs = never): Promise<Catalogue & AsyncDisposable> {
  const catalogue = await createCatalogue(database, { onError: noError, refreshMs })
  return Object.assign(catalogue, { [Symbol.asyncDispose]: () => catalogue.close() })
}

function listed(catalogue: Catalogue, selection: Selection = {}): Exchange[] {
  return JSON.parse(catalogue.list(selection).body.toString()) as Exchange[]
}

/** Comes back once `condition` holds; the time limit of the test ends a wait in vain. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn()
}

test('until an administrator decides, what the software can use is enabled', async () => {
  await using catalogue = await openNode()
  for (const { type, enabled } of listed(catalogue)) assert.equal(enabled, type !== 'DEX')
})

test('other domains find an exchange by its id, with its identifier and its chain', async () => {
  await using catalogue = await openNode()
  const kraken = catalogue.find(7)
  assert.equal(kraken?.exchange, 'krakenfutures')
  assert.equal(kraken?.enabled, true)
  const [uniswap] = listed(catalogue, { chainId: '1' })
  assert.equal(catalogue.find(uniswap!.id)?.chainId, '1')
  for (const id of [0, 5, 99, -1, Number.NaN]) assert.equal(catalogue.find(id), undefined)
})

test('an answer is made once, and anew only after a change', async () => {
  await using catalogue = await openNode()
  const before = catalogue.list({ type: 'CEX', enabled: true })
  assert.equal(catalogue.list({ type: 'CEX', enabled: true }), before)
  await catalogue.refresh()
  assert.equal(catalogue.list({ type: 'CEX', enabled: true }), before)

  await catalogue.setEnabled(binanceSpot, false)
  const changed = catalogue.list({ type: 'CEX', enabled: true })
  assert.notEqual(changed.etag, before.etag)
  await catalogue.setEnabled(binanceSpot, true)
  assert.equal(catalogue.list({ type: 'CEX', enabled: true }).etag, before.etag)
})

test('chains that nobody serves share one answer, however many are asked for', async () => {
  await using catalogue = await openNode()
  const empty = catalogue.list({ chainId: 'nowhere' })
  assert.equal(empty.body.toString(), '[]')
  for (let chain = 10_000_000; chain < 10_010_000; chain++) {
    assert.equal(catalogue.list({ chainId: String(chain) }), empty)
  }
})

test('only decisions are stored, and one equal to the default is a decision too', async () => {
  await using catalogue = await openNode()
  assert.deepEqual(await database.db.select().from(exchangeSettings), [])
  await catalogue.setEnabled(binanceSpot, true)
  const [row] = await database.db.select().from(exchangeSettings)
  assert.equal(row?.exchangeId, binanceSpot)
  assert.equal(row?.enabled, true)
})

test('an unknown exchange cannot be set and leaves nothing behind', async () => {
  await using catalogue = await openNode()
  await assert.rejects(catalogue.setEnabled(5, true), { code: 'resource_not_found' })
  assert.deepEqual(await database.db.select().from(exchangeSettings), [])
})

test('a change reaches every node by notification', { timeout: 10_000 }, async () => {
  await using here = await openNode()
  await using there = await openNode()
  await here.setEnabled(binanceSpot, false)
  assert.equal(here.find(binanceSpot)?.enabled, false)
  await until(() => there.find(binanceSpot)?.enabled === false)
  assert.ok(!listed(there, { type: 'CEX', enabled: true }).some(({ id }) => id === binanceSpot))
})

test('a change whose notification was lost is found by the next refresh', { timeout: 10_000 }, async () => {
  await using catalogue = await openNode(10)
  await database.db.insert(exchangeSettings).values({ exchangeId: binanceSpot, enabled: false })
  await until(() => catalogue.find(binanceSpot)?.enabled === false)
})

test('a setting survives a restart, and one for an exchange that is gone does no harm', async () => {
  await database.db.insert(exchangeSettings).values([
    { exchangeId: binanceSpot, enabled: false },
    { exchangeId: 99, enabled: true },
  ])
  await using catalogue = await openNode()
  assert.equal(catalogue.find(binanceSpot)?.enabled, false)
  assert.equal(catalogue.find(99), undefined)
})

test('after changes side by side, memory and database say the same', { timeout: 20_000 }, async () => {
  await using here = await openNode()
  await using there = await openNode()
  const changes = Array.from({ length: 40 }, (_, index) =>
    (index % 2 === 0 ? here : there).setEnabled(1 + (index % 4), index % 3 === 0),
  )
  const answers = await Promise.all(changes)
  for (const [index, answer] of answers.entries()) assert.equal(answer.enabled, index % 3 === 0)

  await Promise.all([here.refresh(), there.refresh()])
  const rows = await database.db.select().from(exchangeSettings)
  assert.deepEqual(rows.map(({ exchangeId }) => exchangeId).sort(), [1, 2, 3, 4])
  for (const { exchangeId, enabled } of rows) {
    assert.equal(here.find(exchangeId)?.enabled, enabled)
    assert.equal(there.find(exchangeId)?.enabled, enabled)
  }
})

test('while the database is away the last settings stay in force and the failure is told', {
  timeout: 20_000,
}, async () => {
  const lost = await openPglite('memory://')
  const failures: unknown[] = []
  const catalogue = await createCatalogue(lost, { onError: (error) => failures.push(error), refreshMs: 10 })
  await catalogue.setEnabled(binanceSpot, false)
  await lost.close()
  await until(() => failures.length > 0)
  assert.equal(catalogue.find(binanceSpot)?.enabled, false)
  await assert.rejects(catalogue.setEnabled(binanceSpot, true))
  await catalogue.close()
})
