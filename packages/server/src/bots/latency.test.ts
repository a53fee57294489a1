/** The time from a signal to the order of a paper bot. */
import assert from 'node:assert/strict'
import { makeBot } from '../../test/bot.ts'
import { withDatabase } from '../../test/databases.ts'
import { inBacktest, onPaper, type Step } from '../../test/paper-and-backtest.ts'
import { expect } from '../../test/reaction.ts'
import { withAccount } from '../../test/with-service.ts'

const costs = { feeRate: '0.0007', slippageRate: '0.0003', spreadRate: '0.0011', amount: '199' }

withDatabase(
  'with a latency, a paper bot gets the price that holds after it, as a backtest does',
  async (database) => {
    const steps: Step[] = [
      { price: '101.3', signal: 'LONG' },
      { price: '97.1', signal: 'SHORT' },
      { price: '133.9', signal: 'EXIT' },
      { price: '88.7' },
      { price: '64', signal: 'SHORT' },
      { price: '104.2' },
    ]
    const latencyMs = 60_000
    const paper = await onPaper(database, { ...costs, latencyMs }, steps)
    assert.deepEqual(paper, await inBacktest(costs, steps, { latencyMs }))
    assert.equal(paper.fills.length, 5)
    assert.notDeepEqual(paper.fills, (await inBacktest(costs, steps)).fills)
  },
)

withAccount('a signal waits for the delay of a paper bot and then for its latency', async (client) => {
  const path = (id: number) => `/api/v2/bot/signal/cex/${id}`
  const bot = await makeBot(client, { latency_ms: 250 })
  const buy = { symbol: 'BTCUSDT', side: 'BUY' }
  const dueMs = async () => {
    const { body: posted } = await bot.send(buy)
    const [delayed] = await expect(200, client.api('GET', `${path(bot.id)}/signals`))
    return Date.parse(delayed.due_at) - Date.parse(posted.received_at)
  }
  assert.equal((await bot.read()).latency_ms, 250)
  assert.equal(await dueMs(), 250)
  const [followed] = await bot.followed(1)
  assert.equal(followed!.status, 'DONE')
  const [order] = await bot.orders()
  const [first] = await expect(200, client.api('GET', `${path(bot.id)}/signals`))
  assert.ok(order.created_at >= first.due_at, `${order.created_at} is before ${first.due_at}`)
  await expect(200, client.api('PUT', path(bot.id), { latency_ms: 3_600_000, delay_seconds: 60 }))
  assert.equal(await dueMs(), 3_660_000)
  // What waits already follows the new latency.
  await expect(200, client.api('PUT', path(bot.id), { latency_ms: 0, delay_seconds: 0 }))
  await bot.followed(2)
  for (const latency_ms of [-1, 3_600_001, 1.5, '5', null]) {
    const { details } = await expect(400, client.api('PUT', path(bot.id), { latency_ms }))
    assert.equal(details[0].field, 'body.latency_ms')
  }
})
