/** What fills do to the protection of a position. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { type Account, type BotService, makeBot, withBotService } from '../../../test/bots.ts'
import { type Protection, positionProtections } from '../../db/schema.ts'
import { flatPosition } from '../../trading/ledger.ts'
import { noProtection } from '../../trading/protection/settings.ts'
import type { Position } from '../../trading/types.ts'
import { countAdded, protectOpened } from './opened.ts'

const symbol = 'BTC/USDT'
const stop: Protection = { ...noProtection, stop_loss: '2%' }

function held(size: string, openedAt = 1_000, side: 'long' | 'short' = 'long'): Position {
  return { ...flatPosition(), side, size, entryPrice: '100', openedAt }
}

async function bench(service: BotService, account: Account) {
  const { id: botId } = await makeBot(service, account)
  const { db } = service.database
  return {
    fill: (
      order: { id: number; protection: Protection | Record<string, never> | null },
      before: Position,
      after: Position,
    ) => protectOpened(db, { purpose: 'open', ...order }, { botId, symbol, before, after }),
    add: (before: Position, after: Position) => countAdded(db, { botId, symbol, before, after }),
    row: async () =>
      (await db.select().from(positionProtections).where(eq(positionProtections.botId, botId)))[0],
  }
}

withBotService(
  'the first fill protects the position, and later ones of the order count to it',
  async (account, service) => {
    const { fill, row } = await bench(service, account)
    const order = { id: 1, protection: stop }
    assert.equal(await fill(order, flatPosition(), held('0.4')), true)
    await fill(order, held('0.4'), held('1'))
    const stored = await row()
    assert.deepEqual([stored!.settings, stored!.openedSize, stored!.state], [stop, '1', 'WATCHED'])
  },
)

withBotService(
  'an order that adds to a position keeps its protection, and targets then close parts of all of it',
  async (account, service) => {
    const { fill, add, row } = await bench(service, account)
    await fill({ id: 1, protection: stop }, flatPosition(), held('1'))
    await fill({ id: 2, protection: null }, held('1'), held('1.5'))
    assert.equal(await add(held('1.5'), held('2')), true)
    assert.equal(await add(held('2'), held('1')), false)
    const stored = await row()
    assert.deepEqual([stored!.settings, stored!.openedSize, stored!.orderId], [stop, '2', 1])
  },
)

withBotService(
  'a position that opens without protection gets none, not even from a remainder',
  async (account, service) => {
    const { fill, row } = await bench(service, account)
    assert.equal(await fill({ id: 1, protection: null }, flatPosition(), held('1')), false)
    assert.equal(await row(), undefined)
    await fill({ id: 2, protection: stop }, flatPosition(), held('1'))
    await fill({ id: 3, protection: {} }, held('0.0001'), held('1'))
    assert.equal(await row(), undefined)
  },
)

withBotService('the protection of a flip replaces that of the position before', async (account, service) => {
  const { fill, row } = await bench(service, account)
  await fill({ id: 1, protection: stop }, flatPosition(), held('1'))
  const first = await row()
  const later: Protection = { ...noProtection, exit_after_seconds: 60 }
  await fill({ id: 2, protection: later }, held('1'), held('3', 2_000, 'short'))
  const second = await row()
  assert.deepEqual([second!.settings, second!.openedSize, second!.orderId], [later, '3', 2])
  assert.equal(second!.openedAt.getTime(), 2_000)
  assert.ok(second!.generation > first!.generation)
})
