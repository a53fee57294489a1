/** What fills do to the protection of a position. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { type Account, addPosition, type BotService, makeBot, withBotService } from '../../../test/bots.ts'
import { expect } from '../../../test/reaction.ts'
import { type Protection, positionProtections, reconciliations } from '../../db/schema.ts'
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

withBotService('while books and account differ, a protected position says so', async (account, service) => {
  const { owner } = await makeBot(service, account)
  const { botId, userId } = owner
  const { db } = service.database
  const openedAt = new Date(1_000)
  await addPosition(service, owner, { symbol, size: '1', openedAt })
  const ofBot = { botId, symbol, openedAt, openedSize: '1', settings: stop }
  await db.insert(positionProtections).values(ofBot)
  const compared = { userId, botId, symbol, booksSize: '1', accountSize: '3' }
  const now = new Date()
  const times = { checkedAt: now, knownUntil: now, fundingUntil: now }
  await db.insert(reconciliations).values({ ...compared, status: 'DIFFERS', differsSince: now, ...times })
  const shown = async () => {
    const [position] = await expect(200, account.api('GET', `/position?bot_id=${botId}`))
    return position.protection
  }
  const { state, kept_at, note } = await shown()
  assert.deepEqual([state, kept_at], ['ADRIFT', 'service'])
  assert.match(note, /^Books and account differ\. Until you adopt or ignore the difference/)
  await db
    .update(reconciliations)
    .set({ status: 'AGREES', differsSince: null })
    .where(eq(reconciliations.botId, botId))
  assert.equal((await shown()).state, 'WATCHED')
})
