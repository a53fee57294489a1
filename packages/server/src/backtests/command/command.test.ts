import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { parquetCandles } from '../../../test/parquet-files.ts'
import type { Report } from '../report/report.ts'
import { runCommand } from './command.ts'
import { parseFunding } from './funding-file.ts'
import {
  checkParameters,
  checkVolume,
  rangeOf,
  readAnswers,
  readCode,
  readLastTrigger,
  readMarket,
  readStorage,
} from './input.ts'
import { readOptions } from './options.ts'
import { parseSets, readParameters } from './parameters.ts'
import { UsageError } from './usage-error.ts'

const folder = await mkdtemp(join(tmpdir(), 'backtest-'))
after(() => rm(folder, { recursive: true }))

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const files = ['code.js', 'candles.csv']
const options = (...args: string[]) => readOptions([...files, ...args])
const refusal = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof UsageError, String(error))
  assert.match(error.message, message)
  return true
}

test('the options of the command become the plan of each backtest', () => {
  const read = options(
    ...['--symbol', 'ETH/USDC:USDC', '--from', '2026-01-31', '--to', '2026-02-01T12:00:00Z'],
    ...['--parameter', 'FAST=5, 10', '--parameter', 'SLOW=20', '--fee', '0,0.001', '--amount', '25%'],
  )
  assert.deepEqual(read.parameters.sets, [
    { FAST: '5', SLOW: '20' },
    { FAST: '10', SLOW: '20' },
  ])
  assert.deepEqual(
    read.settings.map(({ feeRate, amount, amountUnit, amountCurrency }) => [
      feeRate,
      amount,
      amountUnit,
      amountCurrency,
    ]),
    [
      ['0', '25', 'equity_percent', 'USDC'],
      ['0.001', '25', 'equity_percent', 'USDC'],
    ],
  )
  const { rules, conditions, settings } = options(
    ...['--spread', '0.001', '--participation', '0.10', '--latency', '250'],
    ...['--size-step', '0.01', '--min-size', '0.1', '--min-notional', '5'],
  )
  assert.deepEqual([rules.sizeStep, rules.minSize, rules.minNotional], ['0.01', '0.1', '5'])
  assert.deepEqual(conditions, { participation: '0.1', latencyMs: 250 })
  assert.equal(settings[0]!.spreadRate, '0.001')
  assert.deepEqual([read.fromMs, read.toMs], [Date.UTC(2026, 0, 31), Date.UTC(2026, 1, 1, 12)])
  assert.deepEqual([options().parameters.sets, options().seed, options().atEnd], [[{}], 1, 'hold'])
})

