/** A run may request approval only while its node holds the strategy in the database. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { lookInto } from '../../test/accounts.ts'
import { withDatabase } from '../../test/databases.ts'
import type { Database } from '../db/database.ts'
import { approvals, mails } from '../db/schema.ts'
import { ApprovalRequests } from './approval-requests.ts'

const [node, other] = [randomUUID(), randomUUID()]

/** A reaction with three queued runs, held by `node`. */
async function prepare({ db }: Database): Promise<void> {
  await db.execute(sql`insert into users (email, password_hash, role) values ('a@example.com', '', 'user')`)
  await db.execute(
    sql`insert into strategies (user_id, type, name, code) values (1, 'llm-reaction', 'Judge', '')`,
  )
  await db.execute(sql`insert into strategy_state (strategy_id, holder) values (1, ${node})`)
  await db.execute(sql`insert into llm_settings
    (strategy_id, prompt, actions, tools, tokens_per_day, actions_per_day) values (1, '', '[]', '[]', 1, 1)`)
  await db.execute(sql`insert into runs (strategy_id, trigger, queued_at)
    select 1, 'webhook', now() from generate_series(1, 3)`)
}

withDatabase(
  'a run requests approval once, only while it has not ended and its node holds the strategy',
  (place) =>
    lookInto(place, async (database) => {
      await prepare(database)
      let told = 0
      const refuse = (error: unknown) => assert.fail(`unexpected: ${error}`)
      const announced: number[] = []
      const requests = new ApprovalRequests(
        database,
        node,
        () => told++,
        refuse,
        ({ id }) => announced.push(Number(id)),
      )
      const holdBy = (holder: string) =>
        database.db.execute(sql`update strategy_state set holder = ${holder}`)
      const run = (id: number) => ({ id, strategyId: 1 })
      const statuses = async () => {
        const rows = await database.db.select().from(approvals).orderBy(approvals.id)
        return rows.map(({ runId, status, response }) => [runId, status, response])
      }
      const lost = /another node takes over/

      await holdBy(other)
      await assert.rejects(requests.ask(run(1), 'LONG', ['BTC\0USDT'], {}), lost)
      assert.deepEqual([await statuses(), told], [[], 0])
      await holdBy(node)
      for (const _ of ['once', 'after a lost answer']) await requests.ask(run(1), 'LONG', ['BTC\0USDT'], {})
      assert.deepEqual(await statuses(), [[1, 'PENDING', null]])
      announced.length = 0
      await requests.respond(run(1), 'Mine.\0')
      // A page that shows the request already must learn the reason.
      assert.deepEqual(announced, [1])
      await holdBy(other)
      await requests.respond(run(1), 'No longer mine.')
      assert.deepEqual(announced, [1])
      await holdBy(node)
      await requests.ask(run(2), 'EXIT', ['BTCUSDT'], { size: 1 })
      assert.deepEqual(await statuses(), [
        [1, 'SUPERSEDED', 'Mine.\ufffd'],
        [2, 'PENDING', null],
      ])
      assert.equal(await database.db.$count(mails), 2)

      await database.db.execute(sql`update runs set status = 'FAILED' where id = 3`)
      await assert.rejects(requests.ask(run(3), 'LONG', [], {}), lost)
      await database.db.execute(sql`update runs set status = 'RUNNING' where id = 3`)
      await database.db.execute(sql`update strategy_state set last_action = 'EXIT'`)
      await assert.rejects(requests.ask(run(3), 'EXIT', [], {}), {
        violation: { rule: 'consecutive_exit', limit: 1, actual: 2 },
      })
      await holdBy(other)
      await assert.rejects(requests.ask(run(3), 'LONG', [], {}), lost)
      assert.equal((await statuses()).length, 2)
      // A request that has expired becomes EXPIRED, not SUPERSEDED, even if nothing has noticed it before.
      await database.db.execute(sql`update approvals set expires_at = now() where run_id = 2`)
      await holdBy(node)
      await requests.ask(run(3), 'SHORT', [], {})
      assert.deepEqual(
        (await statuses()).map(([, status]) => status),
        ['SUPERSEDED', 'EXPIRED', 'PENDING'],
      )
    }),
)

withDatabase(
  'a change is requested or made once for each number of a run, and one that is refused leaves nothing',
  (place) =>
    lookInto(place, async (database) => {
      await prepare(database)
      await database.db.execute(
        sql`insert into strategies (user_id, type, name, code) values (1, 'code-reaction', 'Code', '')`,
      )
      const requests = new ApprovalRequests(
        database,
        node,
        () => undefined,
        () => undefined,
      )
      const run = { id: 1, strategyId: 1 }
      const change = { kind: 'code', code: 'return 1', etag: '"1-a"', version: 1 } as const
      const rows = async () => {
        const all = await database.db.select().from(approvals).orderBy(approvals.id)
        return all.map(({ number, kind, status, targetId }) => [number, kind, status, targetId])
      }
      for (const _ of ['once', 'after a lost answer']) await requests.askForChange(run, 1, 2, change)
      await requests.ask(run, 'LONG', [], {})
      assert.deepEqual(await rows(), [
        [1, 'code', 'PENDING', 2],
        [0, 'action', 'PENDING', null],
      ])
      let told = 0
      let made = 0
      const make = async () => {
        made += 1
        return {
          told: async () => {
            told += 1
          },
        }
      }
      for (const _ of ['once', 'after a lost answer']) {
        assert.equal(await requests.changeAtOnce(run, 2, 2, change, make), true)
      }
      assert.deepEqual([made, told], [1, 1])
      assert.equal(await requests.changeAtOnce(run, 3, 2, change, async () => null), false)
      const refuse = () => Promise.reject(new Error('Saved since.'))
      await assert.rejects(requests.changeAtOnce(run, 3, 2, change, refuse), /Saved since/)
      await database.db.execute(sql`update strategy_state set holder = ${other}`)
      const lost = /another node takes over/
      await assert.rejects(requests.changeAtOnce(run, 3, 2, change, make), lost)
      await assert.rejects(requests.askForChange(run, 3, 2, change), lost)
      assert.deepEqual((await rows()).slice(2), [[2, 'code', 'NOT_NEEDED', 2]])
      assert.equal(made, 1)
    }),
)
