import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { addStrategies, endRunsAtOnce } from '../../test/schedules.ts'
import { until } from '../../test/until.ts'
import type { Database } from '../db/database.ts'

const script = fileURLToPath(new URL('../../test/schedule-node.ts', import.meta.url))
const preload = new URL('../../test/end-with-parent.ts', import.meta.url).href

const strategyCount = 100
const kills = 5
/** Half a second is ten seconds on the nodes' clock. */
const speed = 20

/** A node as a separate process, which is killed when disposed of. */
async function startNode(url: string, startedMs: number) {
  const child = spawn(
    process.execPath,
    ['--import', preload, script, url, String(startedMs), String(speed)],
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
  )
  const ended = once(child, 'exit')
  await Promise.race([once(child.stdout, 'data'), ended])
  assert.equal(child.exitCode, null, 'it has started')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { kill, [Symbol.asyncDispose]: kill }
}

/** Makes the database record each move of a schedule. */
async function noteMoves({ db }: Database): Promise<void> {
  await db.execute(
    sql`create table moves (strategy_id bigint, fired_at timestamptz, next_run_at timestamptz)`,
  )
  await db.execute(sql`
    create function note_move() returns trigger language plpgsql as $$
    begin insert into moves values (new.strategy_id, new.fired_at, new.next_run_at); return new; end $$`)
  await db.execute(
    sql`create trigger note_move after update on schedules for each row execute function note_move()`,
  )
}

async function one({ db }: Database, query: ReturnType<typeof sql>): Promise<Record<string, unknown>> {
  const { rows } = (await db.execute(query)) as unknown as { rows: Record<string, unknown>[] }
  return rows[0]!
}

withDatabase('nodes that are killed while they fire lose no time, and fire none twice', async (place) => {
  const database = await place.open()
  await endRunsAtOnce(database)
  await noteMoves(database)
  const startedMs = Date.now()
  await addStrategies(database, Array(strategyCount).fill({ cronInterval: '10S' }), startedMs)
  const moves = async () => Number((await one(database, sql`select count(*) as count from moves`)).count)
  const goOn = async (rounds: number) => {
    const goal = (await moves()) + rounds * strategyCount
    await until(`${goal} moves`, async () => (await moves()) >= goal)
  }

  const nodes = [await startNode(place.databaseUrl, startedMs), await startNode(place.databaseUrl, startedMs)]
  await using _ = { [Symbol.asyncDispose]: async () => void (await Promise.all(nodes.map((n) => n.kill()))) }
  for (let round = 0; round < kills; round++) {
    await goOn(1)
    // This does not wait for anything: it puts the kill at a random point of the next firing.
    await sleep(Math.random() * 600)
    await nodes[round % 2]!.kill()
    if (round % 3 === 2) await goOn(1)
    nodes[round % 2] = await startNode(place.databaseUrl, startedMs)
  }
  await goOn(2)
  await Promise.all(nodes.map((node) => node.kill()))

  const books = sql`
    select m.strategy_id, count(*) as moves, count(distinct fired_at) as moments,
      (select count(*) from runs r where r.strategy_id = m.strategy_id) as runs,
      bool_and(next_run_at > fired_at) as rises
    from moves m group by m.strategy_id`
  const summary = await one(
    database,
    sql`select count(*) as strategies, bool_and(moves = moments) as none_twice, bool_and(moves = runs) as none_lost,
      bool_and(rises) as rises from (${books}) b`,
  )
  assert.deepEqual(summary, {
    strategies: String(strategyCount),
    none_twice: true,
    none_lost: true,
    rises: true,
  })
  // Each move begins where the previous one ended, so no time was lost in between.
  const gaps = await one(
    database,
    sql`select count(*) as count from (
      select fired_at, lag(next_run_at) over (partition by strategy_id order by fired_at) as expected from moves
    ) m where expected is not null and fired_at <> expected`,
  )
  assert.equal(gaps.count, '0')
})
