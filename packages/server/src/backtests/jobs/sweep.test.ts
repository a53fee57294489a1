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
import type { AppError } from '../../base/errors.ts'
import { type BacktestPartKind, backtestParts, backtests as table } from '../../db/schema.ts'
import { runCommand } from '../command/command.ts'
import { UsageError } from '../command/usage-error.ts'
import type { tableOf } from '../sweep/best.ts'
import { type BacktestRequest, Problems } from './request.ts'
import { readSweep } from './sweep-request.ts'

const hourMs = 3_600_000
const candles = Array.from({ length: 100 }, (_, hour) => {
  const price = 100 + 10 * Math.sin(hour / 7)
  return [Date.UTC(2025, 0, 1) + hour * hourMs, price, price, price, price, 1]
})
const code = `
  if ($.Price.price < Number($.Env.LOW)) await $.Strategy.action('LONG')
  if ($.Price.price > Number($.Env.HIGH)) await $.Strategy.action('EXIT')`
const request = { code, symbol: 'BTC/USDT', candles, examine: false } satisfies BacktestRequest

const sweepOf = async (userId: number, id: number) =>
  (await backtests.reports.sweep(userId, id)) as ReturnType<typeof tableOf>

function partsOf(id: number, kind: BacktestPartKind): Promise<number> {
  return database.db.$count(
    backtestParts,
    and(eq(backtestParts.backtestId, id), eq(backtestParts.kind, kind)),
  )
}

test('a sweep whose node dies goes on at another one, to the same table and digest', async () => {
  const userId = await addUser()
  // It asks what its bot holds, which is slow, so it runs again for each setting.
  const asking = `await $.Strategy.positions()\n${code}`
  const sweep: BacktestRequest['sweep'] = {
    parameters: { LOW: [92, 97] },
    settings: { fee_rate: ['0', '0.01'] },
    objective: 'sharpe',
  }
  const asked = { ...request, code: asking, parameters: { HIGH: 105 }, bots: [{ name: 'one' }], sweep }
  const first = await startNode()
  const whole = await endOf(userId, (await backtests.start(userId, asked)).id)
  const { id } = await backtests.start(userId, asked)
  const hasTried = async () =>
    (await partsOf(id, 'combination')) > 0 || (await backtests.get(userId, id)).finishedAt !== null
  await until('a combination', hasTried, 3 * longPatienceMs)
  await first.stop()
  // As if it had died: it still holds the backtest, and nobody hears of it again.
  const isHeld = and(eq(table.id, id), eq(table.status, 'RUNNING'))
  await database.db.update(table).set({ holder: randomUUID() }).where(isHeld)
  const second = await startNode()
  const continued = await endOf(userId, id)
  const { sweep: _, ...plain } = asked
  const [parameters, bots] = [{ HIGH: 105, LOW: 97 }, [{ name: 'one', fee_rate: '0.01' }]]
  const one = await endOf(userId, (await backtests.start(userId, { ...plain, parameters, bots })).id)
  await second.stop()
  assert.deepEqual(
    [whole.status, continued.status, first.errors, second.errors],
    ['FINISHED', 'FINISHED', [], []],
  )
  assert.deepEqual([continued.digest, continued.results], [whole.digest, whole.results])
  const found = await sweepOf(userId, id)
  assert.deepEqual(found, await sweepOf(userId, whole.id))
  assert.deepEqual(
    found.combinations.map(({ parameters, settings }) => [parameters.LOW, settings.fee_rate]),
    [
      ['92', '0'],
      ['92', '0.01'],
      ['97', '0'],
      ['97', '0.01'],
    ],
  )
  const [best] = found.combinations.toSorted((a, b) => Number(b.sharpe) - Number(a.sharpe))
  assert.deepEqual([found.best, whole.results![0]!.digest], [best!.number, best!.digest])
  assert.match(found.checks[0]!.says, /counting 4 trials/)
  // What a combination has is what a backtest with its parameters and settings has.
  assert.equal(found.combinations[3]!.digest, one.digest)
  assert.equal(await partsOf(id, 'combination'), 0)
})

