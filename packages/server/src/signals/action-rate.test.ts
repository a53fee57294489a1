import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionsPerSecond } from '@tickwright/sandbox'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { lookInto } from '../../test/accounts.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'
import { withAccount } from '../../test/with-service.ts'
import type { Database } from '../db/database.ts'
import { Node } from '../db/node.ts'
import type { HeldStrategy } from '../runs/held-strategy.ts'
import { Journal } from '../runs/journal.ts'
import type { SignalEntry } from '../runs/journal-statement.ts'
import { Leases } from '../runs/leases.ts'
import { ActionRate } from './action-rate.ts'

const refuse = (error: unknown) => assert.fail(`unexpected: ${error}`)

async function rows(database: Database, query: ReturnType<typeof sql>): Promise<Record<string, unknown>[]> {
  return ((await database.db.execute(query)) as unknown as { rows: Record<string, unknown>[] }).rows
}

/** Adds accounts with strategies that no node holds yet. The strategies have ids from 1, account by account. */
async function addStrategies(database: Database, accounts: number, strategiesEach: number): Promise<void> {
  const { db } = database
  await db.execute(sql`insert into users (email, password_hash, role)
    select n || '@example.com', '', 'user' from generate_series(1, ${accounts}::integer) n`)
  await db.execute(sql`insert into strategies (user_id, type, name, code)
    select u.id, 'code-reaction', '', '' from users u, generate_series(1, ${strategiesEach}::integer) n
    order by u.id, n`)
  await db.execute(sql`insert into strategy_state (strategy_id) select id from strategies`)
}