test('an option that cannot be used is refused with what is allowed', () => {
  const wrong: [args: string[], message: RegExp][] = [
    [['--symbol', 'BTCUSDT'], /--symbol must be like BTC\/USDT/],
    [['--from', 'yesterday'], /--from must be a day such as 2026-01-31/],
    [['--from', '2026-02-30T'], /--from must be a day/],
    [['--from', '2026-02-01', '--to', '2026-01-01'], /--to must be later than --from/],
    [['--warmup-from', '2026-02-01'], /--warmup-from needs a --from/],
    [['--parameter', 'FAST'], /--parameter must be like FAST=10/],
    [['--parameter', 'FAST=1', '--parameter', 'FAST=2'], /FAST is given twice/],
    [
      ['--parameter', `A=${Array.from({ length: 1_001 }, (_, value) => value).join()}`],
      /1001 combinations; at most 1000/,
    ],
    [['--parameter', 'A=9..1'], /A must be a range such as 5..50\/5, from less to more/],
    [['--parameter', 'A=1..2000'], /A has more than 1000 values/],
    [['--parameter', 'A=5..x'], /^--parameter A has no range: 5\.\.x\. Give one range, such as A=5\.\.50\/5/],
    [['--parameter', 'A=5..'], /^--parameter A has no range/],
    [['--parameter', 'A=1e3..2e3'], /^--parameter A has no range/],
    [['--parameter', 'A=5..50/x'], /^--parameter A has no range/],
    [['--parameter', 'A=5..50/5,60'], /^--parameter A has a range and other values/],
    [['--end-at-drawdown', '0'], /^--end-at-drawdown must be a percentage from 0.01 to 99.99, .* got "0"/],
    [['--end-at-drawdown', '40', '--walk-forward', '9:3'], /^--walk-forward .* without --end-at-drawdown/],
    [['--objective', 'profit'], /^--objective must be one of return_percent, .* got "profit"/],
    [['--objective', 'sharpe', '--walk-forward', '9:3'], /^--walk-forward chooses by return_percent/],
    [['--bot', join(folder, 'absent.json')], /absent.json cannot be read/],
    [['--parameter', 'A=1,2', '--random', '0'], /^--random must be a whole number from 1 to 1000/],
    [['--sets', 'sets.json', '--parameter', 'A=1'], /goes without --parameter and --random/],
    [['--walk-forward', '90'], /^--walk-forward must be two numbers of days, .* such as 90:30, got "90"/],
    [['--walk-forward', '0:5'], /^--walk-forward must be two numbers of days/],
    [['--anchored'], /^--anchored needs --walk-forward/],
    [['--seed=-1'], /--seed must be a whole number from 0/],
    [['--fee', '0.9'], /^--fee must be from 0 to 0.5, got 0.9/],
    [['--amount', 'all'], /^--amount must be a decimal number/],
    [['--balance=-5'], /^--balance must not be negative/],
    [['--spread', '0.6'], /^--spread must be from 0 to 0.5, got 0.6/],
    [['--participation', '1.5'], /^--participation must be above 0 and at most 1, got 1.5/],
    [['--participation', '0'], /^--participation must be above 0/],
    [['--latency', '1s'], /^--latency must be a whole number from 0 to 3600000, got "1s"/],
    [['--perpetual'], /^Only a perpetual has funding. Name it with --symbol, such as BTC\/USDT:USDT/],
    [
      ['--symbol', 'BTC/USDT:USDT', '--funding-assume', '2'],
      /^--funding-assume must be a fraction from -1 to 1/,
    ],
    [
      ['--symbol', 'BTC/USDT:USDT', '--funding-every', '0'],
      /^--funding-every must be a whole number of hours/,
    ],
    [
      ['--leverage', '10'],
      /^On spot, there is no leverage. Name a future with --symbol, such as BTC\/USDT:USDT/,
    ],
    [['--symbol', 'BTC/USDT:USDT', '--leverage', '501'], /^--leverage must be a whole number from 1 to 500/],
    [['--maintenance', '0.1'], /^--maintenance needs a --leverage/],
    [
      ['--symbol', 'BTC/USDT:USDT', '--leverage', '300'],
      /^At a leverage of 300, --maintenance must be below 0.003333, got 0.005/,
    ],
    [['--size-step', '0'], /^--size-step must be above 0/],
    [['--min-size=-1'], /^--min-size must be a decimal number that is not negative/],
    [['--at-end', 'sell'], /--at-end must be hold or close/],
    [['--what'], /Unknown option '--what'/],
    [['third.csv'], /^Usage: /],
  ]
  for (const [args, message] of wrong) assert.throws(() => options(...args), refusal(message), args.join(' '))
})

const header = 'time,open,high,low,close'
const nowMs = Date.UTC(2026, 0, 1)
const row = (index: number, prices = '10,11,9,10') => `${nowMs - 600_000 + index * 60_000},${prices}`

test('candles may come in Parquet', async () => {
  const path = join(folder, 'candles.parquet')
  await writeFile(path, Buffer.from(parquetCandles, 'base64'))
  const { candles } = await readMarket(path, 'BTC/USDT', Date.UTC(2027, 0, 1))
  assert.deepEqual([...candles.closes, candles.volumes[2]], [0.15, 1.2, 1.25, 1e-7])
  await writeFile(path, Buffer.from(parquetCandles, 'base64').subarray(0, 900))
  await assert.rejects(
    readMarket(path, 'BTC/USDT', nowMs),
    refusal(/cannot be used: it cannot be read as Parquet/),
  )
})

