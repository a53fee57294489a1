import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eq } from 'drizzle-orm'
import { addUser, backtests, database, slowRequest } from '../../../test/backtest-jobs.ts'
import { longPatienceMs } from '../../../test/patience.ts'
import { DatabaseBudgets } from '../../ai/database-budgets.ts'
import { llmSettings, strategies, backtests as table } from '../../db/schema.ts'
import { ModelAnswers } from './model-answers.ts'
import { ModelDesk } from './model-desk.ts'

test('a reaction that is deleted just as its tokens are reserved is not asked, and nothing stays reserved', async () => {
  const userId = await addUser()
  const { id } = await backtests.start(userId, slowRequest(5))
  const nodeId = randomUUID()
  await database.db.update(table).set({ status: 'RUNNING', holder: nodeId }).where(eq(table.id, id))
  const [reaction] = await database.db
    .insert(strategies)
    .values({ userId, name: '', type: 'llm-reaction', code: '' })
    .returning({ id: strategies.id })
  const strategyId = reaction!.id
  const limits = { tokensPerDay: 1_000_000, actionsPerDay: 5 }
  await database.db.insert(llmSettings).values({ strategyId, prompt: '', actions: [], tools: [], ...limits })
  const budgets = new DatabaseBudgets(database)
  const asking = { userId, backtestId: id, strategyId, nodeId }
  let asked = 0
  const desk = new ModelDesk({
    providers: { ask: () => Promise.reject(new Error(`Asked ${++asked} times.`)) },
    budgets: {
      reserve: async (...args) => {
        await database.db.delete(strategies).where(eq(strategies.id, strategyId))
        return budgets.reserve(...args)
      },
      settle: (...args) => budgets.settle(...args),
    },
    ...{ asking, answers: new ModelAnswers(database, asking), budget: 1_000_000 },
    access: { connection: { serviceId: 'openai', model: 'm' } as never, fallback: null },
  })
  const question = { prompt: [], tools: [], maxOutputTokens: 100, timeoutMs: 1_000 } as never
  const ask = () =>
    desk.ask({ deliveryId: 1, isFallback: false, question }, AbortSignal.timeout(longPatienceMs))
  assert.deepEqual(await ask(), { refused: 'deleted', tokens: 0 })
  assert.deepEqual(await ask(), { refused: 'deleted', tokens: 0 })
  assert.equal(asked, 0)
})
