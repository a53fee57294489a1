import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { closedTrade, daysOfEquity, startMs, tradedFill, tradedOf } from '../../../../test/traded.ts'
import type { Traded } from '../../traded.ts'
import { basisOf } from '../basis.ts'
import type { Check } from './check.ts'
import { checksOf, type Evidence } from './checks.ts'
import { lookAhead, warmUp } from './signal-checks.ts'

function check(name: string, given: Partial<Traded>, evidence: Evidence = {}): Check {
  return checksOf(basisOf(tradedOf(given)), evidence).find((each) => each.name === name)!
}

/** Equity that gains on most days: its daily returns are 2 and −1 percent in turn, for so many days. */
const gaining = (days: number) =>
  daysOfEquity(
    Array.from(
      { length: days },
      (_, day) => 1_000 * 1.02 ** Math.ceil((day + 1) / 2) * 0.99 ** Math.floor((day + 1) / 2),
    ),
  )

test('a Sharpe ratio after many different trials is a doubt that it is not alone', () => {
  const equity = gaining(120)
  const alone = check('deflated_sharpe_percent', { equity })
  assert.equal(alone.verdict, 'good')
  assert.match(alone.says, /counting this trial alone\.$/)
  // Sharpe ratios from −1 to 1 a day.
  const trials = Array.from({ length: 50 }, (_, trial) => [trial - 25, trial - 25 + 50])
  const after = check('deflated_sharpe_percent', { equity }, { trials })
  assert.equal(after.verdict, 'doubt')
  assert.match(after.says, /counting 50 trials\.$/)
  assert.deepEqual(check('deflated_sharpe_percent', {}).verdict, 'unknown')
})

test('a backtest says how many days it would need', () => {
  const short = check('least_days', { equity: gaining(10) })
  assert.equal(short.verdict, 'doubt')
  assert.match(short.says, /^The backtest has 10 daily returns\. .* 2\d are needed/)
  assert.equal(check('least_days', { equity: gaining(60) }).verdict, 'good')
  const losing = check('least_days', { equity: daysOfEquity([990, 970, 960]) })
  assert.deepEqual([losing.verdict, losing.value], ['doubt', null])
})

test('trials that are good only where they were chosen are overfitted', () => {
  const block = (from: number) =>
    Array.from({ length: 16 }, (_, day) => (Math.floor(day / 4) === from ? 1 : 0) + (day % 3) / 100)
  const found = check('overfitting_percent', {}, { trials: [block(0), block(1), block(2), block(3)] })
  assert.equal(found.verdict, 'doubt')
  assert.match(found.says, /of 6 splits of the time, the best of 4 trials/)
  assert.equal(check('overfitting_percent', {}, { trials: [block(0)] }).verdict, 'unknown')
})

test('fewer than thirty trades are too few', () => {
  const trades = (count: number) =>
    check('trades', { closed: Array.from({ length: count }, () => closedTrade({ profit: 1 })) })
  assert.deepEqual([trades(29).verdict, trades(30).verdict], ['doubt', 'good'])
})

test('a profit that the best trades made is one from few trades', () => {
  const of = (...profits: number[]) =>
    check('few_trades_percent', { closed: profits.map((profit) => closedTrade({ profit })) })
  const one = of(-5, 100, -10, -20, -30)
  assert.deepEqual([one.verdict, one.value], ['doubt', 20])
  assert.equal(one.says, 'Without its best trade of 5, the profit is gone.')
  const even = of(...Array.from({ length: 40 }, () => 1))
  assert.deepEqual([even.verdict, even.value], ['good', 100])
  // The two best of forty trades: 5 percent.
  assert.equal(of(20, 20, ...Array.from({ length: 38 }, () => -1)).verdict, 'doubt')
  assert.equal(of(-1, 1).verdict, 'unknown')
})

test('the costs at which nothing is left are those that take the whole result without costs', () => {
  const fill = tradedFill({ size: 50, price: 100, fee: 4, spreadCost: 3, slippageCost: 3 })
  const ending = (equity: number, fills = [fill, fill]) =>
    check('break_even_cost_percent', { equity: daysOfEquity([equity]), fills })
  // 20 of costs for 10,000 traded: 0.2 percent. Without costs, it made 50.
  assert.deepEqual([ending(1_030).verdict, ending(1_030).value], ['good', 0.5])
  assert.equal(
    ending(1_030).says,
    'Fees, spread and slippage took 0.200 % of what was traded. At 0.500 %, nothing is left.',
  )
  assert.deepEqual([ending(1_010).verdict, ending(1_010).value], ['doubt', 0.3])
  assert.equal(ending(970).says, 'Without costs, it makes no profit either.')
  assert.equal(ending(1_030, [tradedFill()]).verdict, 'doubt')
  assert.equal(ending(1_030, []).verdict, 'unknown')
})

