import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { lookInto } from '../../test/accounts.ts'
import { withDatabase } from '../../test/databases.ts'
import type { Database } from '../db/database.ts'
import { Node } from '../db/node.ts'
import type { Claim } from './held-strategy.ts'
import { Journal } from './journal.ts'
import { type FinishEntry, type SignalEntry, writeSql, writeWithoutSignalsSql } from './journal-statement.ts'
import { Leases } from './leases.ts'

const refuse = (error: unknown) => assert.fail(`unexpected: ${error}`)

async function rows(database: Database, query: string): Promise<Record<string, unknown>[]> {
  return ((await database.db.execute(sql.raw(query))) as unknown as { rows: Record<string, unknown>[] }).rows
}

/** A strategy with three queued runs, held by this node. */
async function prepare(database: Database) {
  const { db } = database
  await db.execute(sql`insert into users (email, password_hash, role) values ('a@example.com', '', 'user')`)
  await db.execute(
    sql`insert into strategies (user_id, type, name, code) values (1, 'code-reaction', '', '')`,
  )
  await db.execute(sql`insert into strategy_state (strategy_id) values (1)`)
  await db.execute(sql`insert into runs (strategy_id, trigger, queued_at)
    select 1, 'webhook', now() from generate_series(1, 3)`)
  const node = new Node(database, { roles: ['worker'] })
  await node.start(refuse)
  const leases = new Leases(database, node)
  const held = await leases.claim(1)
  assert.ok(held !== undefined)
  const stop = async () => {
    await leases.stop()
    await node.stop()
  }
  return { leases, claim: held.claim, journal: new Journal(database, node.id, refuse, refuse), stop }
}

function finish(runId: number, storage: string, claim: Claim): FinishEntry {
  return {
    kind: 'finish',
    userId: 1,
    runId,
    claim,
    status: 'SUCCEEDED',
    version: 1,
    startedAtMs: 1000,
    finishedAtMs: 2000,
    durationMs: 1,
    error: null,
    violation: null,
    log: null,
    http: [],
    steps: null,
    seen: null,
    clock: null,
    storage,
    suspension: null,
  }
}

function signal(runId: number, claim: Claim): SignalEntry {
  return {
    kind: 'signal',
    runId,
    claim,
    userId: 1,
    action: 'LONG',
    symbols: [],
    price: null,
    options: {},
    previousTrigger: { action: null, price: null, at: null },
    atMs: 1500,
  }
}

withDatabase(
  'a second end of a run changes nothing, nor do the entries beside and after it',
  async (place) => {
    await lookInto(place, async (database) => {
      const { leases, claim, journal, stop } = await prepare(database)
      assert.equal((await journal.write(finish(1, '"first"', claim))).status, 'written')
      const again = await Promise.all([
        journal.write(finish(1, '"again"', claim)),
        journal.write(signal(1, claim)),
        journal.write(finish(2, '"beside it"', claim)),
      ])
      assert.deepEqual(
        again.map(({ status }) => status),
        ['lost', 'lost', 'lost'],
      )
      const state = 'select storage, last_action from strategy_state'
      assert.deepEqual(await rows(database, state), [{ storage: '"first"', last_action: null }])
      assert.deepEqual(await rows(database, 'select status from runs order by id'), [
        { status: 'SUCCEEDED' },
        { status: 'QUEUED' },
        { status: 'QUEUED' },
      ])
      assert.deepEqual(await rows(database, 'select id from signals'), [])

      // Later entries under the same claim build on an end that does not count.
      assert.equal((await journal.write(finish(2, '"built on it"', claim))).status, 'lost')
      const reclaimed = await leases.claim(1)
      assert.equal(reclaimed?.state.storage, '"first"')
      assert.equal((await journal.write(finish(2, '"second"', reclaimed.claim))).status, 'written')
      assert.deepEqual(await rows(database, state), [{ storage: '"second"', last_action: null }])
      await stop()
    })
  },
)

