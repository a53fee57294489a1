/** When an order was sent, as receipts show it, whatever happens to the process that sends it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futures, makeBot } from '../../test/bot.ts'
import type { ApiAnswer, Client } from '../../test/client.ts'
import { makeConnection, startExchange, type TestExchange } from '../../test/connection.ts'
import { createEmbeddedDatabase } from '../../test/databases.ts'
import { longPatienceMs } from '../../test/patience.ts'
import { startProcess } from '../../test/process.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'

type Step = ApiAnswer['body']

/** A reaction whose signals a live bot follows. */
async function makeLiveReaction(client: Client, exchange: TestExchange) {
  exchange.standIn.trading.setBalance('USDT', '100000')
  await expect(200, client.api('PUT', '/api/v2/trading', { live_trading: true }))
  const connection = await makeConnection(client, exchange, { exchange_id: futures })
  const bot = await makeBot(client, { mode: 'live', connection_id: connection.id, amount: '1000' })
  return makeReaction(client, 'await $.Strategy.action($.Action.LONG)', { webhook_id: bot.webhookId })
}

test('an order whose process was killed before the answer keeps the time at which it was sent', async () => {
  await using exchange = await startExchange()
  await using database = await createEmbeddedDatabase()
  const { trading } = exchange.standIn
  const options = { database, env: { MARKET: 'live', LOG_LEVEL: 'error', ...exchange.env } }
  let runId = 0
  let killedAt = 0
  {
    await using service = await startProcess(options)
    const reaction = await makeLiveReaction(service, exchange)
    // The exchange accepts the order and never answers.
    trading.failNext('after-hang')
    await reaction.post({})
    const [run] = await reaction.ended(1)
    runId = run.id
    await until('the order to be taken', async () => trading.orders().length === 1)
    killedAt = Date.now()
    await service.killGroup()
  }
  await using service = await startService(options)
  const trace = () => expect(200, service.api('GET', `/api/v2/run/${runId}/trace`))
  await until(
    'the fill to be booked',
    async () => (await trace()).outcome.text.includes('1 DONE'),
    longPatienceMs,
  )
  const { steps } = await trace()
  const of = (kind: string): Step[] => steps.filter((step: Step) => step.kind === kind)
  const [order] = of('order')
  const [sent] = of('sent')
  assert.equal(sent.text, 'The bot began to send the order. The books got no answer to it.')
  assert.ok(Date.parse(order.at) <= Date.parse(sent.at) && Date.parse(sent.at) <= killedAt, sent.at)
  assert.deepEqual([of('sent').length, of('acknowledged').length, of('fill').length > 0], [1, 0, true])
})
