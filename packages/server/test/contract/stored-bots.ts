import type { Walk } from './walk.ts'

/** A connection for bots without a venue. */
export async function storedBots(walk: Walk) {
  const wallet = { exchange_id: 15, wallet_address: `0x${'ab'.repeat(20)}`, private_key: '1f'.repeat(32) }
  await walk.expect(200, 'POST', '/api/prediction/test', wallet)
  const connection = await walk.create('/api/prediction', { name: 'Größer', ...wallet })
  await walk.list('/api/prediction')
  await walk.expect(200, 'GET', `/api/prediction/${connection.id}`)
  await walk.expect(200, 'PUT', `/api/prediction/${connection.id}/status`, { status: 'ACTIVE' })
}
