import assert from 'node:assert/strict'
import { addPosition, botsPath, withBotService } from '../../test/bots.ts'
import { expect } from '../../test/reaction.ts'

withBotService(
  'leverage and margin mode are settings of futures, where the service sets them',
  async (account, service) => {
    const enabled = async (exchange: string, of: 'spot' | 'futures') => {
      const { id } = service.catalogue.named(exchange, of)!
      await service.catalogue.setEnabled(id, true)
      return id
    }
    const [binance, bitget, mexc, spot] = await Promise.all([
      enabled('binance', 'futures'),
      enabled('bitget', 'futures'),
      enabled('mexc', 'futures'),
      enabled('binance', 'spot'),
    ])
    const make = (body: object, status = 201) => expect(status, account.api('POST', botsPath, body))
    const margin = { leverage: 5, margin_mode: 'isolated' }
    const made = await make({ exchange_id: binance, mode: 'live', ...margin })
    assert.deepEqual([made.leverage, made.margin_mode], [5, 'isolated'])
    const onSpot = await make({ exchange_id: spot, leverage: 5 }, 400)
    assert.match(onSpot.error, /body\.leverage must be null on Binance.*only futures have margin/)
    const atBitget = await make({ exchange_id: bitget, mode: 'live', ...margin })
    assert.deepEqual([atBitget.leverage, atBitget.margin_mode], [5, 'isolated'])
    const elsewhere = await make({ exchange_id: mexc, mode: 'live', margin_mode: 'cross' }, 400)
    assert.match(elsewhere.error, /body\.margin_mode must be null on MEXC.*the service does not set it/)
    const paper = await make({ exchange_id: mexc, leverage: 3 })
    const own = `${botsPath}/${paper.id}`
    const live = await expect(400, account.api('PUT', own, { mode: 'live' }))
    assert.match(live.error, /body\.leverage must be null/)
    const preview = await expect(
      400,
      account.api('POST', `${botsPath}/size`, { exchange_id: spot, leverage: 5 }),
    )
    assert.match(preview.error, /body\.leverage must be null/)
    for (const leverage of [0, 501, 2.5, '5x']) await make({ exchange_id: binance, leverage }, 400)
    const { userId } = account
    await addPosition(service, { userId, botId: paper.id }, { symbol: 'BTC/USDT:USDT' })
    const held = await expect(409, account.api('PUT', own, { margin_mode: 'cross' }))
    assert.match(held.error, /margin mode of bot \d+ cannot change while it holds a position.*BTC\/USDT:USDT/)
    await expect(200, account.api('PUT', own, { leverage: 4, margin_mode: null }))
  },
)
