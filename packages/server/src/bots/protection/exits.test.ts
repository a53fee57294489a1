/** Closes that protected positions need, queued together. */
import assert from 'node:assert/strict'
import { and, eq } from 'drizzle-orm'
import { addPosition, makeBot, withBotService } from '../../../test/bots.ts'
import { until } from '../../../test/until.ts'
import { botSignals, positionProtections, signals } from '../../db/schema.ts'
import { noProtection } from '../../trading/protection/settings.ts'
import { queueExits } from './exits.ts'
import { ProtectionStore, readWatched } from './store.ts'

withBotService(
  'positions of a bot that reach their stops together get a close each, from one of two calls, also one that is locked meanwhile',
  async (account, service) => {
    const { database } = service
    const { db } = database
    const bot = await makeBot(service, account)
    const openedAt = new Date(Date.UTC(2026, 0, 5, 12))
    const symbols = ['A', 'B', 'C'].map((base) => `${base}${bot.id}/USDT`)
    for (const symbol of symbols) {
      await addPosition(service, bot.owner, { symbol, size: '2', openedAt })
      const settings = { ...noProtection, stop_loss: '2%' }
      await db
        .insert(positionProtections)
        .values({ botId: bot.id, symbol, openedAt, openedSize: '2', settings })
    }
    const texts = [...(await new ProtectionStore(database).watched()).values()]
    const positions = texts.map(readWatched).filter(({ botId }) => botId === bot.id)
    assert.equal(positions.length, 3)
    const at = { price: '97', now: openedAt.getTime() + 1_000 }
    const queue = () =>
      queueExits(
        database,
        positions.map((position) => ({ position, at, rules: null })),
      )
    const closes = () =>
      db
        .select({
          id: botSignals.id,
          symbol: botSignals.symbol,
          status: botSignals.status,
          of: signals.symbols,
        })
        .from(botSignals)
        .innerJoin(signals, and(eq(signals.id, botSignals.signalId), eq(signals.origin, 'stop_loss')))
        .where(eq(botSignals.botId, bot.id))
    const queueing = await db.transaction(async (tx) => {
      const isLast = eq(positionProtections.symbol, symbols[2]!)
      await tx.select().from(positionProtections).where(isLast).for('update')
      const both = Promise.all([queue(), queue()])
      await until('the closes of those that are free', async () => (await closes()).length === 2)
      return { both }
    })
    const outcomes = await queueing.both
    const queued = await closes()
    assert.deepEqual(
      queued.map(({ symbol, status, of }) => [symbol, status, of]).sort(),
      symbols.map((symbol) => [symbol, 'QUEUED', [symbol]]),
    )
    const byCall = outcomes.map((all) => all.map((outcome) => typeof outcome === 'object'))
    for (const [index, { symbol }] of positions.entries()) {
      assert.equal(byCall.filter((isQueued) => isQueued[index]).length, 1, symbol)
      const [row] = await db
        .select()
        .from(positionProtections)
        .where(and(eq(positionProtections.botId, bot.id), eq(positionProtections.symbol, symbol)))
      const closeId = queued.find((close) => close.symbol === symbol)!.id
      assert.deepEqual(
        [row!.state, row!.closeId, row!.stopPrice, row!.attempts],
        ['CLOSING', closeId, '98', 1],
      )
    }
    assert.deepEqual(await queue(), ['none', 'none', 'none'])
    // After a failure, the next closes follow later. If the clock is set back meanwhile, that is now.
    await db
      .update(botSignals)
      .set({ status: 'FAILED', finishedAt: new Date() })
      .where(eq(botSignals.botId, bot.id))
    assert.deepEqual(await queue(), ['none', 'none', 'none'])
    at.now -= 3_600_000
    const again = await queue()
    assert.deepEqual(
      again.map((outcome) => typeof outcome),
      ['object', 'object', 'object'],
    )
  },
)