withDatabase('a signal leaves the same rows, written alone or with other entries', async (place) => {
  await lookInto(place, async (database) => {
    const { claim, journal, stop } = await prepare(database)
    const previousTrigger = { action: 'EXIT', price: 1.5, at: 7 } as const
    const options = { id: 'a\0b', size: 2 }
    const asked = { symbols: ['BTCUSDT', "it's"], price: 0.1, options, previousTrigger }
    const left = async (runId: number) => {
      const [sent] = await rows(
        database,
        `select user_id, webhook_id, action, symbols, price, options, previous_trigger, delivered, flags,
          created_at from signals where run_id = ${runId}`,
      )
      const state = 'select storage, last_action, last_price, last_action_at from strategy_state'
      return [sent, ...(await rows(database, state))]
    }
    await journal.write({ ...signal(1, claim), ...asked })
    const alone = await left(1)
    await database.db.execute(sql`update strategy_state set last_action = null, last_price = 2`)
    const start = { kind: 'start', runId: 3, claim, version: 1, startedAtMs: 1 } as const
    await Promise.all([journal.write({ ...signal(2, claim), ...asked }), journal.write(start)])
    assert.deepEqual(await left(2), alone)
    assert.deepEqual(alone[0]!.symbols, asked.symbols)
    assert.equal(alone[1]!.last_price, 0.1)
    await stop()
  })
})

withDatabase('writing a signal again returns the id of the first', async (place) => {
  await lookInto(place, async (database) => {
    const { claim, journal, stop } = await prepare(database)
    const first = await journal.write(signal(1, claim))
    assert.equal(first.status, 'written')
    assert.deepEqual(await journal.write(signal(1, claim)), first)
    assert.deepEqual(await rows(database, 'select count(*)::int as n from signals'), [{ n: 1 }])
    await stop()
  })
})

withDatabase(
  'the HTTP calls of a run are stored with it, whatever their addresses contain',
  async (place) => {
    await lookInto(place, async (database) => {
      const { claim, journal, stop } = await prepare(database)
      const call = { method: 'GET', url: 'https://example.com/', status: 200, cache: false, ms: 12.5 }
      const odd = { ...call, url: `https://example.com/\0\ud800${'x'.repeat(3000)}` }
      await journal.write({ ...finish(1, 'null', claim), http: [call, odd] })
      await journal.write(finish(2, 'null', claim))
      const [first, second] = await rows(database, 'select http from runs order by id')
      const kept = `https://example.com/\ufffd\ufffd${'x'.repeat(2000)}`.slice(0, 2000)
      assert.deepEqual(first, { http: [call, { ...call, url: kept }] })
      assert.deepEqual(second, { http: null })
      await stop()
    })
  },
)

withDatabase('the journal writes nothing for a strategy that another node has claimed', async (place) => {
  await lookInto(place, async (database) => {
    const { leases, claim, journal, stop } = await prepare(database)
    const otherNode = new Node(database, { roles: ['worker'] })
    await otherNode.start(refuse)
    const other = new Leases(database, otherNode)
    assert.equal(await other.claim(1), undefined, 'its holder is alive')
    await database.db.execute(sql`update nodes set heartbeat_at = now() - interval '11 seconds'
      where id = ${leases.node.id}::uuid`)
    assert.notEqual(await other.claim(1), undefined)
    assert.equal((await journal.write(finish(1, '"late"', claim))).status, 'lost')
    assert.equal((await journal.write(signal(1, claim))).status, 'lost')
    assert.deepEqual(await rows(database, 'select storage from strategy_state'), [{ storage: null }])
    assert.deepEqual(await rows(database, "select count(*)::int as n from runs where status = 'QUEUED'"), [
      { n: 3 },
    ])
    await other.stop()
    await otherNode.stop()
    await stop()
  })
})

