/** One of everything that a data folder can have, made through the public API as a user would. */
import { open } from '../ai/approval.ts'
import { type StandIn, says } from '../ai/stand-in.ts'
import type { Client } from '../client.ts'
import { makeConnection, type TestExchange } from '../connection.ts'
import { expect, strategyAt } from '../reaction.ts'
import type { TelegramStandIn } from '../telegram.ts'
import { until } from '../until.ts'
import { linkPerson, payFunding } from './outside.ts'

const hour = 3_600_000
const firstCandle = Date.UTC(2025, 0, 1)
const candles = Array.from({ length: 60 }, (_, index) => {
  const open = 100 + 10 * Math.sin(index / 5)
  return [firstCandle + index * hour, open, open + 2, open - 2, open + 1, 10].map((figure) =>
    Number(figure.toFixed(4)),
  )
})
const code =
  "await $.Storage.set({ seen: JSON.parse($.Request.data).price }); await $.Strategy.action('LONG')"

/** What stands in for the world outside: an exchange, a provider of models that say this, and Telegram. */
type Outside = { exchange: TestExchange; provider: StandIn; telegram: TelegramStandIn }
/** Where the installation is, and the password of its administrator. */
type Place = { url: string; password: string }
export const model = says(open('SHORT'), { text: 'It falls.' })

/**
 * Fills an empty installation. At the end nothing is under way, and nothing is on that would act by itself: what is read
 * then is read the same at any later time.
 */