/** A node that holds some strategies. */
async function startNode(database: Database, strategyIds: number[]) {
  const node = new Node(database, { roles: ['worker'] })
  await node.start(refuse)
  const leases = new Leases(database, node)
  const claims = await Promise.all(strategyIds.map((id) => leases.claim(id)))
  assert.ok(claims.every((claim) => claim !== undefined))
  return {
    claims: claims as HeldStrategy[],
    journal: new Journal(database, node.id, refuse, refuse),
    [Symbol.asyncDispose]: async () => {
      await leases.stop()
      await node.stop()
    },
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

let lastRunId = 0

/** The action of a new run, requested `ageMs` ago. */
function ask({ claim, settings, state }: HeldStrategy, ageMs = 0): SignalEntry {
  return {
    kind: 'signal',
    runId: ++lastRunId,
    claim,
    userId: settings.userId,
    action: 'LONG',
    symbols: [],
    price: null,
    options: {},
    previousTrigger: state.lastTrigger,
    atMs: Date.now() - ageMs,
  }
}

const statuses = async (journal: Journal, entries: SignalEntry[]) =>
  (await Promise.all(entries.map((entry) => journal.write(entry)))).map(({ status }) => status)

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

withDatabase(
  'of ten actions at once, the first five are accepted and nothing is written of the others',
  async (place) => {
    await lookInto(place, async (database) => {
      await addStrategies(database, 2, 10)
      await using node = await startNode(database, numbers(1, 20))
      const [own, others] = [node.claims.slice(0, 10), node.claims.slice(10, 15)]
      const answers = await statuses(
        node.journal,
        [...own, ...others].map((strategy) => ask(strategy)),
      )
      const accepted = [...times(5, 'written'), ...times(5, 'refused')]
      assert.deepEqual(answers, [...accepted, ...times(5, 'written')])
      const sent = await rows(database, sql`select strategy_id::int as id from signals order by id`)
      assert.deepEqual(
        sent.map(({ id }) => id),
        [...numbers(1, 5), ...numbers(11, 15)],
      )
      const acted = await rows(
        database,
        sql`select strategy_id::int as id from strategy_state where last_action is not null order by 1`,
      )
      assert.deepEqual(acted, sent)
    })
  },
)

/** The time of the request of the first action in the latest count, on the database's clock. */
async function askedAtMs(database: Database): Promise<number> {
  const asked = sql`select extract(epoch from asked_at[1]) * 1000 as ms from action_rates where user_id = 1`
  return Number((await rows(database, asked))[0]!.ms)
}

withDatabase('a sixth action is accepted once a second has passed since the first', async (place) => {
  await lookInto(place, async (database) => {
    await addStrategies(database, 1, 6)
    await using node = await startNode(database, numbers(1, 6))
    const burst = node.claims.slice(0, 5).map((strategy) => ask(strategy))
    assert.deepEqual(await statuses(node.journal, burst), times(5, 'written'))
    const firstMs = await askedAtMs(database)
    await until('an action to be accepted', async () => {
      return (await node.journal.write(ask(node.claims[5]!))).status === 'written'
    })
    const sinceFirstMs = (await askedAtMs(database)) - firstMs
    assert.ok(sinceFirstMs >= 1000, `after ${sinceFirstMs} ms`)
  })
})

withDatabase('an action counts at the time of its request, however late it is written', async (place) => {
  await lookInto(place, async (database) => {
    await addStrategies(database, 1, 12)
    await using node = await startNode(database, numbers(1, 12))
    const ages = [...times(5, 2400), 2300, ...times(5, 1200), 1100]
    const answers = await statuses(
      node.journal,
      node.claims.map((strategy, index) => ask(strategy, ages[index])),
    )
    assert.deepEqual(answers, [...times(5, 'written'), 'refused', ...times(5, 'written'), 'refused'])
  })
})

withDatabase('a signal whose first answer was lost does not count again', async (place) => {
  await lookInto(place, async (database) => {
    await addStrategies(database, 1, 7)
    await using node = await startNode(database, numbers(1, 7))
    // All at one time, however long the writing takes.
    const [first, ...others] = node.claims.map((strategy) => ask(strategy)) as [SignalEntry, ...SignalEntry[]]
    const written = await node.journal.write(first)
    for (let n = 0; n < 10; n++) assert.deepEqual(await node.journal.write(first), written)
    const answers = await statuses(node.journal, others)
    assert.deepEqual(answers, [...times(4, 'written'), 'refused', 'refused'])
    assert.deepEqual(await node.journal.write(first), written, 'it is not refused')
  })
})

withDatabase('an action of a strategy that this node does not hold does not count', async (place) => {
  await lookInto(place, async (database) => {
    await addStrategies(database, 1, 11)
    await using node = await startNode(database, numbers(1, 11))
    await database.db.execute(sql`update strategy_state set holder = null where strategy_id <= 6`)
    const answers = await statuses(
      node.journal,
      node.claims.map((strategy) => ask(strategy)),
    )
    assert.deepEqual(answers, [...times(6, 'lost'), ...times(5, 'written')])
  })
})

withDatabase(
  'of several actions of one strategy, the last accepted one is its last trigger',
  async (place) => {
    await lookInto(place, async (database) => {
      await addStrategies(database, 1, 2)
      await using node = await startNode(database, [1, 2])
      const [first, second] = node.claims
      const exit = { ...ask(first!), action: 'EXIT' as const, price: 2.5 }
      const entries = [...times(4, first!).map((strategy) => ask(strategy)), exit, ask(first!), ask(second!)]
      const answers = await statuses(node.journal, entries)
      assert.deepEqual(answers, [...times(5, 'written'), 'refused', 'refused'])
      const state = sql`select last_action as action, last_price as price from strategy_state order by strategy_id`
      assert.deepEqual(await rows(database, state), [
        { action: 'EXIT', price: 2.5 },
        { action: null, price: null },
      ])
    })
  },
)

withDatabase(
  'two nodes that count for the same accounts at once accept five actions of each account',
  async (place) => {
    const [accounts, strategiesEach] = [20, 20]
    await lookInto(place, async (database) => {
      await addStrategies(database, accounts, strategiesEach)
      const all = numbers(1, accounts * strategiesEach)
      await using first = await startNode(
        database,
        all.filter((id) => id % 2 === 0),
      )
      await using second = await startNode(
        database,
        all.filter((id) => id % 2 === 1),
      )
      await Promise.all(
        [first, second].flatMap(({ journal, claims }) =>
          claims.map(async (strategy) => {
            const entry = ask(strategy)
            // The pauses split the actions into several batches, so that the two nodes meet at the same rows.
            await new Promise((resolve) => setTimeout(resolve, (strategy.claim.strategyId * 37) % 50))
            await journal.write(entry)
          }),
        ),
      )
      const sent = await rows(
        database,
        sql`select count(*)::int as count from signals group by user_id order by user_id`,
      )
      assert.deepEqual(sent, times(accounts, { count: actionsPerSecond }))
    })
  },
)

/** Whether some second has more than five of these actions. */
const isTooFast = (timesMs: readonly number[]): boolean => {
  const inOrder = timesMs.toSorted((a, b) => a - b)
  return inOrder.some((atMs, index) => inOrder[index + actionsPerSecond]! - atMs < 1_000)
}

const asks = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 12 })
/** How much the clock goes on or back before a batch, in ms: nodes differ in speed, and clocks are set. */
const steps = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -900, max: 300 }) },
  fc.constantFrom(-3_600_000, -60_000, 60_000),
)

