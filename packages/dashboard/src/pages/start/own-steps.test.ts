import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownSteps, ownStrategy, type Strategy } from './own-steps.ts'

const strategy = (values: Partial<Strategy> = {}): Strategy => ({
  id: 5,
  type: 'code-strategy',
  name: 'Mine',
  status: 'ACTIVE',
  send_signal: true,
  webhook_id: 1,
  ...values,
})
const bot = (values = {}) =>
  ({ id: 2, name: 'Bot', mode: 'paper', status: 'ACTIVE', webhook_id: 1, ...values }) as const
const signal = (status: string, reason: string | null = null) =>
  ({ bots: [{ status, reason }], reason: null }) as unknown as Parameters<typeof ownSteps>[2][number]

test('the example is not the own strategy, and one that a bot follows comes first', () => {
  assert.equal(ownStrategy([strategy({ name: 'Example' })], []), undefined)
  const [old, late] = [strategy({ id: 3 }), strategy({ id: 9, webhook_id: null })]
  assert.equal(ownStrategy([old, late], [])?.id, 9)
  assert.equal(ownStrategy([old, late], [bot()])?.id, 3)
})

test('each step is done by what the service says', () => {
  assert.deepEqual(ownSteps(undefined, [bot()], []).done, [false, false, false])
  assert.deepEqual(ownSteps(strategy(), [], []).done, [true, false, false])
  assert.deepEqual(ownSteps(strategy(), [bot({ mode: 'live' })], []).done, [true, false, false])
  assert.deepEqual(ownSteps(strategy(), [bot()], []).done, [true, true, false])
  assert.deepEqual(ownSteps(strategy(), [bot()], [signal('DONE')]).done, [true, true, true])
})

test('what keeps a step from being done is named', () => {
  const problems = (
    own: Strategy,
    bots: ReturnType<typeof bot>[],
    signals: ReturnType<typeof signal>[] = [],
  ) => {
    const { botProblem, actProblem } = ownSteps(own, bots, signals)
    return [botProblem, actProblem]
  }
  assert.deepEqual(problems(strategy({ send_signal: false }), [bot()]), ['sends-nothing', null])
  assert.deepEqual(problems(strategy(), [bot({ webhook_id: 8 })]), ['no-bot', null])
  assert.deepEqual(problems(strategy({ status: 'INACTIVE' }), [bot()]), [null, 'strategy-off'])
  assert.deepEqual(problems(strategy({ status: 'SUSPENDED' }), [bot()]), [null, 'suspended'])
  assert.deepEqual(problems(strategy(), [bot({ status: 'INACTIVE' })]), [null, 'bot-off'])
  assert.deepEqual(problems(strategy(), [bot()]), [null, 'no-signal'])
  assert.deepEqual(problems(strategy(), [bot()], [signal('REFUSED', 'Too large.')]), [null, 'not-followed'])
  assert.equal(ownSteps(strategy(), [bot()], [signal('REFUSED', 'Too large.')]).reason, 'Too large.')
})