test('a sweep over fees and amounts runs no code that has run before', async () => {
  const userId = await addUser()
  const parameters = { LOW: 95, HIGH: 105 }
  const node = await startNode()
  await endOf(userId, (await backtests.start(userId, { ...request, parameters })).id)
  const fees = Array.from({ length: 20 }, (_, index) => String(index / 1_000))
  const sweep = { settings: { fee_rate: fees, amount: ['100', '200'] } }
  const { id } = await backtests.start(userId, { ...request, parameters, sweep })
  const { status, plan } = await endOf(userId, id)
  await node.stop()
  assert.deepEqual([status, node.errors], ['FINISHED', []])
  // A list has no need of the values.
  assert.deepEqual(plan.sweep, {
    ...{ parameters: [], settings: ['amount', 'fee_rate'], combinations: 40 },
    ...{ random: null, objective: 'return_percent' },
  })
  // Whatever executes code stores where it is.
  assert.equal(await partsOf(id, 'checkpoint'), 0)
  const { combinations, best, neighbours } = await sweepOf(userId, id)
  assert.equal(combinations.length, 40)
  assert.deepEqual(combinations[best - 1]!.settings, { amount: '200', fee_rate: '0' })
  assert.deepEqual(
    neighbours.map(({ of, name, value }) => [of, name, value]),
    [
      ['setting', 'amount', '100'],
      ['setting', 'fee_rate', '0.001'],
    ],
  )
})

