import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import {
  type Account,
  addOrder,
  addPosition,
  type BotService,
  botsPath,
  makeBot,
  withBotService,
} from '../../test/bots.ts'
import { expect } from '../../test/reaction.ts'
import { botSignals, bots, positions } from '../db/schema.ts'
import { DrawdownLimits } from './drawdown-limit.ts'

/** An active bot that holds half a bitcoin since 100, with a balance of 100, and a watch whose prices the test sets. */
async function makeHolder(service: BotService, account: Account, settings: Record<string, unknown> = {}) {
  const { database } = service
  const given = { max_drawdown: '20%', start_balance: '100', ...settings }
  const bot = await makeBot(service, account, given)
  await expect(200, account.api('PUT', `${bot.own}/status`, { status: 'ACTIVE' }))
  await addPosition(service, bot.owner, { realised: '0' })
  const prices = new Map<string, number>()
  const limits = new DrawdownLimits({
    database,
    prices: { latest: ({ priceSymbol }) => prices.get(priceSymbol) ?? null },
    onError: (error) => assert.fail(`unexpected: ${error}`),
  })
  const read = () => expect(200, account.api('GET', bot.own))
  return {
    own: bot.own as string,
    owner: bot.owner as { userId: number; botId: number },
    prices,
    change: (fields: object) => expect(200, account.api('PUT', bot.own, fields)),
    reset: () => account.api('POST', `${bot.own}/drawdown/reset`),
    /** Two nodes look at the same time. @returns the highest equity, and that at which the bot stopped */
    look: async (price: number | null) => {
      if (price === null) prices.delete('BTC/USDT')
      else prices.set('BTC/USDT', price)
      await Promise.all([limits.look(Date.now()), limits.look(Date.now())])
      const { highest_equity, drawdown_equity } = await read()
      return [highest_equity, drawdown_equity]
    },
    closes: async () => {
      const rows = await database.db.select().from(botSignals).where(eq(botSignals.botId, bot.id))
      return rows.map(({ symbol }) => symbol).toSorted()
    },
  }
}

withBotService(
  'a bot stops once, from the limit on, and closes all that it holds or opens',
  async (account, service) => {
    const bot = await makeHolder(service, account)
    await addOrder(service, bot.owner, { symbol: 'SOL/USDT', status: 'UNKNOWN' })
    assert.deepEqual(await bot.look(100), ['100', null])
    assert.deepEqual(await bot.look(200), ['150', null])
    assert.deepEqual(await bot.look(140.1), ['150', null])
    // Without a price, nobody knows the equity, and nothing is decided.
    assert.deepEqual(await bot.look(null), ['150', null])
    assert.deepEqual(await bot.closes(), [])
    assert.deepEqual(await bot.look(140), ['150', '120'])
    assert.deepEqual(await bot.look(1_000), ['150', '120'])
    assert.deepEqual(await bot.closes(), ['BTC/USDT', 'SOL/USDT'])
  },
)

withBotService(
  'a bot that has stopped stays so, whatever changes, until its owner resets it',
  async (account, service) => {
    const bot = await makeHolder(service, account)
    await bot.look(100)
    assert.deepEqual(await bot.look(60), ['100', '80'])
    await bot.change({ max_drawdown: '50%' })
    await bot.change({ max_drawdown: null })
    await expect(200, account.api('PUT', `${bot.own}/status`, { status: 'INACTIVE' }))
    await expect(200, account.api('PUT', `${bot.own}/status`, { status: 'ACTIVE' }))
    await bot.change({ max_drawdown: '30%' })
    assert.deepEqual(await bot.look(60), ['100', '80'])
    const stranger = await service.account()
    await expect(404, stranger.api('POST', `${bot.own}/drawdown/reset`))
    assert.deepEqual(await bot.look(60), ['100', '80'])
    await expect(200, bot.reset())
    assert.deepEqual(await bot.look(60), ['80', null])
    assert.deepEqual(await bot.look(11), ['80', '55.5'])
  },
)

withBotService(
  'a highest equity begins with the limit, or with another balance',
  async (account, service) => {
    const bot = await makeHolder(service, account, { max_drawdown: null })
    assert.deepEqual(await bot.look(200), [null, null])
    assert.equal((await expect(409, bot.reset())).code, 'resource_conflict')
    await bot.change({ max_drawdown: '20%' })
    assert.deepEqual(await bot.look(100), ['100', null])
    await bot.change({ max_drawdown: '30%', name: 'renamed' })
    assert.deepEqual(await bot.look(90), ['100', null])
    await bot.change({ start_balance: '50' })
    assert.deepEqual(await bot.look(100), ['50', null])
    // The copy has books of its own.
    const { db } = service.database
    const copy = await expect(201, account.api('POST', `${botsPath}/duplicate`, { id: bot.owner.botId }))
    assert.deepEqual([copy.max_drawdown, copy.highest_equity, copy.drawdown_reached_at], ['30%', null, null])
    await db.delete(positions).where(eq(positions.botId, bot.owner.botId))
    await db.update(bots).set({ highestEquity: null }).where(eq(bots.id, bot.owner.botId))
    assert.deepEqual(await bot.look(null), ['50', null])
  },
)