test('at twice the slippage, at least half of the profit should be left', () => {
  const one = { equity: daysOfEquity([1_100]), fills: [tradedFill()] }
  const name = 'doubled_slippage_return_percent'
  const doubled = (end: number) => check(name, one, { doubled: tradedOf({ equity: daysOfEquity([end]) }) })
  assert.deepEqual([doubled(1_050).verdict, doubled(1_050).value], ['good', 5])
  assert.equal(doubled(1_040).verdict, 'doubt')
  assert.equal(doubled(990).says, 'The return is −1.00 % instead of 10.00 %.')
  assert.equal(check(name, one).verdict, 'unknown')
  assert.equal(check(name, {}, { doubled: tradedOf({}) }).says, 'Nothing was traded.')
})

test('a profit that depends on whether a high or a low came first is a doubt', () => {
  const equity = daysOfEquity([1_050, 1_100])
  const of = (evidence: Evidence) => check('reordered_return_percent', { equity }, evidence)
  const ending = (end: number) => ({ reordered: tradedOf({ equity: daysOfEquity([end]) }) })
  assert.equal(of({}).verdict, 'unknown')
  assert.deepEqual([of({ reordered: null }).verdict, of({ reordered: null }).value], ['good', 10])
  assert.deepEqual([of(ending(1_060)).verdict, of(ending(1_060)).value], ['good', 6])
  const worse = of(ending(1_040))
  assert.equal(worse.verdict, 'doubt')
  assert.match(
    worse.says,
    /The return is 10\.00 % if each reached the worse one for the position first, and 4\.00 % if/,
  )
})

test('every check of any trade pass says something, and no figure in it is none', () => {
  const money = fc.integer({ min: -5_000, max: 500_000 }).map((cents) => cents / 100)
  fc.assert(
    fc.property(
      fc.array(money, { maxLength: 30 }),
      fc.array(money, { maxLength: 5 }),
      fc.constantFrom(0, 1_000),
      (equities, profits, startEquity) => {
        const traded = tradedOf({
          startEquity,
          equity: daysOfEquity(equities),
          closed: profits.map((profit) => closedTrade({ profit })),
        })
        for (const { says, value, verdict } of checksOf(basisOf(traded), {
          doubled: traded,
          trials: [equities, profits],
        })) {
          assert.match(says, /^[A-Z].*\.$/)
          assert.doesNotMatch(says, /NaN|Infinity|undefined|null/)
          assert.ok(value === null || Number.isFinite(value))
          assert.ok(verdict !== 'unknown' || value === null)
        }
      },
    ),
  )
})

const hour = (hours: number) => startMs + hours * 3_600_000
const signals = [
  { atMs: hour(1), action: 'LONG' },
  { atMs: hour(5), action: 'EXIT' },
  { atMs: hour(9), action: 'SHORT' },
]

test('signals that are the same on shorter data saw no future', () => {
  const cuts = [
    { cutMs: hour(5), signals: signals.slice(0, 2) },
    { cutMs: hour(4), signals: signals.slice(0, 1) },
  ]
  assert.equal(lookAhead(signals, cuts).verdict, 'good')
  assert.equal(lookAhead(signals, []).verdict, 'unknown')
})

test('a signal that comes, changes or is missing on shorter data is look-ahead, and the first one is named', () => {
  const seen = (again: typeof signals) => lookAhead(signals, [{ cutMs: hour(5), signals: again }])
  for (const [again, first] of [
    [[signals[0]!, { atMs: hour(5), action: 'LONG' }], '05:00'],
    [[signals[0]!], '05:00'],
    [[signals[0]!, { atMs: hour(3), action: 'EXIT' }, signals[1]!], '03:00'],
    [[], '01:00'],
  ] as const) {
    const { verdict, value, says } = seen([...again])
    assert.deepEqual([verdict, value], ['doubt', 1])
    assert.ok(says.includes(`2026-01-01 ${first}`), says)
  }
})

test('signals that differ after an earlier start need a longer warm-up', () => {
  const early = (again: typeof signals) => warmUp(signals, { fromMs: hour(-24), signals: again }, hour(0))
  assert.equal(early([{ atMs: hour(-3), action: 'LONG' }, ...signals]).verdict, 'good')
  const changed = early([signals[0]!, { atMs: hour(6), action: 'EXIT' }, signals[2]!])
  assert.deepEqual([changed.verdict, changed.value], ['doubt', 2])
  assert.equal(warmUp(signals, null, hour(0)).verdict, 'unknown')
})