test('a combination that loses too much ends early, says so, and is never the best', async () => {
  const userId = await addUser()
  const node = await startNode()
  // The second one loses more than a tenth on the way from 110 down to 90. At the end, it would have won the most.
  const rising = [...candles, [Date.UTC(2025, 0, 1) + 100 * hourMs, 300, 300, 300, 300, 1]]
  const sets = [
    { LOW: 92, HIGH: 105 },
    { LOW: 112, HIGH: 400 },
  ]
  const bots = [{ name: 'backtest', amount: '9000' }]
  const asked = { ...request, candles: rising, bots, sweep: { sets, settings: { fee_rate: ['0', '0.001'] } } }
  const ending = { ...asked, sweep: { ...asked.sweep, end_at_drawdown_percent: 10 } }
  const swept = async (body: BacktestRequest) => {
    const ended = await endOf(userId, (await backtests.start(userId, body)).id)
    return { ...ended, table: await sweepOf(userId, ended.id) }
  }
  const [all, some, again] = [await swept(asked), await swept(ending), await swept(ending)]
  await node.stop()
  assert.deepEqual([all.status, some.status, node.errors], ['FINISHED', 'FINISHED', []])
  assert.deepEqual([some.digest, some.table], [again.digest, again.table])
  assert.equal(some.plan.sweep!.endAtDrawdown, 10)
  const endsOf = ({ table }: typeof all) => table.combinations.map(({ ended_at }) => ended_at !== null)
  assert.deepEqual([endsOf(all), endsOf(some)], [Array(4).fill(false), [false, false, true, true]])
  assert.deepEqual([all.table.best, some.table.best], [3, 1])
  // The others are the same as without the rule.
  assert.deepEqual(some.table.combinations.slice(0, 2), all.table.combinations.slice(0, 2))
  assert.equal(some.results![0]!.digest, all.table.combinations[0]!.digest)
  const [, , early] = some.table.combinations
  assert.ok(early!.end_equity < 10_000 && early!.trades === 1, JSON.stringify(early))
  assert.notEqual(early!.digest, all.table.combinations[2]!.digest)

  const folder = await mkdtemp(join(tmpdir(), 'sweep-'))
  try {
    const write = async (name: string, content: string) => {
      await writeFile(join(folder, name), content)
      return join(folder, name)
    }
    const rows = rising.map((row) => row.join())
    const args = [
      ...[await write('code.js', code)],
      ...[await write('candles.csv', ['time,open,high,low,close,volume', ...rows].join('\n'))],
      ...['--sets', await write('sets.json', JSON.stringify(sets))],
      ...['--amount', '9000', '--fee', '0,0.001', '--json', join(folder, 'all.json')],
    ]
    const shown = await runCommand([...args, '--end-at-drawdown', '10'])
    const { results } = JSON.parse(await readFile(join(folder, 'all.json'), 'utf8'))
    assert.deepEqual(
      results.map(({ report, ended_at = null }: { report: { digest: string }; ended_at?: string | null }) => [
        ...[report.digest, ended_at],
      ]),
      some.table.combinations.map(({ digest, ended_at }) => [digest, ended_at]),
    )
    assert.match(shown, /Broke a rule {2}Ended early\n/)
    assert.match(shown, /\n112 {2}400 .* 2025-01-\d\d \d\d:00\n/)
    const none = await runCommand([...args, '--end-at-drawdown', '0.01'])
    assert.match(none, /\nEvery combination ended early\.\n/)
    const one = [...args.slice(0, 2), '--parameter', 'LOW=92', '--parameter', 'HIGH=105']
    await assert.rejects(runCommand([...one, '--end-at-drawdown', '10']), UsageError)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a setting that a sweep varies is a decimal, however the request writes the number', () => {
  const sweep = { settings: { fee_rate: [1e-7, '0.0010', 0.001], amount: [2e2] } }
  const read = readSweep({ ...request, sweep }, request, new Problems())
  assert.deepEqual(
    read?.axes.map(({ name, values }) => [name, values]),
    [
      ['amount', ['200']],
      ['fee_rate', ['0.0000001', '0.001']],
    ],
  )
})

test('what no sweep can be is refused by its field', async () => {
  const userId = await addUser()
  const refused = async (changes: Partial<BacktestRequest>) => {
    const problem = await backtests.estimate(userId, { ...request, ...changes }).then(
      () => null,
      (error: AppError) => error.details?.map(({ field, message }) => `${field} ${message}`),
    )
    return problem
  }
  const many = Array.from({ length: 40 }, (_, index) => index)
  const cases: [Partial<BacktestRequest>, RegExp][] = [
    [{ sweep: { parameters: { LOW: [1] } }, http: 'read' }, /^body.http must be `none` for a sweep/],
    [{ sweep: {} }, /^body.sweep needs `parameters`, `sets` or `settings`$/],
    [{ sweep: { parameters: { LOW: [1] } }, bots: [{}, {}] }, /^body.bots must be one bot/],
    [{ sweep: { parameters: { MID: [1] } } }, /^body.sweep.parameters.MID is never read/],
    [
      { sweep: { parameters: { LOW: [1] } }, parameters: { LOW: 1 } },
      /^body.parameters.LOW is in `sweep` already/,
    ],
    [{ sweep: { parameters: { LOW: many, HIGH: many } } }, /has 1600 combinations; at most 1000 are allowed/],
    [{ sweep: { sets: [{ LOW: 1 }, { HIGH: 1 }] } }, /^body.sweep.sets\[1\] must have the same names/],
    [{ sweep: { sets: [{ LOW: 1 }], random: 5 } }, /^body.sweep.random cannot come with `sets`/],
    [{ sweep: { settings: { fee_rate: ['0', '-1'] } } }, /^body.sweep.settings.fee_rate\[1\] /],
  ]
  for (const [changes, message] of cases) {
    const problems = await refused(changes)
    assert.ok(
      problems?.some((problem) => message.test(problem)),
      `${message}: ${problems}`,
    )
  }
  const random = { parameters: { LOW: many, HIGH: many }, random: 7 }
  const { runs, combinations } = await backtests.estimate(userId, { ...request, sweep: random })
  assert.deepEqual([runs, combinations], [8 * 100, 7])
  assert.equal((await backtests.estimate(userId, request)).combinations, null)
})
