import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { type TestDatabase, withDatabase } from '../../test/databases.ts'
import { until } from '../../test/until.ts'
import type { Database } from '../db/database.ts'
import { exchangeSettings } from '../db/schema.ts'
import { type Catalogue, createCatalogue, type Exchange, type Selection } from './catalogue.ts'

const never = 2 ** 30
const binanceSpot = 2

/** A catalogue that reads the settings again only after a notification. */
async function openCatalogue(database: Database, refreshMs = never): Promise<Catalogue & AsyncDisposable> {
  const onError = (error: unknown) => assert.fail(`unexpected: ${error}`)
  const catalogue = await createCatalogue(database, { onError, refreshMs })
  return Object.assign(catalogue, { [Symbol.asyncDispose]: () => catalogue.close() })
}

/** Two nodes, each with its own connections. */
async function openTwice(database: TestDatabase): Promise<[Database, Database]> {
  return [await database.open(), await database.open()]
}

function listed(catalogue: Catalogue, selection: Selection = {}): Exchange[] {
  return JSON.parse(catalogue.list(selection).body.toString()) as Exchange[]
}

withDatabase('by default, every exchange on which bots can trade is enabled', async (files) => {
  await using catalogue = await openCatalogue(await files.open())
  for (const { type, enabled } of listed(catalogue)) assert.equal(enabled, type === 'CEX' || type === 'SIM')
})

withDatabase('an exchange is found by its id, with its identifier and its chain', async (files) => {
  await using catalogue = await openCatalogue(await files.open())
  const kraken = catalogue.find(7)
  assert.equal(kraken?.exchange, 'krakenfutures')
  assert.equal(kraken?.enabled, true)
  const [uniswap] = listed(catalogue, { chainId: '1' })
  assert.equal(catalogue.find(uniswap!.id)?.chainId, '1')
  for (const id of [0, 5, 99, -1, Number.NaN]) assert.equal(catalogue.find(id), undefined)
})

withDatabase('a response is built once, and again only after a change', async (files) => {
  await using catalogue = await openCatalogue(await files.open())
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

withDatabase(
  'chains that no exchange serves share one response, however many are requested',
  async (files) => {
    await using catalogue = await openCatalogue(await files.open())
    const empty = catalogue.list({ chainId: 'nowhere' })
    assert.equal(empty.body.toString(), '[]')
    for (let chain = 10_000_000; chain < 10_010_000; chain++) {
      assert.equal(catalogue.list({ chainId: String(chain) }), empty)
    }
  },
)

withDatabase('only settings are stored, including those that equal the default', async (files) => {
  const database = await files.open()
  await using catalogue = await openCatalogue(database)
  assert.deepEqual(await database.db.select().from(exchangeSettings), [])
  await catalogue.setEnabled(binanceSpot, true)
  const [row] = await database.db.select().from(exchangeSettings)
  assert.equal(row?.exchangeId, binanceSpot)
  assert.equal(row?.enabled, true)

  await assert.rejects(catalogue.setEnabled(5, true), { code: 'resource_not_found' })
  assert.equal((await database.db.select().from(exchangeSettings)).length, 1)
})

withDatabase('a change reaches every node by notification', async (files) => {
  const [first, second] = await openTwice(files)
  await using here = await openCatalogue(first)
  await using there = await openCatalogue(second)
  await here.setEnabled(binanceSpot, false)
  assert.equal(here.find(binanceSpot)?.enabled, false)
  await until('the other node to learn of it', async () => there.find(binanceSpot)?.enabled === false)
  assert.ok(!listed(there, { type: 'CEX', enabled: true }).some(({ id }) => id === binanceSpot))
})

withDatabase('the next refresh finds a change whose notification was lost', async (files) => {
  const database = await files.open()
  await using catalogue = await openCatalogue(database, 10)
  await database.db.insert(exchangeSettings).values({ exchangeId: binanceSpot, enabled: false })
  await until('a refresh', async () => catalogue.find(binanceSpot)?.enabled === false)
})

withDatabase(
  'a setting survives a restart, and a setting of an exchange that is gone does no harm',
  async (files) => {
    const database = await files.open()
    await database.db.insert(exchangeSettings).values([
      { exchangeId: binanceSpot, enabled: false },
      { exchangeId: 99, enabled: true },
    ])
    await using catalogue = await openCatalogue(database)
    assert.equal(catalogue.find(binanceSpot)?.enabled, false)
    assert.equal(catalogue.find(99), undefined)
  },
)

withDatabase('after concurrent changes, every node has what the database has', async (files) => {
  const [first, second] = await openTwice(files)
  await using here = await openCatalogue(first)
  await using there = await openCatalogue(second)
  const changes = Array.from({ length: 40 }, (_, index) =>
    (index % 2 === 0 ? here : there).setEnabled(1 + (index % 4), index % 3 === 0),
  )
  for (const [index, answer] of (await Promise.all(changes)).entries()) {
    assert.equal(answer.enabled, index % 3 === 0)
  }

  await Promise.all([here.refresh(), there.refresh()])
  const rows = await first.db.select().from(exchangeSettings)
  assert.deepEqual(rows.map(({ exchangeId }) => exchangeId).sort(), [1, 2, 3, 4])
  for (const { exchangeId, enabled } of rows) {
    assert.equal(here.find(exchangeId)?.enabled, enabled)
    assert.equal(there.find(exchangeId)?.enabled, enabled)
  }
})

withDatabase(
  'if the settings cannot be read, the last ones stay in force and the failure is reported',
  async (files) => {
    const database = await files.open()
    const failures: unknown[] = []
    const catalogue = await createCatalogue(database, {
      onError: (error) => failures.push(error),
      refreshMs: 10,
    })
    await catalogue.setEnabled(binanceSpot, false)
    await database.db.execute(sql`alter table exchange_settings rename to elsewhere`)
    await until('a failure', async () => failures.length > 0)
    assert.equal(catalogue.find(binanceSpot)?.enabled, false)
    await assert.rejects(catalogue.setEnabled(binanceSpot, true))
    assert.equal(catalogue.find(binanceSpot)?.enabled, false)

    await database.db.execute(sql`alter table elsewhere rename to exchange_settings`)
    assert.equal((await catalogue.setEnabled(binanceSpot, true)).enabled, true)
    assert.equal(catalogue.find(binanceSpot)?.enabled, true)
    await catalogue.close()
  },
)
