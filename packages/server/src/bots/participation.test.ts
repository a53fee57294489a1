/** How much of what others trade a paper bot may trade. */
import assert from 'node:assert/strict'
import { makeBot } from '../../test/bot.ts'
import { withDatabase } from '../../test/databases.ts'
import { inBacktest, onPaper, openMarket, type Step } from '../../test/paper-and-backtest.ts'
import { expect } from '../../test/reaction.ts'
import { openProcessor } from '../../test/signal-processor.ts'
import { futuresRules } from '../../test/trading.ts'
import { withAccount } from '../../test/with-service.ts'
import { VenueUnreachable } from '../market/price-source.ts'
import { PaperVolume } from './paper/volume.ts'

const costs = { feeRate: '0.0007', slippageRate: '0.0003', spreadRate: '0.0011', amount: '199' }
const participation = '0.1'

withDatabase('a paper bot gets as much of the volume of a minute as a backtest', async (database) => {
  const steps: Step[] = [
    // 199 buys 1.964, and the market takes 0.7.
    { price: '101.3', signal: 'LONG', volume: 7.0009 },
    // The close takes all but 0.4 of the volume.
    { price: '97.1', signal: 'SHORT', volume: 11 },
    { price: '133.9', volume: 0 },
    { price: '133.9', signal: 'LONG', volume: 5000 },
    // Nothing is left for an opening.
    { price: '88.7', signal: 'EXIT', volume: 5000 },
    { price: '64', signal: 'SHORT', volume: 0 },
    { price: '104.2', signal: 'LONG', volume: 3 },
  ]
  const paper = await onPaper(database, { ...costs, participation }, steps)
  assert.deepEqual(paper, await inBacktest(costs, steps, { participation }))
  assert.deepEqual(
    paper.fills.map((line) => line.split(' ').slice(0, 2).join(' ')),
    ['buy 0.7', 'sell 0.7', 'sell 0.4', 'buy 0.4', 'buy 1.486', 'sell 1.486', 'buy 0.3'],
  )
  assert.notDeepEqual(paper.fills, (await inBacktest(costs, steps)).fills)
})

withDatabase('what a bot has traded in a minute counts on every node, and after a restart', async (place) => {
  const { venues, setPrice, close } = openMarket({
    get db() {
      return test.database.db
    },
  })
  const settings = { ...costs, participation }
  await using test = await openProcessor(place, {
    ...{ mode: 'paper', settings },
    parts: { openVenue: (bot) => venues.open(bot, test.parts.openBooks(bot)) },
  })
  try {
    await setPrice('100', 15)
    await test.send(futuresRules.symbol, 'LONG', { size: 100, forceSize: true })
    test.processor.wake()
    await test.ended(1)
    const bot = { id: test.botId, userId: test.userId, exchangeId: 2, settings: settings as never }
    const other = (candle: object, now = Date.now()) => {
      const candles = { latest: async () => ({ found: [{ ...candle, done: true }] }) as never }
      const volume = new PaperVolume({ database: test.database, candles, now: () => now })
      return volume.take(bot, { symbol: futuresRules.symbol, size: '2' }, futuresRules)
    }
    const minute = { time: Date.now() - 90_000, volume: 15 }
    const base = `2 ${futuresRules.base}: the bot may trade at most 10 %`
    const { size, reason } = await other(minute)
    // 1 of 1.5 was executed.
    assert.equal(size, '0.5')
    assert.match(reason!, new RegExp(`took 0\\.5 of ${base} of what was traded in the last complete minute`))
    // With the next minute, all of its volume counts.
    const later = Date.now() + 120_000
    assert.deepEqual(await other({ time: later - 61_000, volume: 30 }, later), { size: '2', reason: null })
    // Minutes without a trade have no candle.
    assert.equal((await other(minute, later + 60_000)).size, '0')
    const unreadable = { latest: () => Promise.reject(new Error('The exchange is away.')) }
    for (const candles of [unreadable, null]) {
      const volume = new PaperVolume({ database: test.database, candles })
      const taking = volume.take(bot, { symbol: futuresRules.symbol, size: '2' }, futuresRules)
      await assert.rejects(taking, VenueUnreachable)
    }
  } finally {
    await test.processor.stop()
    await close()
  }
})

withAccount('a share of the volume leaves the rest of an order unexecuted, and says so', async (client) => {
  const path = (id: number) => `/api/v2/bot/signal/cex/${id}`
  const bot = await makeBot(client, { symbol: 'BTC/USDT', amount: '9000', participation: '0.000001' })
  assert.equal((await bot.read()).participation, '0.000001')
  await bot.send({ symbol: 'BTCUSDT', side: 'BUY' })
  const [signal] = await bot.followed(1)
  assert.match(String(signal!.reason), /at most 0\.0001 % of what was traded in the last complete minute/)
  for (const share of ['0', '1.1', -0.1, 'all']) {
    const { details } = await expect(400, client.api('PUT', path(bot.id), { participation: share }))
    assert.equal(details[0].field, 'body.participation')
  }
})
