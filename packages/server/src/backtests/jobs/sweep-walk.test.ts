import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { and, eq } from 'drizzle-orm'
import { addUser, backtests, database, endOf, startNode } from '../../../test/backtest-jobs.ts'
import { longPatienceMs } from '../../../test/patience.ts'
import { until } from '../../../test/until.ts'
import { AppError } from '../../base/errors.ts'
import { backtestParts, backtests as table } from '../../db/schema.ts'
import { runCommand } from '../command/command.ts'
import type { tableOf } from '../sweep/best.ts'
import { type BacktestRequest, Problems } from './request.ts'
import { readSweep } from './sweep-request.ts'

const hourMs = 3_600_000
/** Thirty days of six hours each, in waves that grow. */
const candles = Array.from({ length: 120 }, (_, index) => {
  const price = Math.round(1_000 + (50 + index) * Math.sin(index / 5)) / 10
  return [Date.UTC(2025, 0, 1) + index * 6 * hourMs, price, price, price, price, 1]
})
const code = `
  if ($.Price.price < Number($.Env.LOW)) await $.Strategy.action('LONG')
  if ($.Price.price > Number($.Env.HIGH)) await $.Strategy.action('EXIT')`
const sweep = {
  parameters: { LOW: [92, 96, 99] },
  walk_forward: { train_days: 10, test_days: 5 },
} satisfies BacktestRequest['sweep']
const request = {
  ...{ code, symbol: 'BTC/USDT', candles, parameters: { HIGH: 103 } },
  ...{ bots: [{ name: 'backtest' }], sweep },
} satisfies BacktestRequest

const sweepOf = async (userId: number, id: number) =>
  (await backtests.reports.sweep(userId, id)) as ReturnType<typeof tableOf>

/** What the command says of the same request. */
async function commanded() {
  const folder = await mkdtemp(join(tmpdir(), 'walk-'))
  try {
    const [program, market, json] = ['code.js', 'candles.csv', 'out.json'].map((name) => join(folder, name))
    await writeFile(program!, code)
    const lines = candles.map((row) => row.join())
    await writeFile(market!, ['time,open,high,low,close,volume', ...lines].join('\n'))
    const parameters = ['--parameter', 'HIGH=103', '--parameter', 'LOW=92,96,99']
    await runCommand([program!, market!, ...parameters, '--walk-forward', '10:5', '--json', json!])
    return JSON.parse(await readFile(json!, 'utf8'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('a walk-forward has the windows and the digest of the command, also if its node dies meanwhile', async () => {
  const userId = await addUser()
  const first = await startNode()
  const { id } = await backtests.start(userId, request)
  const combinations = and(eq(backtestParts.backtestId, id), eq(backtestParts.kind, 'combination'))
  const hasTried = async () =>
    (await database.db.$count(backtestParts, combinations)) > 0 ||
    (await backtests.get(userId, id)).finishedAt !== null
  await until('a combination', hasTried, 3 * longPatienceMs)
  await first.stop()
  // As if it had died: it still holds the backtest, and nobody hears of it again.
  const isHeld = and(eq(table.id, id), eq(table.status, 'RUNNING'))
  await database.db.update(table).set({ holder: randomUUID() }).where(isHeld)
  const second = await startNode()
  const ended = await endOf(userId, id)
  await second.stop()
  assert.deepEqual([ended.status, ended.error, first.errors, second.errors], ['FINISHED', null, [], []])
  const expected = await commanded()
  const found = await sweepOf(userId, id)
  assert.equal(ended.digest, expected.digest)
  assert.equal(ended.results![0]!.digest, expected.digest)
  assert.deepEqual(found.walk_forward, expected.windows)
  assert.deepEqual([found.combinations.length, found.walk_forward!.length], [3, 4])
  assert.deepEqual(found.checks, expected.results[0].report.checks.slice(0, 3).filter(isOfLuck))
  assert.deepEqual([ended.runs, ended.runsDone], [3 * 120, 3 * 120])
})

const isOfLuck = ({ name }: { name: string }) => /deflated|overfitting/.test(name)

test('code that asks what its bot holds cannot walk forward, and the backtest says why', async () => {
  const userId = await addUser()
  const node = await startNode()
  const asking = { ...request, code: `await $.Strategy.positions()\n${code}` }
  const { status, error } = await endOf(userId, (await backtests.start(userId, asking)).id)
  await node.stop()
  assert.equal(status, 'FAILED')
  assert.match(error!, /^The code asks what its bot holds, .* Walk-forward is not possible\.$/)
  assert.deepEqual(node.errors, [])
})

test('what does not fit a walk-forward is named before it begins', async () => {
  const wrong: [BacktestRequest['sweep'] & {}, RegExp][] = [
    [
      { ...sweep, settings: { fee_rate: ['0', '0.1'] } },
      /sweep\.settings must be left out for `walk_forward`/,
    ],
    [{ ...sweep, objective: 'sharpe' }, /sweep\.objective must be `return_percent`/],
    [{ ...sweep, end_at_drawdown_percent: 20 }, /sweep\.end_at_drawdown_percent must be left out/],
    [{ ...sweep, parameters: { LOW: [92] } }, /sweep\.parameters must have several combinations/],
  ]
  for (const [asked, message] of wrong) {
    const problems = new Problems()
    readSweep({ ...request, sweep: asked }, request, problems)
    assert.throws(
      () => problems.throwIfAny(),
      (error) => error instanceof AppError && message.test(error.message),
    )
  }
  const long = { ...sweep, walk_forward: { train_days: 40, test_days: 5 } }
  await assert.rejects(
    backtests.start(await addUser(), { ...request, sweep: long }),
    /sweep\.walk_forward needs candles after the first training, and there are none/,
  )
})

test('the time that is estimated counts the candles of all trainings', async () => {
  const hourly = Array.from({ length: 10_000 }, (_, index) => {
    return [Date.UTC(2024, 0, 1) + index * hourMs, 100, 100, 100, 100, 1]
  })
  const secondsOf = async (asked: BacktestRequest['sweep'] & {}) => {
    const { seconds } = await backtests.estimate(await addUser(), {
      ...{ ...request, candles: hourly, sweep: asked, examine: false },
    })
    return seconds
  }
  const { parameters } = sweep
  // 316 trainings of 2,400 candles, for each of three combinations.
  const [walking, once] = [
    await secondsOf({ parameters, walk_forward: { train_days: 100, test_days: 1 } }),
    await secondsOf({ parameters }),
  ]
  assert.ok(walking - once > 20 && walking - once < 25, `${walking} s and ${once} s`)
})