export async function fill(
  client: Client,
  place: Place,
  { exchange, provider, telegram }: Outside,
): Promise<void> {
  const make = (path: string, body: object) => expect(201, client.api('POST', `/api/v2/${path}`, body))
  const change = (path: string, body: object) => expect(200, client.api('PUT', `/api/v2/${path}`, body))

  // Connections and what is secret.
  await make('env', { name: 'TOKEN', value: 'a secret of the fixture' })
  const { id: connection_id } = await make('api/llm', {
    ...{ service_id: provider.access(false).serviceId, api_key: provider.key, base_url: provider.baseUrl },
    ...{ name: 'A model of mine', model: 'stand-in' },
  })
  await makeConnection(client, exchange, { name: 'Spot' })
  const url = 'https://hooks.example.com/notifications'
  await make('notification/endpoint', { url, events: ['order.settled', 'bot.failed'] })
  await make('notification/endpoint', {
    kind: 'ntfy',
    url: 'https://ntfy.example.com/of-mine',
    events: ['position.closed'],
  })
  await make('api/key', { name: 'for CI', algorithm: 'HMAC', scope: 'deploy' })
  await make('user/invitation', { email: 'invited@example.com' })

  // Webhooks, strategies of each kind, and a bot.
  const signals = await make('webhook/bot', { name: 'Signals' })
  const alerts = await make('webhook/data', { name: 'Alerts' })
  const bot = await make('bot/signal/cex', { name: 'Follower', webhook_id: signals.id, exchange_id: 3 })
  await make('bot/signal/prediction', { name: 'A prediction', exchange_id: 15 })
  await make('bot/signal/dex', { name: 'On a chain', exchange_id: 244, address: `0x${'cd'.repeat(20)}` })
  const folder = await make('strategy/reaction/code/folder', { name: 'Breakouts' })
  const common = { send_signal: true, symbol: 'BTCUSDT', webhook_id: signals.id }
  const reaction = await make('strategy/reaction/code', {
    ...{ ...common, name: 'Breakout', folder_id: folder.id, data_webhook_id: alerts.id, code: '$.log(1)' },
  })
  await change(`strategy/reaction/code/${reaction.id}`, { code, reason: 'It acts now' })
  await make('strategy/code', { ...common, name: 'Each hour', cron_interval: '0 * * * *', code: '$.log(1)' })
  const thinking = { ...common, prompt: 'Decide.', connection_id }
  const judge = await make('strategy/reaction/llm', {
    ...{ ...thinking, name: 'Judge', data_webhook_id: alerts.id, needs_approval: true },
  })
  await make('strategy/llm-session', { ...thinking, name: 'Each day', cron_interval: '0 8 * * *' })
  // No user has this id yet.
  for (const { id, kind } of [
    { ...alerts, kind: 'data' },
    { ...signals, kind: 'bot' },
  ])
    await make(`webhook/${kind}/share/${id}`, { userId: 7 })
  await make('test-payload', { name: 'A spike', webhook_id: alerts.id, body: '{"price":100}' })

  // A payload becomes a run, a signal, an order and a position; another position is opened and closed.
  await change(`bot/signal/cex/${bot.id}/status`, { status: 'ACTIVE' })
  await change(`strategy/reaction/code/${reaction.id}/status`, { status: 'ACTIVE' })
  await expect(202, client.send('POST', alerts.url, { body: { price: 100 } }))
  await strategyAt(client, '/api/v2/strategy/reaction/code', reaction.id).ended(1)
  for (const side of ['LONG', 'EXIT']) {
    await expect(202, client.send('POST', signals.url, { body: { symbol: 'ETHUSDT', side } }))
    await settled(client, bot.id, side === 'LONG' ? 2 : 3)
  }
  await change(`strategy/reaction/code/${reaction.id}/status`, { status: 'INACTIVE' })

  // What a model asks for waits until it is rejected, and the next time until it is approved, which a bot follows.
  await change(`strategy/reaction/llm/${judge.id}/status`, { status: 'ACTIVE' })
  for (const [index, decision] of ['reject', 'approve'].entries()) {
    await expect(202, client.send('POST', alerts.url, { body: { price: 90 } }))
    await strategyAt(client, '/api/v2/strategy/reaction/llm', judge.id).ended(index + 1)
    const [waiting] = await expect(200, client.api('GET', '/api/v2/approval?status=PENDING'))
    await expect(200, client.api('POST', `/api/v2/approval/${waiting.id}/${decision}`))
  }
  await settled(client, bot.id, 4)
  await change(`strategy/reaction/llm/${judge.id}/status`, { status: 'INACTIVE' })
  await change(`bot/signal/cex/${bot.id}/status`, { status: 'INACTIVE' })

  // Candles, and backtests on them.
  const series = await make('candle', { name: 'Of a file', symbol: 'BTC/USDT', interval: '1h' })
  const rows = candles.map((candle) => candle.join(','))
  const csv = ['time,open,high,low,close,volume', ...rows].join('\n')
  await expect(200, client.api('POST', `/api/v2/candle/${series.id}/import`, { csv }))
  await backtest(client, { candle_id: series.id, code: "await $.Strategy.action('LONG')" })
  const swept = { code: "if ($.Request.last > Number($.Env.LEVEL)) await $.Strategy.action('LONG')" }
  const sweep = { parameters: { LEVEL: [100, 105] }, settings: { fee_rate: ['0', '0.001'] } }
  await backtest(client, { ...swept, candle_id: series.id, sweep })

  await payFunding(client, exchange)
  await linkPerson(client, place, telegram)
}

async function backtest(client: Client, request: object): Promise<void> {
  const body = { ...request, examine: false }
  const { id } = await expect(202, client.api('POST', '/api/v2/backtest', body))
  await until('the backtest', async () => {
    const { status, error } = await expect(200, client.api('GET', `/api/v2/backtest/${id}`))
    if (status === 'FAILED') throw new Error(error)
    return status === 'FINISHED'
  })
}

async function settled(client: Client, botId: number, count: number): Promise<void> {
  const path = `/api/v2/bot/signal/cex/${botId}/signals?limit=50&page=1`
  await until(`${count} signals to be followed`, async () => {
    const { items } = await expect(200, client.api('GET', path))
    return items.filter(({ status }: { status: string }) => status === 'DONE').length >= count
  })
}
