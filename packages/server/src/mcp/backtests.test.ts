/** An agent that tests a strategy on candles of the past. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../test/client.ts'
import { connectAgent, makeAgentKey } from '../../test/mcp.ts'
import { longPatienceMs } from '../../test/patience.ts'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'
import { until } from '../../test/until.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { NewBacktest } from '../backtests/jobs/fields.ts'
import { backtestTools } from './backtest-tools.ts'

const rows = ['100,100,100,100', '100,110,100,110', '110,120,110,120']
const csv = ['time,open,high,low,close', ...rows.map((row, hour) => `2026-01-01T0${hour}:00Z,${row}`)].join(
  '\n',
)
const code = `if ($.Price.price < Number($.Env.BELOW)) await $.Strategy.action('LONG')`

/** Their candles, as a series of the account. */
async function makeSeries({ api }: Pick<Client, 'api'>): Promise<number> {
  const series = { name: 'Mine', symbol: 'BTC/USDT', interval: '1h' }
  const { id } = await expect(201, api('POST', '/api/v2/candle', series))
  await expect(200, api('POST', `/api/v2/candle/${id}/import`, { csv }))
  return id
}

/** What the tool says about a backtest that has ended. */
async function endOf(agent: Awaited<ReturnType<typeof connectAgent>>, id: number) {
  let read = await agent.ask('get_backtest', { id })
  const isOver = async () => {
    read = await agent.ask('get_backtest', { id })
    return read.finished_at !== undefined
  }
  await until('the report', isOver, 3 * longPatienceMs)
  assert.equal(read.status, 'FINISHED', JSON.stringify(read))
  return read
}

withSharedAccount(
  'an agent starts a backtest, and reads its figures and doubts',
  async (account, service) => {
    const candle_id = await makeSeries(account)
    const { token } = await makeAgentKey(account, 'write')
    await using agent = await connectAgent(service.url, token)
    const bots = [{ name: 'free', amount: '100', fee_rate: '0', slippage_rate: '0' }]
    const input = { candle_id, code, parameters: { BELOW: 105 }, bots }
    const { id } = await agent.ask('start_backtest', input)
    const { report } = await endOf(agent, id)
    // Bought at 100, and worth 120 at the end.
    assert.deepEqual([report.start_equity, report.end_equity, report.quote], [10_000, 10_020, 'USDT'])
    const figure = report.figures.find(({ label }: { label: string }) => label === 'Return')
    assert.deepEqual([figure.unit, figure.value], ['percent', 0.2])
    assert.ok(report.checks.some(({ verdict }: { verdict: string }) => verdict === 'doubt'))
    const { items } = await agent.ask('list_backtests')
    assert.deepEqual([items[0].id, items[0].bots[0].result.end_equity], [id, 10_020])
    const missing = await agent.call('get_backtest', { id, bot: 2 })
    assert.ok(missing.isError && missing.text.includes('bot'), missing.text)
    await using stranger = await connectAgent(service.url, (await makeAgentKey(service)).token)
    const refused = await stranger.call('get_backtest', { id })
    assert.equal(refused.value.code, 'resource_not_found')
  },
)

withSharedAccount(
  'an agent starts a sweep, and reads which combinations were the best',
  async (account, service) => {
    const candle_id = await makeSeries(account)
    const { token } = await makeAgentKey(account, 'write')
    await using agent = await connectAgent(service.url, token)
    const sweep = { parameters: { BELOW: [50, 105, 115] }, settings: { fee_rate: ['0', '0.01'] } }
    const asked = { candle_id, code, sweep, bots: [{ amount: '100', slippage_rate: '0' }] }
    assert.ok((await agent.ask('start_backtest', { ...asked, estimate: true })).seconds >= 0)
    const wrong = await agent.call('start_backtest', { ...asked, sweep: { random: 3 } })
    assert.ok(wrong.isError && wrong.text.includes('sweep'), wrong.text)
    const { id } = await agent.ask('start_backtest', asked)
    const { report, sweep: found } = await endOf(agent, id)
    assert.deepEqual([found.combinations, found.objective, found.ranking.length], [6, 'return_percent', 6])
    // Bought at 100 without a fee, and worth 120 at the end. With 115 it buys no more, and with 50 it never does.
    const { parameters, settings, return_percent, trades } = found.ranking[0]
    assert.deepEqual(
      [parameters, settings, return_percent, trades],
      [{ BELOW: '105' }, { fee_rate: '0' }, 0.2, 0],
    )
    assert.ok(found.median > 0 && found.median < 0.2, `${found.median}`)
    assert.equal(report.end_equity, 10_020)
    assert.ok(
      found.neighbours.some(
        ({ name, change }: { name: string; change: number }) => name === 'fee_rate' && change < 0,
      ),
    )
  },
)

test('an agent can give every field that a request for a backtest has', () => {
  const { input } = backtestTools.find(({ name }) => name === 'start_backtest')!
  assert.deepEqual(Object.keys(input.properties).sort(), Object.keys(NewBacktest.properties).sort())
})

/** So short that the candles have ended soon after the deliveries. */
const candleMs = 250

withSharedAccount(
  'an agent starts backtests on deliveries and on signals, with candles of its own',
  async (account, service) => {
    const { token } = await makeAgentKey(account, 'write')
    await using agent = await connectAgent(service.url, token)
    const webhook = await makeWebhook(account)
    const bots = await expect(201, account.api('POST', '/api/v2/webhook/bot', { name: 'Signals' }))
    const firstMs = Math.floor(Date.now() / candleMs) * candleMs - 4 * candleMs
    await expect(202, webhook.post({ do: 'buy' }))
    const signal = { symbol: 'BTCUSDT', side: 'BUY' }
    await expect(202, account.api('POST', `/api/v2/webhook/bot/${bots.id}/signal`, signal))
    const candles = Array.from({ length: Math.ceil((Date.now() - firstMs) / candleMs) + 4 }, (_, index) => [
      firstMs + index * candleMs,
      100,
      100,
      100,
      100,
    ])
    const endMs = candles.at(-1)![0]! + candleMs
    await until('the end of the candles', () => Promise.resolve(Date.now() > endMs))
    const market = { symbol: 'BTC/USDT', candles, bots: [{ amount: '100' }] }
    const onDeliveries = {
      ...{ ...market, source: 'deliveries', webhook_id: webhook.id },
      code: `if ($.Request.data.includes('buy')) await $.Strategy.action('LONG')`,
    }
    const estimate = await agent.ask('start_backtest', { ...onDeliveries, estimate: true })
    assert.deepEqual([estimate.deliveries, estimate.runs], [1, 1])
    const missing = await agent.call('start_backtest', { ...onDeliveries, webhook_id: undefined })
    assert.ok(missing.isError && missing.text.includes('webhook_id'), missing.text)
    const foreign = await agent.call('start_backtest', { ...onDeliveries, webhook_id: 2 ** 31 - 1 })
    assert.equal(foreign.value.code, 'resource_not_found')
    const onSignals = { ...market, source: 'signals', bot_webhook_id: bots.id }
    for (const request of [onDeliveries, onSignals]) {
      const { id } = await agent.ask('start_backtest', request)
      const { source, report } = await endOf(agent, id)
      assert.deepEqual([source, report.signals.DONE, report.fills], [request.source, 1, 1])
    }
  },
)
