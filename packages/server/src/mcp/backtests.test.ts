/** An agent that tests a strategy on candles of the past. */
import assert from 'node:assert/strict'
import { connectAgent, makeAgentKey } from '../../test/mcp.ts'
import { longPatienceMs } from '../../test/patience.ts'
import { expect } from '../../test/reaction.ts'
import { withSharedAccount } from '../../test/shared-account.ts'
import { until } from '../../test/until.ts'

const rows = ['100,100,100,100', '100,110,100,110', '110,120,110,120']
const csv = ['time,open,high,low,close', ...rows.map((row, hour) => `2026-01-01T0${hour}:00Z,${row}`)].join(
  '\n',
)
const code = `if ($.Price.price < Number($.Env.BELOW)) await $.Strategy.action('LONG')`

withSharedAccount(
  'an agent starts a backtest, and reads its figures and doubts',
  async (account, service) => {
    const series = { name: 'Mine', symbol: 'BTC/USDT', interval: '1h' }
    const { id: candle_id } = await expect(201, account.api('POST', '/api/v2/candle', series))
    await expect(200, account.api('POST', `/api/v2/candle/${candle_id}/import`, { csv }))
    const { token } = await makeAgentKey(account, 'write')
    await using agent = await connectAgent(service.url, token)
    const bots = [{ name: 'free', amount: '100', fee_rate: '0', slippage_rate: '0' }]
    const input = { candle_id, code, parameters: { BELOW: 105 }, bots }
    const { id } = await agent.ask('start_backtest', input)
    let read = await agent.ask('get_backtest', { id })
    await until(
      'the report',
      async () => {
        read = await agent.ask('get_backtest', { id })
        return read.finished_at !== undefined
      },
      3 * longPatienceMs,
    )
    assert.equal(read.status, 'FINISHED', JSON.stringify(read))
    const { report } = read
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