withDatabase('the statement and its form in memory accept the same actions', async (place) => {
  await lookInto(place, async (database) => {
    const decide = database.prepare(
      'decide',
      `select to_json(array(select extract(epoch from t) * 1000 from unnest(now_accepted) t)), to_json(granted_runs)
       from grant_actions(
         array(select to_timestamp(t / 1000) from json_array_elements_text($1::json) j, cast(j as double precision) t),
         array(select to_timestamp(t / 1000) from json_array_elements_text($2::json) j, cast(j as double precision) t),
         array(select n from generate_series(1, json_array_length($2::json)) n), ${actionsPerSecond}, '1 second')`,
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(steps, asks), { maxLength: 6 }), async (batches) => {
        const rate = new ActionRate()
        let stored: number[] = []
        let atMs = 10_000_000
        for (const [stepMs, gaps] of batches) {
          atMs += stepMs
          const asked = gaps.map((gap) => {
            atMs += gap
            return atMs
          })
          const granted = asked.flatMap((askedAtMs, index) => (rate.accept(askedAtMs) ? [index + 1] : []))
          const [row] = await decide([JSON.stringify(stored), JSON.stringify(asked)])
          stored = (JSON.parse(row![0]!) as number[]).map(Math.round)
          assert.deepEqual(JSON.parse(row![1]!), granted)
          assert.deepEqual(stored, rate.accepted)
        }
      }),
      { numRuns: 150 },
    )
  })
})

