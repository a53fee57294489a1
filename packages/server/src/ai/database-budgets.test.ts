import assert from 'node:assert/strict'
import { and, eq } from 'drizzle-orm'
import { makeThinker } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { call, says } from '../../test/ai/stand-in.ts'
import { withDatabase } from '../../test/databases.ts'
import { startAddressOf } from '../../test/one-address.ts'
import { patienceMs } from '../../test/patience.ts'
import { expect } from '../../test/reaction.ts'
import { isDatabaseAway } from '../base/failures.ts'
import type { Database } from '../db/database.ts'
import { openDatabase } from '../db/open.ts'
import { aiSpending, strategies, users } from '../db/schema.ts'
import { RunBudget, type Spend } from './budget.ts'
import { DatabaseBudgets } from './database-budgets.ts'

async function addReaction({ db }: Database): Promise<number> {
  const [user] = await db
    .insert(users)
    .values({ email: 'a@example.com', passwordHash: '', role: 'user' })
    .returning()
  const strategy = { userId: user!.id, type: 'llm-reaction', name: '', code: '' } as const
  const [made] = await db.insert(strategies).values(strategy).returning()
  return made!.id
}

async function spentOn({ db }: Database, strategyId: number, day: string): Promise<Spend | undefined> {
  const { tokens, actions } = aiSpending
  const ofDay = and(eq(aiSpending.strategyId, strategyId), eq(aiSpending.day, day))
  const [row] = await db.select({ tokens, actions }).from(aiSpending).where(ofDay)
  return row
}

withDatabase("fifty at once spend a day's budget to its last token and not one more", async (place) => {
  const first = await place.open()
  const nodes = [first, await place.open()]
  const stores = nodes.map((node) => new DatabaseBudgets(node))
  const strategyId = await addReaction(first)
  const now = new Date('2030-01-02T23:59:59Z')
  const limits = { tokens: 1_000, actions: 7 }
  const budgetOf = (index: number) =>
    new RunBudget(stores[index % stores.length]!, { strategyId, limits, now })

  const each = { tokens: 100, actions: 0 }
  const asked = await Promise.all(Array.from({ length: 50 }, (_, index) => budgetOf(index).reserve(each)))
  const granted = asked.filter((settle) => settle !== null)
  assert.equal(granted.length, 10)
  assert.deepEqual(await spentOn(first, strategyId, '2030-01-02'), { tokens: 1_000, actions: 0 })

  for (const settle of granted) await settle({ tokens: 40, actions: 0 })
  assert.deepEqual(await spentOn(first, strategyId, '2030-01-02'), { tokens: 400, actions: 0 })
  assert.equal(await budgetOf(0).reserve({ tokens: 601, actions: 0 }), null)
  assert.notEqual(await budgetOf(0).reserve({ tokens: 600, actions: 0 }), null)

  const actions = await Promise.all(
    Array.from({ length: 50 }, (_, index) => budgetOf(index).reserve({ tokens: 0, actions: 1 })),
  )
  assert.equal(actions.filter((settle) => settle !== null).length, 7)
  assert.deepEqual(await spentOn(first, strategyId, '2030-01-02'), { tokens: 1_000, actions: 7 })

  const tomorrow = new RunBudget(stores[0]!, { strategyId, limits, now: new Date('2030-01-03T00:00:00Z') })
  assert.equal(await tomorrow.reserve({ tokens: 1_001, actions: 0 }), null)
  assert.notEqual(await tomorrow.reserve({ tokens: 1_000, actions: 0 }), null)
})

withDatabase('a reservation whose answer is lost counts once, and so does its settlement', async (place) => {
  const direct = await place.open()
  const strategyId = await addReaction(direct)
  const { address, url } = await startAddressOf(place.databaseUrl)
  await using _address = address
  const database = await openDatabase(url, () => undefined)
  const now = new Date('2030-01-02T12:00:00Z')
  const limits = { tokens: 1_000, actions: 7 }
  const budget = new RunBudget(new DatabaseBudgets(database), { strategyId, limits, now })
  const signal = AbortSignal.timeout(patienceMs)
  const spent = () => spentOn(direct, strategyId, '2030-01-02')

  address.loseAnswerTo('commit')
  const settle = await budget.reserve({ tokens: 600, actions: 1 }, signal)
  assert.deepEqual(await spent(), { tokens: 600, actions: 1 })
  address.loseAnswerTo('commit')
  await settle!({ tokens: 200, actions: 1 })
  assert.deepEqual(await spent(), { tokens: 200, actions: 1 })

  address.loseAnswerTo('commit')
  await assert.rejects(budget.reserve({ tokens: 1, actions: 0 }), isDatabaseAway, 'without a signal')
  await database.close()
})

withProvider(
  'simultaneous payloads use the budget up exactly, and runs beyond it do not ask the model',
  async ({ account, provider, setModel }) => {
    // A question with this prompt reserves about 8,000 tokens, and the provider reports 5,000 for each answer.
    setModel(() => ({ text: 'No.', tokens: { input: 4_900, output: 100 } }))
    const reaction = await makeThinker(account, provider, { tokens_per_day: 30_000 })
    provider.questions.length = 0
    await Promise.all(Array.from({ length: 50 }, (_, n) => reaction.post({ n })))
    const runs = await reaction.ended(50)
    const done = runs.filter(({ status }) => status === 'SUCCEEDED')
    const refused = runs.filter(({ error }) => error?.name === 'budget')
    assert.equal(done.length + refused.length, 50)
    assert.equal(provider.questions.length, done.length)
    assert.ok(done.length >= 4 && done.length * 5_000 <= 30_000, `${done.length} answers`)
    // The runs were in order: after the first that found the budget used up, all did.
    assert.deepEqual(
      runs.map(({ status }) => status),
      [...done, ...refused].map(({ status }) => status),
    )
  },
)

withProvider('actions beyond the budget of a day are not sent', async ({ account, provider, setModel }) => {
  const reaction = await makeThinker(account, provider, { actions_per_day: 2 })
  setModel(says({ calls: [call('open_position', { direction: 'LONG' })] }))
  for (let n = 0; n < 4; n++) await reaction.post({ n })
  const runs = await reaction.ended(4)
  assert.deepEqual(
    runs.map(({ status, error }) => error?.name ?? status),
    ['SUCCEEDED', 'SUCCEEDED', 'budget', 'budget'],
  )
  const signals = await expect(200, account.api('GET', `/api/v2/signal?strategy_id=${reaction.id}`))
  assert.equal(signals.length, 2)
})