test('candles out of order, repeated, impossible or from the future are refused with their line', async () => {
  const wrong: [rows: string[], message: RegExp][] = [
    [[row(1), row(0)], /line 3: each time must be later than the previous one/],
    [[row(0), '', row(0)], /line 4: each time must be later/],
    [[row(0), row(1, '10,9,11,10')], /line 3: high must not be below low/],
    [[row(0), row(1, '10,11,9,12')], /line 3: open and close must lie between/],
    [[row(0), row(1, '10,11,-9,10')], /line 3: low must be above zero/],
    [[row(9), '', row(10), row(11)], /line 5: the candle is from the future, it opens at 2026-01-01T00:01/],
    [[row(10)], /has no finished candle/],
  ]
  for (const [index, [rows, message]] of wrong.entries()) {
    const path = await file(`wrong-${index}.csv`, [header, ...rows].join('\n'))
    await assert.rejects(readMarket(path, 'BTC/USDT', nowMs), refusal(message))
  }
})

test('an unfinished last candle is left out, gaps are found, and a range takes only whole candles', async () => {
  const path = await file('gap.csv', [header, row(0), row(1), row(4), row(5), row(10)].join('\n'))
  const data = await readMarket(path, 'BTC/USDT', nowMs)
  assert.equal(data.length, 4)
  const firstMs = nowMs - 600_000
  assert.deepEqual(data.gaps(0, 4), [{ fromMs: firstMs + 120_000, toMs: firstMs + 240_000 }])
  const range = (from: number, to: number) => {
    const times = ['--from', String(firstMs + from * 1_000), '--to', String(firstMs + to * 1_000)]
    return rangeOf(data, options(...times, '--warmup-from', String(firstMs)))
  }
  assert.deepEqual(range(60, 360), { warmUp: 0, first: 1, end: 4 })
  assert.deepEqual(range(61, 359), { warmUp: 0, first: 2, end: 3 })
  assert.throws(() => range(120, 240), refusal(/no candles in this time/))
})

test('a part of the volume needs candles that have one', async () => {
  const data = await readMarket(await file('plain.csv', [header, row(0)].join('\n')), 'BTC/USDT', nowMs)
  assert.throws(
    () => checkVolume(data, options('--participation', '0.1')),
    refusal(/^--participation needs candles with a volume/),
  )
  checkVolume(data, options())
})

test('rates of funding are read from CSV and JSON, and a wrong one is refused with its place', () => {
  const csv = 'time,rate,price\n2025-12-31T16:00:00Z,0.0001,87500.5\n1767225600007,-1e-4,'
  assert.throws(
    () => parseFunding(csv.replace(',87500.5', ''), 'f.csv'),
    refusal(/^f.csv, line 2: expected 3 values/),
  )
  const read = parseFunding(csv, 'f.csv')
  assert.deepEqual(read, [
    { at: nowMs - 28_800_000, rate: '0.0001', price: '87500.5' },
    { at: nowMs, rate: '-0.0001', price: null },
  ])
  const json = JSON.stringify([{ time: nowMs, rate: 0.0000005 }])
  assert.deepEqual(parseFunding(json, 'f.json'), [{ at: nowMs, rate: '0.0000005', price: null }])
  const wrong: [text: string, message: RegExp][] = [
    ['at,rate\n1,1', /^f, line 1: the header must be "time,rate"/],
    ['time,rate\n', /^f has no rates/],
    [`time,rate\n${nowMs},2`, /^f, line 2: rate must be a fraction from -1 to 1/],
    [
      `time,rate\n${nowMs},1e-4\n\n${nowMs + 59_000},0`,
      /^f, line 4: each time must be at least a minute later/,
    ],
    ['time,rate\nnoon,0', /^f, line 2: time must be in Unix milliseconds/],
    ['[{"time": 1767225600000}]', /^f, entry 1: rate must be a fraction/],
    ['[', /^f is not JSON/],
  ]
  for (const [text, message] of wrong) assert.throws(() => parseFunding(text, 'f'), refusal(message), text)
})

