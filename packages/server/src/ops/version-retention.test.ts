import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { lookInto } from '../../test/accounts.ts'
import { withDatabase } from '../../test/databases.ts'
import type { Database } from '../db/database.ts'
import { Retention } from './retention.ts'

withDatabase(
  'versions are kept that are among the latest, or that a run or a signal came from',
  async (database) => {
    await lookInto(database, async (opened) => {
      const { db } = opened
      const add = (text: string) => db.execute(sql.raw(text))
      await add(`insert into users (email, password_hash, role) values ('a@example.com', '', 'user')`)
      // The versions of the first strategy have gaps: 1, 3, 5 and so on.
      for (const [id, count] of [
        [1, 6_000],
        [2, 100],
      ]) {
        await add(`insert into strategies (id, user_id, type, name, code, version) overriding system value
        values (${id}, 1, 'code-strategy', '', '', ${count! * 2})`)
        await add(`insert into strategy_versions (strategy_id, version, until, text, settings, changed)
        select ${id}, n * 2 - 1, case when n < ${count} then n * 2 + 1 end, n::text, '{}', '[]'
        from generate_series(1, ${count}) n`)
      }
      const run = (id: number, version: number | null, days: number) =>
        add(`insert into runs (id, strategy_id, trigger, status, version, queued_at) overriding system value
        values (${id}, 1, 'schedule', 'SUCCEEDED', ${version}, now() - make_interval(hours => ${days * 24}))`)
      const signal = (runId: number) =>
        add(`insert into signals (user_id, strategy_id, run_id, action, symbols, options, created_at)
        values (1, 1, ${runId}, 'LONG', '[]', '{}', now())`)
      // Two old runs, one of which left a signal, and newer ones. The version of a run can lie between two.
      await run(1, 21, 31)
      await run(2, 32, 31)
      await signal(2)
      await run(3, null, 31)
      await run(4, 42, 29)
      await run(5, 11_999, 1)
      const left = async (strategy: number) => {
        const result = await add(
          `select array_agg(version::integer order by version) as versions from strategy_versions where strategy_id = ${strategy}`,
        )
        return (result as unknown as { rows: { versions: number[] }[] }).rows[0]!.versions
      }
      const latest = (count: number) => Array.from({ length: 100 }, (_, n) => (count - 99 + n) * 2 - 1)
      // Runs of the newest version, of which only one page has to be read.
      await add(`insert into runs (id, strategy_id, trigger, status, version, queued_at)
        overriding system value select n + 5, 1, 'schedule', 'SUCCEEDED', 11999, now() from generate_series(1, 20000) n`)
      const pages: unknown[] = []
      const prepare: Database['prepare'] = (name, text) => {
        const prepared = opened.prepare(name, text)
        if (name !== 'versions_named_by_runs') return prepared
        return (values) => {
          pages.push(values)
          return prepared(values)
        }
      }
      const retention = new Retention({ ...opened, prepare }, 30, (error) =>
        assert.fail(`unexpected: ${error}`),
      )
      // A second sweep finds nothing more.
      for (let sweep = 0; sweep < 2; sweep++) {
        await retention.sweep()
        assert.deepEqual(await left(1), [31, 41, ...latest(6_000)])
        assert.deepEqual(await left(2), latest(100))
        assert.equal(pages.length, (sweep + 1) * 2)
      }
      // The run goes too, and no signal names its version.
      await add(`update runs set queued_at = now() - interval '31 days' where id = 4`)
      await retention.sweep()
      assert.deepEqual(await left(1), [31, ...latest(6_000)])
    })
  },
)
