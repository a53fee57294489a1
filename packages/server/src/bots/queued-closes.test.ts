import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { addBotSignal, type BotService, eachBotService, makeBot } from '../../test/bots.ts'
import { botSignals, signals } from '../db/schema.ts'
import { queueCloses } from './queued-closes.ts'

const now = new Date('2026-11-22T10:00:00Z')
const symbols = ['BTC/USDT', 'ETH/USDT']

const queue = ({ database }: BotService, owner: { userId: number; botId: number }, changes = {}) =>
  database.db.transaction((tx) => queueCloses(tx, { ...owner, symbols, origin: 'owner', now, ...changes }))

eachBotService(
  'each symbol to close gets one EXIT, even if it is asked for twice at once',
  async (account, on) => {
    const { owner } = await makeBot(on, account)
    // Another's signal in progress does not count as a close that the owner wants.
    await addBotSignal(on, owner, { symbol: 'BTC/USDT', status: 'WORKING' })
    const [first, second] = await Promise.all([queue(on, owner), queue(on, owner)])
    assert.deepEqual(first.botSignalIds, second.botSignalIds)
    assert.equal([first, second].filter(({ signalId }) => signalId !== null).length, 1)

    const { db } = on.database
    const signalId = first.signalId ?? second.signalId!
    const [signal] = await db.select().from(signals).where(eq(signals.id, signalId))
    assert.deepEqual(
      [
        signal!.action,
        signal!.origin,
        signal!.strategyId,
        signal!.webhookId,
        signal!.delivered,
        signal!.symbols,
      ],
      ['EXIT', 'owner', null, null, true, symbols],
    )
    const rows = await db.select().from(botSignals).where(eq(botSignals.signalId, signalId))
    assert.deepEqual(
      rows.map(({ id, symbol, status, queuedAt }) => [id, symbol, status, queuedAt]),
      first.botSignalIds.map((id, index) => [id, symbols[index], 'QUEUED', now]),
    )
  },
)

eachBotService('a close that has ended, or has another origin, is queued again', async (account, on) => {
  const { owner } = await makeBot(on, account)
  const first = await queue(on, owner)
  const ofLimit = await queue(on, owner, { origin: 'limit', symbols: ['ETH/USDT', 'ETH/USDT'] })
  assert.equal(ofLimit.botSignalIds.length, 1)
  assert.ok(!first.botSignalIds.includes(ofLimit.botSignalIds[0]!))
  const { db } = on.database
  await db.update(botSignals).set({ status: 'DONE' }).where(eq(botSignals.id, first.botSignalIds[0]!))
  const again = await queue(on, owner)
  assert.notEqual(again.botSignalIds[0], first.botSignalIds[0])
  assert.equal(again.botSignalIds[1], first.botSignalIds[1])
  assert.deepEqual(await queue(on, owner, { symbols: [] }), { signalId: null, botSignalIds: [] })
})
