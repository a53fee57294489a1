import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostSteps, Timeline } from './timeline.ts'

const ids = {}

test('a step comes after its cause, however far the clocks differ, and no time goes back', () => {
  const timeline = new Timeline()
  const queued = timeline.add({ kind: 'queued', text: '', at: 10_000, ids })
  // Another node, whose clock is five seconds behind.
  const started = timeline.add(
    { kind: 'started', text: '', at: 5_000, tookMs: -5_000, runMs: -1, ids },
    queued,
  )
  timeline.add({ kind: 'ended', text: '', at: 5_100, ids }, started)
  timeline.add({ kind: 'stored', text: '', at: 9_990, ids })
  const shown = timeline.shown()
  assert.deepEqual(
    shown.map(({ kind, offset_ms }) => [kind, offset_ms]),
    [
      ['stored', 0],
      ['queued', 10],
      ['started', 10],
      ['ended', 10],
    ],
  )
  assert.equal(shown[2]!.at, new Date(5_000).toISOString(), 'the time itself is shown as it was noted')
  assert.deepEqual([shown[2]!.took_ms, shown[2]!.run_ms], [0, 0])
})

test('a step without a time stands right after its cause', () => {
  const timeline = new Timeline()
  const started = timeline.add({ kind: 'started', text: '', at: 1, ids })
  timeline.add({ kind: 'ended', text: '', at: 9, ids }, started)
  timeline.add({ kind: 'log', text: 'without a time', at: null, ids }, started)
  const shown = timeline.shown()
  assert.deepEqual(
    shown.map(({ kind }) => kind),
    ['started', 'log', 'ended'],
  )
  assert.deepEqual([shown[1]!.at, shown[1]!.offset_ms], [null, null])
})

test('a trace that is too long says how much it lacks', () => {
  const timeline = new Timeline()
  for (let at = 0; at < mostSteps + 10; at++) timeline.add({ kind: 'log', text: '', at, ids })
  timeline.endWith('Only the first 20 runs are shown.')
  const shown = timeline.shown()
  assert.deepEqual(
    shown.slice(-2).map(({ kind, text }) => [kind, text]),
    [
      ['cut', `11 further steps are not shown: a trace has at most ${mostSteps}.`],
      ['cut', 'Only the first 20 runs are shown.'],
    ],
  )
  assert.equal(shown.length, mostSteps + 1)
  assert.deepEqual(new Timeline().shown(), [])
})
