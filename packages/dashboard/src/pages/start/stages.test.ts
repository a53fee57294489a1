import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DeliveryTrace, stagesOf, timeToFill } from './stages.ts'

const step = (kind: string, offset_ms: number, ids = {}) => ({
  kind,
  text: `${kind}!`,
  at: null,
  offset_ms,
  run_ms: null,
  took_ms: null,
  reason: null,
  ...ids,
})
const trace = (status: string, steps: object[], reasons: string[] = []) =>
  ({ steps, outcome: { status, text: 'The outcome.', reasons } }) as unknown as DeliveryTrace
const states = (of: DeliveryTrace | undefined) => stagesOf(of).map(({ state }) => state)

const stored = [step('received', 0, { delivery_id: 1 }), step('stored', 2, { delivery_id: 1 })]
const ran = [...stored, step('started', 5, { run_id: 2 }), step('ended', 9, { run_id: 2 })]
const filled = [
  ...ran,
  step('signal', 8, { signal_id: 3 }),
  step('order', 12, { order_id: 4, bot_id: 7 }),
  step('sent', 13, { order_id: 4, bot_id: 7 }),
  step('fill', 15, { order_id: 4, fill_id: 5, bot_id: 7 }),
]

test('stages are done as their steps are there, each with its time and its record', () => {
  assert.deepEqual(states(undefined), Array(5).fill('waiting'))
  assert.deepEqual(states(trace('OPEN', ran)), ['done', 'done', 'waiting', 'waiting', 'waiting'])
  const stages = stagesOf(trace('DONE', filled))
  assert.deepEqual(
    stages.map(({ name, state, afterMs, id }) => [name, state, afterMs, id]),
    [
      ['delivery', 'done', 2, 1],
      ['run', 'done', 5, 2],
      ['signal', 'done', 8, 3],
      ['order', 'done', 13, 4],
      ['fill', 'done', 15, 5],
    ],
  )
  assert.equal(stages[2]!.botId, 7)
  assert.equal(timeToFill(trace('DONE', filled)), 15)
  assert.equal(timeToFill(trace('DONE', ran)), null)
})

test('once all is over, the first stage that is missing says why', () => {
  const [, , signal, order] = stagesOf(trace('DONE', ran, ['The code sent no action.']))
  assert.deepEqual([signal!.state, signal!.reason], ['missing', 'The code sent no action.'])
  assert.deepEqual([order!.state, order!.reason], ['missing', null])
  const [, run] = stagesOf(trace('IGNORED', stored))
  assert.equal(run!.reason, 'The outcome.')
})
