import assert from 'node:assert/strict'
import { test } from 'node:test'
import { everyCombination, randomCombinations } from './combinations.ts'
import { neighbourhoodOf } from './neighbours.ts'
import { combinationsOf } from './plan.ts'

const axes = { FAST: ['5', '10', '20'], SLOW: ['50', '100'] }

test('a grid has every combination once', () => {
  const sets = everyCombination(axes)
  assert.equal(sets.length, 6)
  assert.deepEqual(sets.slice(0, 3), [
    { FAST: '5', SLOW: '50' },
    { FAST: '5', SLOW: '100' },
    { FAST: '10', SLOW: '50' },
  ])
  assert.deepEqual(everyCombination({}), [{}])
})

test('random combinations differ, and only the seed chooses them, of however many there are', () => {
  const many = Object.fromEntries(
    ['A', 'B', 'C', 'D', 'E'].map((name) => [name, Array.from({ length: 500 }, (_, value) => String(value))]),
  )
  const drawn = randomCombinations(many, 1_000, 7)
  assert.equal(new Set(drawn.map((set) => JSON.stringify(set))).size, 1_000)
  assert.deepEqual(drawn, randomCombinations(many, 1_000, 7))
  assert.notDeepEqual(drawn, randomCombinations(many, 1_000, 8))
  // Each value of a parameter is as likely as any other: of 1,000 draws, some 500 are in the lower half.
  const low = drawn.filter(({ A }) => Number(A) < 250).length
  assert.ok(low > 400 && low < 600, String(low))
  assert.equal(randomCombinations(axes, 5, 1).length, 5)
  assert.deepEqual(randomCombinations(axes, 6, 1), everyCombination(axes))
})

test('the neighbours of the best differ from it by one value of one parameter', () => {
  const results: Record<string, number> = {
    '5 50': 1,
    '10 50': 9,
    '20 50': 4,
    '5 100': 2,
    '10 100': 5,
    '20 100': 3,
  }
  const trials = everyCombination(axes).map((parameters) => {
    return { parameters, result: results[`${parameters.FAST} ${parameters.SLOW}`]! }
  })
  const { best, neighbours, mean } = neighbourhoodOf(trials, axes)!
  assert.deepEqual(best.parameters, { FAST: '10', SLOW: '50' })
  assert.deepEqual(
    neighbours.map(({ parameter, value, change }) => [parameter, value, change]),
    [
      ['FAST', '5', -8],
      ['FAST', '20', -5],
      ['SLOW', '100', -4],
    ],
  )
  assert.equal(mean, 10 / 3)
  // What was not tried is no neighbour.
  assert.deepEqual(neighbourhoodOf([trials[0]!], axes)!.neighbours, [])
  assert.equal(neighbourhoodOf([], axes), null)
})

test('combinations with the same parameters follow one another, so that the code runs once for them', () => {
  const axes = [
    { of: 'setting' as const, name: 'fee_rate', values: ['0', '0.1'] },
    { of: 'parameter' as const, name: 'fee_rate', values: ['1', '2', '3'] },
  ]
  const grid = combinationsOf({ axes, sets: null, random: null }, 1)
  assert.deepEqual(grid.slice(0, 3), [
    { parameters: { fee_rate: '1' }, settings: { fee_rate: '0' } },
    { parameters: { fee_rate: '1' }, settings: { fee_rate: '0.1' } },
    { parameters: { fee_rate: '2' }, settings: { fee_rate: '0' } },
  ])
  const random = combinationsOf({ axes, sets: null, random: 5 }, 1)
  const order = random.map(({ parameters }) => parameters.fee_rate)
  assert.equal(random.length, 5)
  assert.equal(order.filter((value, index) => value !== order[index - 1]).length, new Set(order).size)
  const sets = [{ fee_rate: '3' }, { fee_rate: '1' }]
  assert.deepEqual(
    combinationsOf({ axes, sets, random: null }, 1).map(({ parameters }) => parameters.fee_rate),
    ['3', '3', '1', '1'],
  )
})
