import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  deflatedSharpe,
  type Estimate,
  estimateOf,
  expectedLargest,
  leastCount,
  probabilisticSharpe,
} from './deflated-sharpe.ts'
import { normalShare, normalValue } from './normal.ts'
import { halves, overfittingOf } from './overfitting.ts'

const near = (actual: number, expected: number, within = 1e-12) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not ${expected}`)

test('the normal distribution has the values of its tables', () => {
  // Abramowitz and Stegun, table 26.1.
  for (const [value, share] of [
    [0, 0.5],
    [1, 0.841344746068543],
    [2, 0.977249868051821],
    [-1.96, 0.0249978951482204],
  ] as const) {
    near(normalShare(value), share, 1e-14)
  }
  near(normalValue(0.95), 1.6448536269514722, 1e-12)
  near(normalValue(0.975), 1.959963984540054, 1e-12)
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true }), (share) =>
      near(normalShare(normalValue(share)), share),
    ),
  )
})

/** The example of the paper: 1,250 days, and a Sharpe ratio of 2.5 a year of 250 days. */
const paper: Estimate = { sharpe: 2.5 / Math.sqrt(250), count: 1_250, skewness: -3, kurtosis: 10 }

test('the deflated Sharpe ratio of the example in The Deflated Sharpe Ratio (2014)', () => {
  // The variance of the Sharpe ratios of the trials is 1/2 a year.
  const deflated = (trials: number, estimate = paper) =>
    probabilisticSharpe(estimate, expectedLargest(trials, 0.5 / 250))
  near(expectedLargest(100, 0.5 / 250), 0.1132, 5e-5)
  near(deflated(100), 0.9004, 5e-5)
  near(deflated(46), 0.9505, 5e-5)
  near(deflated(88, { ...paper, skewness: 0, kurtosis: 3 }), 0.9505, 5e-5)
})

test('the examples in The Sharpe Ratio Efficient Frontier (2012)', () => {
  const fund: Estimate = { sharpe: 0.458, count: 24, skewness: -2.448, kurtosis: 10.164 }
  near(probabilisticSharpe(fund, 0), 0.913, 5e-4)
  near(probabilisticSharpe({ ...fund, skewness: 0, kurtosis: 3 }, 0), 0.982, 5e-4)
  const years = (aYear: number, moments = { skewness: 0, kurtosis: 3 }) => {
    const estimate = { sharpe: 2 / Math.sqrt(aYear), count: aYear, ...moments }
    return leastCount(estimate, 1 / Math.sqrt(aYear), 0.95) / aYear
  }
  near(years(252), 2.73, 5e-3)
  near(years(52), 2.83, 5e-3)
  near(years(12), 3.24, 5e-3)
  near(years(12, { skewness: -0.72, kurtosis: 5.78 }), 4.99, 5e-3)
})

test('the moments of returns, worked out by hand', () => {
  // Mean 2, deviations −1, −1, −1 and 3: their squares have the mean 3, their cubes 6, their fourth powers 21.
  const { sharpe, count, ...moments } = estimateOf([1, 1, 1, 5])
  near(sharpe, 2 / Math.sqrt(12 / 3))
  assert.equal(count, 4)
  near(moments.skewness, 6 / 3 ** 1.5)
  near(moments.kurtosis, 21 / 9)
})

test('the more trials, and the more they differ, the less a Sharpe ratio says', () => {
  const trials = (count: number, width: number) =>
    Array.from({ length: count }, (_, index) => (width * index) / count)
  const [one, few, many] = [trials(1, 0.1), trials(10, 0.1), trials(100, 0.1)].map((each) =>
    deflatedSharpe(paper, each),
  )
  assert.ok(one! > few! && few! > many!)
  near(one!, probabilisticSharpe(paper, 0))
  assert.ok(deflatedSharpe(paper, trials(10, 0.2)) < few!)
  assert.equal(leastCount(paper, paper.sharpe, 0.95), Number.POSITIVE_INFINITY)
})

test('halves are all choices of half of the blocks, each once', () => {
  assert.deepEqual(
    [...halves(4)],
    [
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 2],
      [1, 3],
      [2, 3],
    ],
  )
  assert.equal([...halves(16)].length, 12_870)
  assert.equal(new Set([...halves(8)].map(String)).size, 70)
})

/** Returns around a mean, the same for the same seed. */
function noise(seed: number, count: number, mean = 0): number[] {
  let state = seed * 7_919 + 1
  return Array.from({ length: count }, () => {
    let total = 0
    for (let draw = 0; draw < 6; draw++) {
      state = (state * 48_271) % 2_147_483_647
      total += state / 2_147_483_647 - 0.5
    }
    return mean + total / 100
  })
}

test('of trials without skill, the best one is overfitted about as often as not', () => {
  const shares = Array.from({ length: 24 }, (_, seed) => {
    const trials = Array.from({ length: 8 }, (_, trial) => noise(seed * 100 + trial, 48))
    return overfittingOf(trials)!.probability
  })
  const average = shares.reduce((all, share) => all + share) / shares.length
  assert.ok(average > 0.35 && average < 0.75, String(average))
})

test('a trial that is better at any time is no overfitting', () => {
  const trials = [...Array.from({ length: 20 }, (_, trial) => noise(trial, 320)), noise(99, 320, 0.02)]
  const found = overfittingOf(trials)!
  assert.deepEqual([found.probability, found.lossProbability, found.splits, found.blocks], [0, 0, 12_870, 16])
})

test('a trial that is best only where it is chosen is overfitted in every split', () => {
  // Each trial gains in one half of four blocks and loses in the other: the best half is the worst outside.
  const trials = [...halves(4)].map((chosen) =>
    Array.from({ length: 16 }, (_, day) => (chosen.includes(Math.floor(day / 4)) ? 1 : -1) + (day % 4) / 100),
  )
  const found = overfittingOf(trials)!
  assert.deepEqual([found.probability, found.lossProbability, found.splits, found.blocks], [1, 1, 6, 4])
})

test('too few trials or days have no probability, and of equal trials none is better than the others', () => {
  assert.equal(overfittingOf([noise(1, 100)]), null)
  assert.equal(overfittingOf([noise(1, 15), noise(2, 15)]), null)
  assert.equal(overfittingOf([noise(1, 100), noise(1, 100)])!.probability, 1)
  assert.equal(overfittingOf([new Array(100).fill(0), new Array(100).fill(0)])!.lossProbability, 0)
})
