import { client } from '../../data/client.ts'
import { exampleName as name } from '../../data/example.ts'
import { findExample } from './example.ts'
import { exampleCode } from './example-code.ts'
import { readThings } from './queries.ts'

/**
 * Creates what is missing of the example, attaches its parts to each other, and switches them on. Called twice, it makes
 * nothing twice; what an earlier call left half made, it completes.
 */
export async function setUpExample(): Promise<void> {
  // Without HTTPS, a browser has no locks; then only two tabs at the same moment could both create.
  if (navigator.locks === undefined) await setUp()
  else await navigator.locks.request('tickwright-example', setUp)
}

async function setUp(): Promise<void> {
  const found = findExample(await readThings())
  const { data: dataWebhooks, bot: botWebhooks } = client.webhooks
  const botWebhook =
    found.botWebhook ??
    (await botWebhooks.create({ name, description: 'Accepts {"symbol": "BTCUSDT", "side": "BUY"}.' }))
  const dataWebhook =
    found.dataWebhook ?? (await dataWebhooks.create({ name, description: 'Accepts {"price": 100}.' }))
  const bot =
    found.bot ??
    (await client.bots.signal.create({
      name,
      mode: 'paper',
      exchange_id: await simulatedMarket(),
      webhook_id: botWebhook.id,
    }))
  const attached = { send_signal: true, webhook_id: botWebhook.id, data_webhook_id: dataWebhook.id }
  const reaction =
    found.reaction ??
    (await client.reactions.code.create({ name, code: exampleCode, symbol: 'ETHUSDT', ...attached }))

  if (bot.webhook_id !== botWebhook.id) await client.bots.signal.update(bot.id, { webhook_id: botWebhook.id })
  const { send_signal, webhook_id, data_webhook_id } = reaction
  if (!send_signal || webhook_id !== botWebhook.id || data_webhook_id !== dataWebhook.id)
    await client.reactions.code.update(reaction.id, attached)

  const on = { status: 'ACTIVE' } as const
  if (botWebhook.status !== 'ACTIVE') await botWebhooks.setStatus(botWebhook.id, on)
  if (dataWebhook.status !== 'ACTIVE') await dataWebhooks.setStatus(dataWebhook.id, on)
  if (bot.status !== 'ACTIVE') await client.bots.signal.setStatus(bot.id, on)
  if (reaction.status !== 'ACTIVE') await client.reactions.code.setStatus(reaction.id, on)
}

async function simulatedMarket(): Promise<number> {
  const exchanges = await client.exchanges.list()
  const simulated = exchanges.find(({ type }) => type === 'SIM')
  if (simulated === undefined) throw new Error('The catalogue has no simulated market.')
  return simulated.id
}