withDatabase('the database does not compress the storage of a strategy', async (place) => {
  await lookInto(place, async (database) => {
    const { claim, journal, stop } = await prepare(database)
    await journal.write(finish(1, JSON.stringify('x'.repeat(10_000)), claim))
    assert.deepEqual(
      await rows(
        database,
        'select pg_column_compression(storage) as method, length(storage) from strategy_state',
      ),
      [{ method: null, length: 10_002 }],
    )
    await stop()
  })
})

withDatabase('an end finds its run by id, and reads no other open run', async (place) => {
  await lookInto(place, async (database) => {
    const { stop } = await prepare(database)
    // All had ended when the database last counted. Then the index of open runs seems to cost nothing.
    await database.db.execute(sql`insert into runs (strategy_id, trigger, status, queued_at, finished_at)
      select 1, 'webhook', 'SUCCEEDED', now(), now() from generate_series(1, 1000)`)
    await database.db.execute(sql`update runs set status = 'SUCCEEDED', finished_at = now()`)
    await database.db.execute(sql`analyze runs`)
    for (const statement of [writeSql, writeWithoutSignalsSql]) {
      const plan = await rows(database, `explain (generic_plan) ${statement(false)}`)
      const text = plan.map((line) => line['QUERY PLAN']).join('\n')
      assert.match(text, /Update on runs/)
      assert.doesNotMatch(text, /runs_open/)
    }
    await stop()
  })
})

withDatabase('a signal waits for no other strategy, and follows the ends of its own', async (place) => {
  await lookInto(place, async (database) => {
    const { leases, claim, journal, stop } = await prepare(database)
    await database.db.execute(
      sql`insert into strategies (user_id, type, name, code) values (1, 'code-reaction', '', '')`,
    )
    await database.db.execute(sql`insert into strategy_state (strategy_id) values (2)`)
    await database.db.execute(
      sql`insert into runs (strategy_id, trigger, queued_at) values (2, 'webhook', now())`,
    )
    const other = await leases.claim(2)
    let end: Promise<unknown> | undefined
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`select from strategy_state where strategy_id = 2 for update`)
      end = journal.write(finish(4, 'null', other!.claim))
      journal.hurry()
      assert.equal((await journal.write(signal(1, claim))).status, 'written')
    })
    await end

    const ended = journal.write(finish(1, 'null', claim))
    assert.equal((await journal.write(signal(2, claim))).status, 'written')
    await ended
    const together = await rows(
      database,
      'select g.xmin = r.xmin as together from signals g, runs r where g.run_id = 2 and r.id = 1',
    )
    assert.deepEqual(together, [{ together: true }])
    await stop()
  })
})

withDatabase('no end waits for another one that stores a long value', async (place) => {
  await lookInto(place, async (database) => {
    const { leases, claim, journal, stop } = await prepare(database)
    await database.db.execute(
      sql`insert into strategies (user_id, type, name, code) values (1, 'llm-reaction', '', '')`,
    )
    await database.db.execute(sql`insert into strategy_state (strategy_id) values (2)`)
    await database.db.execute(
      sql`insert into runs (strategy_id, trigger, queued_at) select 2, 'webhook', now() from generate_series(1, 2)`,
    )
    const other = await leases.claim(2)
    const long = JSON.stringify({ text: 'x'.repeat(1024 * 1024 - 11) })
    let end: Promise<unknown> | undefined
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`select from strategy_state where strategy_id = 2 for update`)
      end = journal.write(finish(4, long, other!.claim))
      const short = journal.write(finish(1, 'null', claim))
      journal.hurry()
      assert.equal((await short).status, 'written')
    })
    await end
    // The next one of the same strategy follows it, whatever its length.
    const [second, third] = [finish(5, '{"short":true}', other!.claim), finish(2, long, claim)]
    await Promise.all([second, third].map((one) => journal.write(one)))
    const stored = await rows(database, 'select length(storage) as length from strategy_state order by 1')
    assert.deepEqual(stored, [{ length: 14 }, { length: long.length }])
    await stop()
  })
})
