import assert from 'node:assert/strict'
import { countedAndCopied, thing } from './things.ts'
import type { Walk } from './walk.ts'

/** Bots without a venue, and a connection for one. */
export async function storedBots(walk: Walk, webhookId: number) {
  const wallet = { exchange_id: 15, wallet_address: `0x${'ab'.repeat(20)}`, private_key: '1f'.repeat(32) }
  assert.equal(await walk.expect(200, 'POST', '/api/prediction/test', wallet), true)
  const connection = await walk.create('/api/prediction', { name: 'Größer', ...wallet })
  await walk.list('/api/prediction')
  await walk.expect(200, 'GET', `/api/prediction/${connection.id}`)
  await walk.expect(200, 'PUT', `/api/prediction/${connection.id}/status`, { status: 'ACTIVE' })
  const address = `0x${'cd'.repeat(20)}`
  const places = {
    prediction: { exchange_id: 15, connection_id: connection.id },
    dex: { exchange_id: 244, address },
  }
  for (const [kind, place] of Object.entries(places)) {
    const path = `/bot/signal/${kind}`
    const folder = await thing(walk, `${path}/folder`, { name: 'Kept together' })
    await walk.expect(200, 'GET', `${path}/folder/root`)
    const links = { webhook_id: webhookId, folder_id: folder.id }
    const bot = await walk.create(path, { name: 'Größer', ...place, ...links })
    await walk.list(path)
    assert.equal((await walk.expect(200, 'GET', `${path}/${bot.id}`)).status, 'INACTIVE')
    await walk.expect(200, 'PUT', `${path}/${bot.id}`, { name: 'Renamed' })
    await walk.expect(409, 'PUT', `${path}/${bot.id}/status`, { status: 'ACTIVE' })
    await walk.expect(200, 'PUT', `${path}/${bot.id}/status`, { status: 'INACTIVE' })
    if (kind === 'prediction') await countedAndCopied(walk, path)
    await walk.expect(200, 'GET', `${path}/total`)
    assert.equal((await walk.list(`/webhook/bot/${webhookId}/${kind}-bots`)).length, 1)
    await walk.expect(200, 'GET', `/webhook/bot/bot/signal/${webhookId}/${kind}`)
  }
  await walk.list(`/api/prediction/${connection.id}/bots`)
  await walk.expect(200, 'GET', `/api/prediction/bot/signal/${connection.id}`)
  walk.ids.set('/api/prediction/bot/signal', connection.id)
  for (const path of ['/market/prediction/polymarket', '/bot/signal/prediction/market/15']) {
    const { outcomes } = await walk.expect(200, 'GET', `${path}/will-it-rain`)
    assert.equal(outcomes.length, 2)
  }
  await walk.expect(200, 'GET', `/bot/signal/dex/1/${address}`)
  await walk.expect(200, 'GET', '/bot/signal/dex/factory/1/244')
}