test('a range has each step, and sets of a file have the same names', () => {
  const { axes } = options('--parameter', 'A=0.1..0.35/0.1', '--parameter', 'B=-2..0').parameters
  assert.deepEqual(axes, { A: ['0.1', '0.2', '0.3'], B: ['-2', '-1', '0'] })
  const { axes: found, sets } = parseSets('[{"FAST": 10, "S": "x"}, {"FAST": 5, "S": "x"}]', 'sets.json')
  assert.deepEqual(found, { FAST: ['5', '10'], S: ['x'] })
  assert.deepEqual(sets[0], { FAST: '10', S: 'x' })
  const wrong: [text: string, message: RegExp][] = [
    ['{', /^s must be a JSON list of objects, .*it is not JSON/],
    ['[]', /it has no list/],
    ['[1]', /entry 1 is no object/],
    ['[{"A": 1}, {"B": 1}]', /entry 2 has other names than the first one/],
    ['[{"A B": 1}]', /entry 1 has the name "A B"/],
    ['[{"A": null}]', /A of entry 1 is neither text nor a number/],
  ]
  for (const [text, message] of wrong) assert.throws(() => parseSets(text, 's'), refusal(message), text)
})

test('code that could not be saved, and a parameter that it never reads, are refused', async () => {
  await assert.rejects(readCode(await file('syntax.js', 'const a =\n  = 1')), refusal(/syntax.js: .*line 2/))
  await assert.rejects(readCode(await file('eval.js', '\neval("1")')), refusal(/eval.js: Line 2, column 1/))
  await assert.rejects(readCode(join(folder, 'absent.js')), refusal(/absent.js cannot be read/))
  assert.throws(() => checkParameters('$.Env.FASTER', ['FAST']), refusal(/never reads the parameter FAST:/))
  checkParameters('const { FAST, SLOW } = $.Env', ['FAST', 'SLOW'])
  await assert.rejects(readAnswers(await file('answers.json', '[{}]')), refusal(/must be a list of/))
  assert.equal(await readStorage(await file('storage.json', ' { "n": 1 } ')), '{"n":1}')
  await assert.rejects(readStorage(await file('storage.json', '{')), refusal(/storage.json is not JSON/))
  const long = await file('storage.json', JSON.stringify('x'.repeat(24_575)))
  await assert.rejects(readStorage(long), refusal(/has 24577 bytes of JSON; .* at most 24576/))
})

function command(...args: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], { stdio: 'pipe' })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return Promise.all([ended, text(child.stdout), text(child.stderr)])
}

test('the command prints a summary, and writes the same bytes each time', async () => {
  const code = await file(
    'code.js',
    `if (Date.now() % 180000 === 0) await $.Strategy.action(Math.random() < Number($.Env.PART) ? 'LONG' : 'SHORT')`,
  )
  const rows = Array.from({ length: 60 }, (_, index) => row(index - 60, `${10 + index},99,9,${10 + index}`))
  const candles = await file('candles.csv', [header, ...rows].join('\n'))
  const json = [join(folder, 'a.json'), join(folder, 'b.json')]
  const args = [code, candles, '--symbol', 'BTC/USDT:USDT', '--parameter', 'PART=0.3,0.6', '--fee', '0,0.001']
  const [exit, out, err] = await command(...args, '--json', json[0]!)
  assert.deepEqual([exit, err], [0, ''])
  assert.match(out, /^60 candles of BTC\/USDT:USDT, each 1 minute/)
  assert.match(out, /\nPART {2}Fee/)
  assert.equal(`${await runCommand([...args, '--json', json[1]!])}\n`, out)
  const [first, second] = await Promise.all(json.map((path) => readFile(path, 'utf8')))
  assert.equal(second, first)
  const { results } = JSON.parse(first!)
  assert.deepEqual(
    results.map(({ report: { request, bot } }: { report: Report }) => [
      request.parameters,
      bot.settings.fee_rate,
    ]),
    ['0.3', '0.6'].flatMap((PART) => ['0', '0.001'].map((fee) => [{ PART }, fee])),
  )
  assert.ok(results[0].fills.length > 5 && results[0].equity.length === 60)
  const { report } = results[0] as { report: Report }
  assert.equal(report.metrics.find(({ name }) => name === 'trades')!.value, results[0].closed.length)
  const page = join(folder, 'page.html')
  const alone = await runCommand([code, candles, '--parameter', 'PART=0', '--report', page, '--csv', folder])
  const shown = await readFile(page, 'utf8')
  assert.match(shown, /^<!doctype html>/)
  assert.match(shown, /the signals before are the same\./)
  assert.ok(shown.includes(/digest (\w{64})/.exec(alone)![1]!))
  assert.equal((await readFile(join(folder, 'equity.csv'), 'utf8')).split('\r\n').length, 62)
  await assert.rejects(runCommand([...args, '--csv', folder]), refusal(/--csv needs one backtest/))
  assert.match(alone, /60 runs: 0 failed, 0 broke a rule. 20 signals.\nSignals that were not followed:/)
  assert.match(alone, /REFUSED: On spot, a bot cannot sell short/)
})

