/** Impossible order sizes, tested through the whole service: in requests, and in rows that an older version stored. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { lookInto } from '../../test/accounts.ts'
import { makeBot } from '../../test/bot.ts'
import { makeConnection, startExchange } from '../../test/connection.ts'
import { withDatabase } from '../../test/databases.ts'
import { jsonNumber } from '../../test/json-numbers.ts'
import { longPatienceMs } from '../../test/patience.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { addSignal } from '../../test/signal-processor.ts'
import { until } from '../../test/until.ts'
import { withService } from '../../test/with-service.ts'
import { bots, signals } from '../db/schema.ts'

const futures = 3

/** A signal as a bot webhook accepts it with 202. */
const poison = { symbol: 'BTCUSDT', side: 'BUY', dilution: true, size: 5e-324 }

withService(
  'the API refuses an impossible order size, and the bot follows the next signal',
  async (service) => {
    const bot = await makeBot(service)
    const { status, body } = await bot.send(poison)
    assert.equal(status, 400)
    const message = 'must be a number from 1e-18 to 1e18, got 5e-324'
    assert.deepEqual(body.details, [{ field: 'body.size', message }])
    for (const side of ['BUY', 'EXIT'])
      assert.equal((await bot.send({ symbol: 'BTCUSDT', side })).status, 202)
    const followed = await bot.followed(2)
    assert.deepEqual(
      followed.map(({ status }) => status),
      ['DONE', 'DONE'],
    )
  },
)

withDatabase(
  'signals with impossible sizes that an older version stored end, and paper and live bots continue',
  async (database) => {
    await using exchange = await startExchange()
    exchange.standIn.trading.setBalance('USDT', '100000')
    const options = { database, env: { MARKET: 'live', ...exchange.env } }
    const ids: number[] = []
    {
      await using service = await startService(options)
      await expect(200, service.api('PUT', '/api/v2/trading', { live_trading: true }))
      const { id } = await makeConnection(service, exchange, { exchange_id: futures })
      const common = { amount: '1000', max_signal_age_seconds: null }
      ids.push((await makeBot(service, common)).id)
      ids.push((await makeBot(service, { ...common, mode: 'live', connection_id: id })).id)
    }
    await lookInto(database, async (opened) => {
      for (const { id: botId, userId } of await opened.db.select().from(bots)) {
        const bot = { botId, userId }
        const { size, dilution } = poison
        await addSignal(opened, bot, 'BTCUSDT', 'LONG', { size, dilution })
        // From a recipient whose share was revoked.
        await opened.db.update(signals).set({ senderId: 999_999 })
        await addSignal(opened, bot, 'BTCUSDT', 'LONG', 'not even options')
        await addSignal(opened, bot, 'ETHUSDT', 'LONG')
        for (const action of ['LONG', 'EXIT'] as const) await addSignal(opened, bot, 'BTCUSDT', action)
        await addSignal(opened, bot, 'ETHUSDT', 'EXIT')
      }
    })
    await using service = await startService(options)
    for (const id of ids) {
      const own = `/api/v2/bot/signal/cex/${id}/signals`
      const list = async (): Promise<{ status: string; symbol: string; reason: string }[]> =>
        (await expect(200, service.api('GET', own))).toReversed()
      await until(
        'all to end',
        async () => (await list()).every(({ status }) => !/QUEUED|WORKING/.test(status)),
        longPatienceMs,
      )
      const ends = await list()
      assert.deepEqual(
        ends.map(({ symbol, status }) => `${symbol} ${status}`),
        ['BTCUSDT REFUSED', 'BTCUSDT FAILED', 'ETHUSDT DONE', 'BTCUSDT DONE', 'BTCUSDT DONE', 'ETHUSDT DONE'],
      )
      assert.match(ends[0]!.reason, /must be a number from 1e-18 to 1e18, got 5e-324/)
      assert.deepEqual(await expect(200, service.api('GET', `/api/v2/position?bot_id=${id}`)), [])
    }
  },
)

withService(
  'a size that is any JSON number is refused by name or followed to its end, and later exits are followed',
  async (service) => {
    const bot = await makeBot(service, { start_balance: '1000000000000000000', max_signal_age_seconds: null })
    await bot.send({ symbol: 'ETHUSDT', side: 'BUY' })
    let taken = 1
    for (const size of new Set(fc.sample(jsonNumber, 120))) {
      const { status, body } = await bot.send(
        `{"symbol":"BTCUSDT","side":"BUY","dilution":true,"size":${size}}`,
      )
      if (status === 202) taken += 1
      else assert.deepEqual([status, body.details[0].field], [400, 'body.size'], size)
    }
    for (const symbol of ['ETHUSDT', 'BTCUSDT']) await bot.send({ symbol, side: 'EXIT' })
    const ends = await bot.followed(taken + 2, longPatienceMs)
    assert.ok(ends.every(({ status }) => ['DONE', 'REFUSED', 'IGNORED', 'FAILED'].includes(status)))
    assert.ok(ends.every(({ reason }) => !/Following the signal failed/.test(reason ?? '')))
    assert.equal(ends.at(-2)!.status, 'DONE')
    assert.deepEqual(await bot.positions(), [])
  },
)
