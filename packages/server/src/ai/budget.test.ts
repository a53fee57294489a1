import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { answerJson, call, type Reply, says, startProvider } from '../../test/ai/stand-in.ts'
import { thinkWith } from '../../test/ai/thinking.ts'
import { MemoryBudgets, RunBudget } from './budget.ts'

const now = new Date(Date.UTC(2026, 0, 2, 23, 59))
const key = '1 2026-01-02'

function budgetOf(tokens: number, actions: number) {
  const store = new MemoryBudgets()
  const budget = new RunBudget(store, { strategyId: 1, limits: { tokens, actions }, now })
  return { store, budget, spent: () => store.spent(key) }
}

test('simultaneous runs never reserve more than the budget, and return what they do not use', async () => {
  const step = fc.record({ wanted: fc.nat(400), share: fc.double({ min: 0, max: 1, noNaN: true }) })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 5 }), { maxLength: 8 }), async (runs) => {
      const { budget, spent } = budgetOf(1_000, 10)
      let used = 0
      const run = async (steps: (typeof runs)[number]) => {
        for (const { wanted, share } of steps) {
          const settle = await budget.reserve({ tokens: wanted, actions: 0 })
          assert.ok(spent().tokens <= 1_000)
          if (settle === null) continue
          await Promise.resolve()
          const tokens = Math.floor(wanted * share)
          used += tokens
          await settle({ tokens, actions: 0 })
          await settle({ tokens, actions: 0 })
        }
      }
      await Promise.all(runs.map(run))
      assert.equal(spent().tokens, used)
    }),
  )
})

const long = call('open_position', { direction: 'LONG' })
const failing =
  (status: number): Reply =>
  (response) =>
    answerJson(response, status, { error: 'no' })

test('a run counts the tokens that the provider reports, or else the highest possible number', async () => {
  const tokens = { input: 300, output: 50 }
  const cases: [what: string, reply: Reply, counts: (spent: number) => boolean][] = [
    ['told', { text: 'No.', tokens }, (spent) => spent === 350],
    ['not told', { text: 'No.', tokens: null }, (spent) => spent > 2_048],
    ['nonsense', { text: 'No.', tokens: { input: -5, output: 1e12 } }, (spent) => spent > 2_048],
    ['refused', { end: 'refusal', tokens }, (spent) => spent === 350],
    ['429', failing(429), (spent) => spent === 0],
    ['500', failing(500), (spent) => spent === 0],
    ['late', () => {}, (spent) => spent > 2_048],
    ['cut', (response) => void response.socket!.destroy(), (spent) => spent > 2_048],
  ]
  for (const [what, reply, counts] of cases) {
    await using provider = await startProvider('openai', says(reply))
    const { budget, spent } = budgetOf(1e6, 1)
    const limits = what === 'late' ? { callTimeoutMs: 300 } : {}
    const outcome = await thinkWith(provider, { budget, limits })
    assert.ok(counts(spent().tokens), `${what}: ${spent().tokens}`)
    assert.equal(outcome.tokens.input + outcome.tokens.output, spent().tokens, what)
  }
})

test('a provider that cannot be reached costs nothing', async () => {
  const provider = await startProvider('openai', says())
  await provider[Symbol.asyncDispose]()
  const { budget, spent } = budgetOf(1e6, 1)
  const { failure } = await thinkWith(provider, { budget })
  assert.equal(failure!.kind, 'unreachable')
  assert.equal(spent().tokens, 0)
})

test('a model is not asked if its answer could exceed the budget', async () => {
  await using provider = await startProvider(
    'anthropic',
    says({ calls: [call('get_storage')] }, { calls: [long] }),
  )
  const none = await thinkWith(provider, { budget: budgetOf(2_000, 1).budget })
  assert.equal(none.failure!.kind, 'budget')
  assert.match(none.failure!.message, /up to \d+,\d{3} tokens, but fewer are left/)
  assert.equal(provider.questions.length, 0)
  // Enough for one answer, but the first one uses nearly all of it.
  provider.questions.length = 0
  await using greedy = await startProvider(
    'openai',
    says({ calls: [call('get_storage')], tokens: { input: 19_000, output: 900 } }, { calls: [long] }),
  )
  const { budget, spent } = budgetOf(20_000, 1)
  const one = await thinkWith(greedy, { budget })
  assert.equal(one.failure!.kind, 'budget')
  assert.equal(greedy.questions.length, 1)
  assert.equal(one.actions.length, 0)
  assert.equal(spent().tokens, 19_900)
})

test('only as many of the simultaneous runs act as the day allows', async () => {
  await using provider = await startProvider('google', says({ calls: [long] }))
  const { budget, spent } = budgetOf(1e6, 3)
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => thinkWith(provider, { budget })))
  assert.equal(outcomes.filter(({ action }) => action !== null).length, 3)
  assert.equal(outcomes.filter(({ failure }) => failure?.kind === 'budget').length, 5)
  assert.equal(spent().actions, 3)
})

test('each day and each reaction has its own budget', async () => {
  const store = new MemoryBudgets()
  const limits = { tokens: 10, actions: 1 }
  const all = { tokens: 10, actions: 0 }
  const of = (strategyId: number, at: Date) => new RunBudget(store, { strategyId, limits, now: at })
  assert.notEqual(await of(1, now).reserve(all), null)
  assert.equal(await of(1, now).reserve(all), null)
  assert.notEqual(await of(2, now).reserve(all), null)
  assert.notEqual(await of(1, new Date(now.getTime() + 60_000)).reserve(all), null)
})
