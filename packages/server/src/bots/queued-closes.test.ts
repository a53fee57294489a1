import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { addBotSignal, addPosition, type BotService, makeBot, withBotService } from '../../test/bots.ts'
import { AppError } from '../base/errors.ts'
import { botSignals, signals } from '../db/schema.ts'
import { Closes } from './closes.ts'
import { queueCloses } from './queued-closes.ts'

const now = new Date('2026-11-22T10:00:00Z')
const symbols = ['BTC/USDT', 'ETH/USDT']

const refusal = (status: number, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError)
  assert.equal(error.status, status)
  assert.match(error.message, message)
  return true
}

const queue = ({ database }: BotService, owner: { userId: number; botId: number }, changes = {}) =>
  database.db.transaction((tx) => queueCloses(tx, { ...owner, symbols, origin: 'owner', now, ...changes }))

withBotService(
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

withBotService('a close that has ended, or has another origin, is queued again', async (account, on) => {
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

withBotService('a spelling closes only the contract that it means', async (account, service) => {
  const bot = await makeBot(service, account)
  const { userId, botId } = bot.owner
  const perpetual = 'BTC/USDT:USDT'
  const dated = 'BTC/USDT:USDT-261225'
  for (const symbol of [perpetual, dated]) await addPosition(service, bot.owner, { symbol })
  const closes = new Closes({ database: service.database, onBots: () => undefined })
  const close = async (spelling: string) =>
    (await closes.close(userId, botId, spelling, async () => undefined)).map(({ symbol }) => symbol)
  await assert.rejects(
    close('btcusdt'),
    refusal(409, /can mean: BTC\/USDT:USDT, BTC\/USDT:USDT-261225\. Name one of them in full/),
  )
  await assert.rejects(close('BTC/USDT:USDT-270326'), refusal(409, /no position in BTC\/USDT:USDT-270326/))
  assert.deepEqual(await close(dated.toLowerCase()), [dated])
  assert.deepEqual(await close(perpetual), [perpetual])
})

withBotService('the closes and the panic of another user touch no bot', async (account, service) => {
  const bot = await makeBot(service, account)
  const stranger = await service.account()
  const own = await makeBot(service, stranger)
  for (const { owner } of [bot, own]) await addPosition(service, owner)
  const waiting = await addBotSignal(service, bot.owner, { status: 'WAITING' })
  const closes = new Closes({ database: service.database, onBots: () => undefined })
  const note = async () => undefined
  const { userId } = stranger
  await assert.rejects(closes.close(userId, bot.id, undefined, note), refusal(404, /bot/))
  await assert.rejects(closes.proceed(userId, bot.id, waiting.id, note), refusal(404, /bot/))
  await assert.rejects(closes.drop(userId, bot.id, waiting.id, note), refusal(404, /bot/))
  await assert.rejects(closes.drop(userId, own.id, waiting.id, note), refusal(404, /signal/))
  const [first, second] = await Promise.all([closes.panic(userId, note), closes.panic(userId, note)])
  for (const panicked of [first, second])
    assert.deepEqual(
      panicked.map(({ id }) => id),
      [own.id],
    )
  assert.deepEqual(first[0]!.closes, second[0]!.closes)
  const rows = await service.database.db.select().from(botSignals).where(eq(botSignals.botId, bot.id))
  assert.deepEqual(rows, [waiting])
})
