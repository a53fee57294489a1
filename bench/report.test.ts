import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Measured } from './measure.ts'
import { againstFloor, formatSection, latenciesAgainstFloor, type Row } from './report.ts'

const floor: Measured = {
  name: 'floor',
  perSecond: { median: 20_000, least: 19_000, most: 21_000 },
  perCpuSecond: 25_000,
  p50Ms: 2,
  p99Ms: 12.34,
}
const ours: Measured = {
  ...floor,
  name: 'ours',
  perSecond: { median: 9_000, least: 8_000, most: 9_500 },
  perCpuSecond: null,
}

test('a figure is compared with its floor by the ratio of the medians', () => {
  const row = againstFloor(ours, floor, { ratio: 0.4 })
  assert.equal(row.ratio, 0.45)
  assert.equal(row.cpuRatio, null)
  assert.deepEqual(row.target, { text: 'at least 0.4 of the floor', met: true })
})

test('a target that is almost reached is missed', () => {
  assert.equal(againstFloor(ours, floor, { ratio: 0.46 }).target?.met, false)
})

test('a target by CPU time is part of the target where CPU time is known', () => {
  const least = { ratio: 0.4, cpuRatio: 0.5 }
  const text = 'at least 0.4 of the floor, 0.5 by CPU'
  const of = (perCpuSecond: number | null) => againstFloor({ ...ours, perCpuSecond }, floor, least).target
  assert.deepEqual(of(12_500), { text, met: true })
  assert.deepEqual(of(12_400), { text, met: false })
  assert.deepEqual(of(null), { text: 'at least 0.4 of the floor', met: true })
})

test('latencies are compared with their floor percentile by percentile', () => {
  const most = { p50: 1.5, p99: 1.2 }
  const row = latenciesAgainstFloor({ name: 'ours', p50Ms: 3, p99Ms: 24 }, { ...floor, p99Ms: 20 }, most)
  assert.deepEqual([row.p50Times, row.p99Times], [1.5, 1.2])
  assert.deepEqual(row.target, { text: 'p50 at most 1.5 times that of the floor, p99 1.2 times', met: true })
  for (const slower of [{ p50Ms: 3.1 }, { p99Ms: 24.1 }]) {
    const ours = { name: 'ours', p50Ms: 3, p99Ms: 24, ...slower }
    assert.equal(latenciesAgainstFloor(ours, { ...floor, p99Ms: 20 }, most).target?.met, false)
  }
})

test('a section is a table without empty columns', () => {
  const text = formatSection({
    bench: 'ingest',
    title: 'what it is',
    rows: [{ ...floor, perCpuSecond: null }, againstFloor(ours, floor, { ratio: 0.5 })],
  })
  assert.deepEqual(text.split('\n'), [
    'ingest: what it is',
    '                             rate     p50    p99  of the floor  target',
    '  floor  20,000/s [19,000-21,000]  2.0 ms  12 ms',
    '  ours      9,000/s [8,000-9,500]  2.0 ms  12 ms          0.45  MISSED: at least 0.5 of the floor',
  ])
})

test('processor time, memory and comparisons have columns of their own', () => {
  const rows: Row[] = [
    { name: 'ours', ownCpuMs: 0.05, othersCpuMs: 0.154, p50Ms: 0.2, mostMs: 1700 },
    { name: 'ours : floor', times: 1.256 },
    { name: 'idle', memoryMb: 3.45 },
  ]
  assert.deepEqual(formatSection({ bench: 'sandbox', title: 'what it is', rows }).split('\n').slice(1), [
    '                own CPU  executor CPU      p50  slowest  times  memory',
    '  ours          0.05 ms       0.15 ms  0.20 ms  1700 ms',
    '  ours : floor                                            1.26',
    '  idle                                                          3.5 MB',
  ])
})
