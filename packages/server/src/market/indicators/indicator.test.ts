import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Candle } from '@tickwright/sandbox'
import * as library from 'trading-signals'
import { allIndicators, longestPeriod } from './all-indicators.ts'
import { type IndicatorPlan, readIndicator, valuesOf } from './indicator.ts'

const hourMs = 3_600_000

/** Candles that go up and down. */
function candlesOf(count: number): Candle[] {
  return Array.from({ length: count }, (_, index) => {
    const last = 100 + 10 * Math.sin(index / 5) + index / 7
    const open = 100 + 10 * Math.sin((index - 1) / 5) + index / 7
    const [high, low] = [Math.max(open, last) + 1, Math.min(open, last) - 1]
    return { time: index * hourMs, open, high, low, last, volume: 10 + (index % 7), done: true }
  })
}

function plan(name: string, parameters = {}): IndicatorPlan {
  const read = readIndicator(name, parameters, 1)
  assert.ok(!('problem' in read), JSON.stringify(read))
  return read
}

test('there is every indicator of the library, and with its usual parameters each has values', async () => {
  const bases = /^(IndicatorSeries|MovingAverage|TechnicalIndicator|TrendIndicator|TrendIndicatorSeries)$/
  const others = /^(NotEnoughDataError|ThresholdCrossSeries|ZeroCrossSeries)$/
  const classes = Object.entries(library).flatMap(([name, value]) =>
    typeof value === 'function' && /^class\b/.test(String(value)) ? [name] : [],
  )
  assert.deepEqual(
    Object.keys(allIndicators).sort(),
    classes.filter((name) => !bases.test(name) && !others.test(name)).sort(),
  )
  const candles = candlesOf(700)
  // These have a value only where there is a turning point.
  const rare = new Set(['BreakoutBarLow', 'HigherLowTrail', 'SwingHigh', 'SwingLow', 'TDS', 'ZigZag'])
  for (const name of Object.keys(allIndicators)) {
    const values = await valuesOf(plan(name), candles)
    const found = rare.has(name) ? values.findLast((value) => value !== null) : values.at(-1)
    const parts = typeof found === 'object' && found !== null ? Object.values(found) : [found]
    assert.ok(parts.length > 0 && parts.every((part) => part !== null && part !== undefined), name)
  }
})

test('the values are those of the library', async () => {
  const candles = candlesOf(60)
  const closes = candles.map(({ last }) => last)
  const rsi = new library.RSI(14)
  const macd = new library.MACD(new library.EMA(12), new library.EMA(26), new library.EMA(9))
  const atr = new library.ATR(14)
  for (const { high, low, last } of candles) {
    rsi.add(last)
    macd.add(last)
    atr.add({ high, low, close: last })
  }
  const rounded = (value: number) => Number(value.toPrecision(10))
  const lastOf = async (name: string, parameters = {}) =>
    (await valuesOf(plan(name, parameters), candles)).at(-1)
  assert.equal(await lastOf('RSI'), rounded(rsi.getResultOrThrow()))
  assert.equal(await lastOf('ATR', { interval: 14 }), rounded(atr.getResultOrThrow()))
  const { macd: line, signal, histogram } = macd.getResultOrThrow()
  assert.deepEqual(await lastOf('MACD'), {
    ...{ histogram: rounded(histogram), macd: rounded(line), signal: rounded(signal) },
  })
  assert.equal(
    await lastOf('SMA', { interval: 60 }),
    rounded(closes.reduce((sum, one) => sum + one) / closes.length),
  )
  assert.deepEqual(await valuesOf(plan('SMA', { interval: 60 }), candles.slice(1)), Array(59).fill(null))
})

test('parameters that would take much time or memory are refused, with what is allowed', () => {
  const problems: [string, Record<string, number>, RegExp][] = [
    ['toString', {}, /^There is no indicator "toString"\. There are AC, AD, /],
    ['__proto__', {}, /^There is no indicator/],
    ['rsi', {}, /^There is no indicator "rsi"/],
    ['RSI', { length: 14 }, /^RSI has no parameter "length"\. It has interval \(14\)\.$/],
    ['AD', { interval: 14 }, /^AD has no parameter "interval"\. AD has no parameters\.$/],
    ['FRAMA', { interval: 15 }, /^FRAMA cannot have these parameters\. .*even/],
    ['RSI', JSON.parse('{"__proto__": 5}'), /^RSI has no parameter "__proto__"/],
  ]
  for (const interval of [0, -1, 1.5, longestPeriod + 1, 1e9, Number.NaN, Number.POSITIVE_INFINITY]) {
    problems.push([
      'ALMA',
      { interval },
      /^The parameter interval of ALMA must be a whole number from 1 to 200/,
    ])
  }
  for (const sigma of [0, -1, 1e13, Number.NaN]) {
    problems.push([
      'ALMA',
      { sigma },
      /^The parameter sigma of ALMA must be above 0, and at most 1000000000000; it is/,
    ])
  }
  for (const [name, parameters, words] of problems) {
    const read = readIndicator(name, parameters, 1)
    assert.ok('problem' in read, `${name} ${JSON.stringify(parameters)}`)
    assert.match(read.problem, words)
  }
})

test('an indicator is computed from enough candles, and from no more than any exchange keeps', () => {
  assert.equal(plan('RSI').candles, 141)
  assert.equal(plan('AD').candles, 100)
  assert.equal(plan('SMA', { interval: 200 }).candles, 700)
})

test('no indicator holds the event loop, whatever its parameters', async () => {
  const candles = candlesOf(700)
  const worst: [ms: number, name: string][] = []
  for (const [name, { parameters: known, make }] of Object.entries(allIndicators)) {
    const longest = Object.fromEntries(
      Object.entries(known).map(([key, { kind, usual, most }]) => [key, kind === 'period' ? most : usual]),
    )
    const began = performance.now()
    const indicator = make(longest)
    for (const { open, high, low, last: close, volume } of candles) {
      indicator.add({ open, high, low, close, volume })
    }
    worst.push([performance.now() - began, name])
  }
  worst.sort(([one], [other]) => other - one)
  // All its values together. Between two of them, the service does what else is due.
  assert.ok(worst[0]![0] < 500, JSON.stringify(worst.slice(0, 5)))
})
