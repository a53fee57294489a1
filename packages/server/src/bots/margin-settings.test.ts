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
    const funded = await make({ exchange_id: spot, funding: 'exchange' }, 400)
    assert.match(funded.error, /body\.funding must be off on Binance.*only futures have funding/)
    assert.deepEqual(
      funded.details.map(({ field }: { field: string }) => field),
      ['body.funding'],
    )
    const unfunded = await make({ exchange_id: spot, funding: 'off' })
    const later = account.api('PUT', `${botsPath}/${unfunded.id}`, { funding: 'exchange' })
    assert.match((await expect(400, later)).error, /body\.funding must be off/)
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

withBotService(
  'a leverage over the maximum of a market is refused with both figures',
  async (account, service) => {
    const { id: exchange_id } = service.catalogue.named('binance', 'futures')!
    await service.catalogue.setEnabled(exchange_id, true)
    service.prices.mostLeverage = '50'
    const make = (body: object, status = 201) =>
      expect(status, account.api('POST', botsPath, { exchange_id, ...body }))
    const words = /body\.leverage must be at most 50 for ETHUSDT on Binance.*, got 51/
    const refused = await make({ leverage: 51, symbol: 'ETH/USDT' }, 400)
    assert.match(refused.error, words)
    assert.equal(refused.details[0].field, 'body.leverage')
    const preview = { exchange_id, symbol: 'ETH/USDT', leverage: 51 }
    assert.match((await expect(400, account.api('POST', `${botsPath}/size`, preview))).error, words)
    const bot = await make({ leverage: 50, symbol: 'ETH/USDT' })
    const own = `${botsPath}/${bot.id}`
    assert.match((await expect(400, account.api('PUT', own, { leverage: 51 }))).error, words)
    // A market that lowers its maximum blocks no other change.
    service.prices.mostLeverage = '20'
    await expect(200, account.api('PUT', own, { name: 'as before' }))
    const renamed = await expect(400, account.api('PUT', own, { symbol: 'BTC/USDT' }))
    assert.match(renamed.error, /at most 20 for BTCUSDT/)
    // Nobody knows its markets before its signals name them.
    await make({ leverage: 51 })
    // Nor what a market allows that there is not, or that does not answer.
    await make({ leverage: 51, symbol: 'NOSUCH' })
  },
)