test('an action that arrives less than a second late is accepted exactly if no second has more than five', () => {
  // Close to the limit, so that many are refused: up to ten a second, each up to a second late.
  const action = fc.record({
    gap: fc.integer({ min: 0, max: 250 }),
    lateMs: fc.integer({ min: 0, max: 999 }),
  })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const rate = new ActionRate()
      const accepted: number[] = []
      let latestMs = 0
      for (const { gap, lateMs } of actions) {
        const askedAtMs = latestMs + gap - lateMs
        const isRight = !isTooFast([...accepted, askedAtMs])
        assert.equal(rate.accept(askedAtMs), isRight)
        if (isRight) accepted.push(askedAtMs)
        latestMs = Math.max(latestMs, askedAtMs)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('actions of which no second has more than five are accepted in whatever order they arrive', () => {
  const spaced = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 40 }).map((gaps) => {
    const times: number[] = []
    let atMs = 0
    for (const gap of gaps) {
      atMs += gap
      if (!isTooFast([...times, atMs])) times.push(atMs)
    }
    return times
  })
  const inAnyOrder = spaced.chain((times) => fc.shuffledSubarray(times, { minLength: times.length }))
  fc.assert(
    fc.property(inAnyOrder, (times) => {
      const rate = new ActionRate()
      for (const atMs of times) assert.ok(rate.accept(atMs))
    }),
    { numRuns: 1_000 },
  )
})

withDatabase(
  'actions that waited for the database are accepted after later ones of another node',
  async (place) => {
    await lookInto(place, async (database) => {
      await addStrategies(database, 1, 21)
      await using quick = await startNode(database, numbers(1, 8))
      await using slow = await startNode(database, numbers(9, 21))
      const recent = quick.claims.map((strategy, n) => ask(strategy, 3_600 - n * 500))
      assert.deepEqual(await statuses(quick.journal, recent), times(8, 'written'))
      const waited = slow.claims.slice(0, 7).map((strategy, n) => ask(strategy, 5_300 - n * 500))
      assert.deepEqual(await statuses(slow.journal, waited), times(7, 'written'))
      const tooFast = slow.claims.slice(7).map((strategy) => ask(strategy, 60_000))
      assert.deepEqual(await statuses(slow.journal, tooFast), [...times(5, 'written'), 'refused'])
    })
  },
)

withDatabase('after the clock of the database was set back, the limit is the same', async (place) => {
  await lookInto(place, async (database) => {
    await addStrategies(database, 1, 11)
    await using node = await startNode(database, numbers(1, 11))
    const before = node.claims.slice(0, 5).map((strategy) => ask(strategy))
    assert.deepEqual(await statuses(node.journal, before), times(5, 'written'))
    await database.db.execute(
      sql`update action_rates set accepted = array(select t + interval '1 hour' from unnest(accepted) t)`,
    )
    const after = node.claims.slice(5).map((strategy) => ask(strategy))
    assert.deepEqual(await statuses(node.journal, after), [...times(5, 'written'), 'refused'])
  })
})

withAccount(
  'a sixth action within a second is a violation, whichever strategies of the account act',
  async (account) => {
    const code = `
      if (!JSON.parse($.Request.data).act) return
      try { await $.Strategy.action('LONG') } catch (error) { $.log(error.message) }`
    const actAtOnce = async () => {
      const reactions = await Promise.all(numbers(1, 10).map(() => makeReaction(account, code)))
      // The first run of each strategy is slow, but the actions must happen within one second.
      for (const reaction of reactions) await reaction.post({})
      for (const reaction of reactions) await reaction.ended(1)
      await Promise.all(reactions.map((reaction) => reaction.post({ act: true })))
      return Promise.all(
        reactions.map(async (reaction) => ({
          run: (await reaction.ended(2))[1],
          after: await reaction.read(),
        })),
      )
    }
    const isRefused = ({ run }: { run: { status: string } }) => run.status !== 'SUCCEEDED'
    const lastedMs = (outcomes: { run: { started_at: string; finished_at: string } }[]) =>
      Math.max(...outcomes.map(({ run }) => Date.parse(run.finished_at))) -
      Math.min(...outcomes.map(({ run }) => Date.parse(run.started_at)))
    let outcomes = await actAtOnce()
    // A machine that is too busy for ten runs in a second tries again, with other strategies.
    for (let left = 5; left > 0 && lastedMs(outcomes) >= 1_000; left--) {
      if (outcomes.filter(isRefused).length === 5) break
      outcomes = await actAtOnce()
    }
    const refused = outcomes.filter(isRefused)
    assert.equal(refused.length, 5)
    for (const { run, after } of refused) {
      const violation = { rule: 'action_rate', limit: 5, actual: 6 }
      assert.equal(run.status, 'VIOLATION')
      assert.deepEqual(run.violation, violation)
      assert.match(run.log, /may send 5 actions within a second/)
      assert.equal(run.signal_id, null)
      assert.equal(after.status, 'SUSPENDED')
      assert.deepEqual(after.suspension_reason, { run_id: run.id, ...violation })
      assert.deepEqual(after.last_trigger, { action: null, price: null, at: null })
    }
    const ids = new Set(outcomes.map(({ after }) => after.id))
    const signals: { strategy_id: number }[] = await expect(200, account.api('GET', '/api/v2/signal'))
    assert.equal(signals.filter(({ strategy_id }) => ids.has(strategy_id)).length, 5)
  },
)