test('settings that no option has come from a file, and options replace them', async () => {
  const settings = {
    amount: 3,
    amount_unit: 'equity_percent',
    max_position: '900',
    max_signal_age_seconds: 600,
  }
  const own = { ...settings, leverage: 5, protection: { stop_loss: '2%' }, name: 'Mine' }
  const path = await file('bot.json', JSON.stringify(own))
  const future = ['--symbol', 'BTC/USDT:USDT']
  const [bot] = options(...future, '--bot', path).settings
  const { amount, amountUnit, maxPosition, maxSignalAgeSeconds, leverage, marginMode, symbols } = bot!
  assert.deepEqual(
    [amount, amountUnit, maxPosition, maxSignalAgeSeconds, leverage, marginMode, symbols],
    ['3', 'equity_percent', '900', 600, 5, 'isolated', []],
  )
  assert.equal(bot!.protection?.stop_loss, '2%')
  assert.equal(options(...future, '--bot', path).conditions.maintenanceRate, '0.005')
  const swept = options('--bot', path, '--amount', '4,5', '--spread', '0,0.1', '--leverage', '9', ...future)
  assert.deepEqual(
    swept.settings.map(({ amount, amountUnit, spreadRate, leverage }) => [
      ...[amount, amountUnit, spreadRate, leverage],
    ]),
    ['4', '5'].flatMap((amount) => ['0', '0.1'].map((spread) => [amount, 'equity_percent', spread, 9])),
  )
  for (const [content, message] of [
    ['[]', /bot.json must be a JSON object/],
    ['{', /bot.json is not JSON/],
    ['{ "max_positon": 1 }', /`max_positon` is unknown. Did you mean `max_position`/],
    ['{ "size_step": "1" }', /`size_step` is unknown/],
    ['{ "id": 1 }', /`id` is unknown/],
    ['{ "direction": "up" }', /bot.json: direction must be/],
    ['{ "max_position": -1 }', /^max_position must not be negative/],
  ] as const) {
    const wrong = await file('bot.json', content)
    assert.throws(() => options('--bot', wrong), refusal(message), content)
  }
})

test('the last trigger of a file is read, and a wrong one is refused', async () => {
  const read = async (content: string) => await readLastTrigger(await file('last.json', content))
  assert.deepEqual(await read('{ "action": "EXIT" }'), { action: 'EXIT', price: null, at: null })
  const at = '2026-01-31T12:00:00Z'
  const given = JSON.stringify({ action: 'LONG', price: 7, at })
  assert.deepEqual(await read(given), { action: 'LONG', price: 7, at: Date.parse(at) })
  for (const wrong of ['null', '{}', '{ "action": "BUY" }', '{ "action": "LONG", "at": "soon" }', '[1]'])
    await assert.rejects(read(wrong), refusal(/last.json must be like/), wrong)
})

test('a parameter may have the name of something that every object has', () => {
  assert.deepEqual(readParameters(['toString=1,2'], undefined, 1).sets, [
    { toString: '1' },
    { toString: '2' },
  ])
  const other = '[{ "toString": 1 }, { "FAST": 1 }]'
  assert.throws(() => parseSets(other, 'sets.json'), /entry 2 has other names/)
})
