import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { closedTrade, daysOfEquity, startMs, tradedFill, tradedOf } from '../../../test/traded.ts'
import type { FollowedSignal } from '../traded.ts'
import { canonicalJson, type Json } from './canonical-json.ts'
import { csvFiles, csvLinesOf } from './csv.ts'
import { lookAhead } from './honesty/signal-checks.ts'
import { reportOf } from './report.ts'

const hourMs = 3_600_000
const signals: FollowedSignal[] = [
  { timeMs: startMs, action: 'LONG', outcome: 'DONE', reason: null },
  { timeMs: startMs + hourMs, action: 'SHORT', outcome: 'REFUSED', reason: 'Only longs, "and" no others.' },
]
const traded = tradedOf({
  equity: daysOfEquity([1_100, 990, 1_089]),
  fills: [
    tradedFill({ fee: 1, slippageCost: 0.5, spreadCost: 0.25, fundingCost: 0 }),
    tradedFill({
      side: 'sell',
      fee: -0.25,
      slippageCost: 0.5,
      spreadCost: 0.25,
      fundingCost: 2,
      positionAfter: 0,
    }),
  ],
  closed: [closedTrade({ profit: 89, fees: 0.75 }), closedTrade({ profit: -1e-7 })],
  signals,
})

test('a report has its costs, months, drawdowns and outcomes', () => {
  const report = reportOf({ traded, request: { seed: 1 } })
  assert.deepEqual(report.costs, { fees: 0.75, spread: 0.5, slippage: 1, funding: 2, total: 4.25 })
  assert.deepEqual(report.months, [
    { month: '2026-01', equity: 1_089, return_percent: { value: 8.9, reason: null } },
  ])
  assert.deepEqual(report.days[1], { day: '2026-01-02', equity: 990 })
  assert.deepEqual(report.drawdowns, [
    {
      from: '2026-01-02T00:00:00.000Z',
      until: '2026-01-04T00:00:00.000Z',
      depth_percent: 10,
      amount: 110,
      is_over: false,
    },
  ])
  assert.deepEqual(report.outcomes, { DONE: 1, REFUSED: 1 })
  assert.deepEqual(
    [report.start_equity, report.end_equity, report.candles, report.fills],
    [1_000, 1_089, 3, 2],
  )
  assert.equal(report.bot.settings.amount_unit, 'quote')
  const sharpe = report.metrics.find(({ name }) => name === 'sharpe')
  assert.match(sharpe!.formula, /standard deviation/)
  assert.match(sharpe!.source, /Sharpe/)
})

test('a report has the checks of the trade pass, and then those of the code', () => {
  const check = lookAhead([], [])
  const { checks } = reportOf({ traded, checks: [check] })
  assert.ok(checks.length > 5)
  assert.equal(checks.at(-1), check)
  assert.equal(checks.find(({ name }) => name === 'trades')!.verdict, 'doubt')
})

test('months join up: their returns together are the return of the backtest', () => {
  const equity = Array.from({ length: 120 }, (_, day) => 1_000 + 100 * Math.sin(day / 7) + day)
  const { months, metrics } = reportOf({ traded: tradedOf({ equity: daysOfEquity(equity) }) })
  assert.deepEqual(
    months.map(({ month }) => month),
    ['2026-01', '2026-02', '2026-03', '2026-04'],
  )
  const joined = months.reduce((all, { return_percent: { value } }) => all * (1 + value! / 100), 1)
  assert.ok(Math.abs(100 * (joined - 1) - metrics[0]!.value!) < 1e-8)
})

test('the definitions of other tools are there if asked for', () => {
  assert.deepEqual(reportOf({ traded }).definitions, {})
  const { definitions } = reportOf({ traded, definitions: ['freqtrade'] })
  assert.deepEqual(Object.keys(definitions), ['freqtrade'])
  assert.ok(definitions.freqtrade!.every(({ source }) => source.startsWith('Freqtrade 2024.10')))
})

test('a report is plain JSON, and anyone can check its digest', () => {
  const report = reportOf({ traded, request: { b: 1, a: [null, true] } })
  assert.deepEqual(JSON.parse(JSON.stringify(report)), report)
  const { digest, definitions: _, checks: __, ...rest } = report
  const records = [...traded.equity, ...traded.fills, ...traded.closed, ...traded.signals]
  const text = [rest, ...records].map((each) => `${canonicalJson(each)}\n`).join('')
  assert.equal(digest, createHash('sha256').update(text).digest('hex'))
})

test('the same request has the same digest, and any other result another one', () => {
  const digest = (given: Partial<typeof traded>, seed = 1) =>
    reportOf({ traded: { ...traded, ...given }, request: { seed } }).digest
  assert.equal(digest({}), digest({}))
  const others = [
    digest({}, 2),
    digest({ equity: traded.equity.map((point) => ({ ...point, worst: point.worst - 1 })) }),
    digest({ closed: traded.closed.map((trade) => ({ ...trade, exit: 101 })) }),
    digest({ fills: traded.fills.map((fill) => ({ ...fill, reason: 'limit' as const })) }),
    digest({ signals: signals.slice(0, 1) }),
    digest({ bot: { ...traded.bot, name: 'Other' } }),
  ]
  assert.equal(new Set([digest({}), ...others]).size, 7)
})

test('canonical JSON does not depend on the order of members, and reads as the same value', () => {
  const shuffled = (value: Json): Json => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(shuffled)
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, shuffled(member as Json)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as Json)
      assert.equal(text, canonicalJson(shuffled(value as Json)))
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
    }),
  )
  assert.equal(
    canonicalJson({ b: 1e21, a: ['\u2028"', -0], c: undefined }),
    '{"a":["\u2028\\"",0],"b":1e+21}',
  )
  assert.throws(() => canonicalJson([Number.NaN]), RangeError)
})

test('the files list all trades, fills, points of the equity and signals', () => {
  const text = Object.fromEntries(csvFiles.map((file) => [file, [...csvLinesOf(file, traded)].join('')]))
  assert.equal(
    text['trades.csv'],
    'symbol,side,opened_at,closed_at,size,entry_price,exit_price,fees,profit,origin\r\n' +
      'BTC/USDT,LONG,2026-01-01T00:00:00.000Z,2026-01-02T00:00:00.000Z,1,100,189,0.75,89,signal\r\n' +
      'BTC/USDT,LONG,2026-01-01T00:00:00.000Z,2026-01-02T00:00:00.000Z,1,100,99.9999999,0,-0.0000001,signal\r\n',
  )
  assert.equal(
    text['signals.csv'],
    'at,action,outcome,reason\r\n2026-01-01T00:00:00.000Z,LONG,DONE,\r\n' +
      '2026-01-01T01:00:00.000Z,SHORT,REFUSED,"Only longs, ""and"" no others."\r\n',
  )
  assert.equal(text['equity.csv']!.split('\r\n')[2], '2026-01-03T00:00:00.000Z,990,990')
  assert.equal(
    text['fills.csv']!.split('\r\n')[2],
    '2026-01-01T00:00:00.000Z,BTC/USDT,sell,1,100,-0.25,0.25,0.5,2,0,0,signal',
  )
})
