import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median, middleMean, percentile, spread } from './statistics.ts'

test('a percentile is the smallest value that the given share does not exceed', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
  assert.equal(percentile(hundred, 0.5), 50)
  assert.equal(percentile(hundred, 0.99), 99)
  assert.equal(percentile(hundred, 1), 100)
  assert.equal(percentile(hundred, 0), 1)
})

test('a high percentile of few values is the largest of them', () => {
  assert.equal(percentile([5], 0.5), 5)
  assert.equal(percentile([1, 2, 3], 0.99), 3)
  assert.equal(percentile([3, 1], 0.5), 1)
})

test('values are sorted as numbers, and the input does not change', () => {
  const values = [10, 9, 1]
  assert.equal(median(values), 9)
  assert.deepEqual(values, [10, 9, 1])
})

test('the median of an even number of values is the mean of the two in the middle', () => {
  assert.equal(median([4, 1, 3, 2]), 2.5)
})

test('a spread names the median and both ends', () => {
  assert.deepEqual(spread([7, 3, 5]), { median: 5, least: 3, most: 7 })
})

test('no values are an error, not a figure', () => {
  assert.throws(() => percentile([], 0.5), RangeError)
  assert.throws(() => median([]), RangeError)
})

test('the mean of the middle half moves with single values, and not with outliers', () => {
  assert.equal(middleMean([6, 6, 6, 6]), 6)
  assert.equal(middleMean([5, 6, 7, 1_000]), 6.5)
  assert.equal(middleMean([7]), 7)
  assert.equal(middleMean([3, 1, 2]), 2)
  assert.throws(() => middleMean([]), RangeError)
})
