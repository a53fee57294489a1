import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { createDatabase } from '../../test/backups.ts'
import { DatabaseClient } from '../db/database-client.ts'
import { knownMigrations } from '../db/migrations.ts'
import { byService } from './saves.ts'
import { keepVersion } from './version-rows.ts'

test('strategies from before there were versions have a first one with what they run', async () => {
  await using database = await createDatabase('nothing')
  await using client = await DatabaseClient.open(database.url)
  const before = knownMigrations().findIndex(({ name }) => name.endsWith('_versions'))
  await client.whileNobodyMigrates(() => client.migrate(before))
  await database.rows(`insert into users (email, password_hash, role) values ('a@example.com', '', 'user')`)
  await database.rows(`insert into strategies
    (user_id, type, name, code, version, symbol, use_price, exchange_id, cron_interval, timezone, delay) values
    (1, 'code-strategy', '', '// Ünder', 7, 'BTCUSDT', true, 2, '1H', 'UTC', null),
    (1, 'code-reaction', '', '', 1, null, false, null, null, null, 5),
    (1, 'llm-reaction', '', '', 3, null, false, null, null, null, null)`)
  await database.rows(`insert into llm_reactions (strategy_id, prompt, actions, max_size, tokens_per_day, actions_per_day)
    values (3, 'Decide', '["EXIT"]', 0.1, 5, 6)`)
  await client.whileNobodyMigrates(() => client.migrate())

  const versions = () =>
    database.rows(`select strategy_id::integer as id, version::integer, until, text, settings, via
      from strategy_versions order by strategy_id, version`)
  const first = await versions()
  assert.deepEqual(
    first.map(({ id, version, until, text, via }) => [id, version, until, text, via]),
    [
      [1, 7, null, '// Ünder', null],
      [2, 1, null, '', null],
      [3, 3, null, 'Decide', null],
    ],
  )
  assert.partialDeepStrictEqual(first[0]!.settings, {
    symbol: 'BTCUSDT',
    cron_interval: '1H',
    exchange_id: 2,
  })
  assert.partialDeepStrictEqual(first[2]!.settings, { actions: ['EXIT'], max_size: 0.1, tokens_per_day: 5 })

  // A save without a change finds the same content, so the migration and the service agree on what a version has.
  const connection = new pg.Client({ connectionString: database.url })
  await connection.connect()
  try {
    const db = drizzle(connection, { casing: 'snake_case' })
    for (const id of [1, 2, 3]) await keepVersion(db, id, { ...byService, byStrategyId: null })
    assert.deepEqual(await versions(), first)
    await database.rows(`update strategies set code = '// 2', version = 8 where id = 1`)
    await keepVersion(db, 1, { ...byService, byStrategyId: null })
    assert.deepEqual(
      (await versions()).slice(0, 2).map(({ version, until, text }) => [version, Number(until), text]),
      [
        [7, 8, '// Ünder'],
        [8, 0, '// 2'],
      ],
    )
  } finally {
    await connection.end()
  }
})
