import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { makeBot } from '../../test/bot.ts'
import { withDatabase } from '../../test/databases.ts'
import { keyOf, openLive } from '../../test/live.ts'
import { expect } from '../../test/reaction.ts'
import { openProcessor } from '../../test/signal-processor.ts'
import { until } from '../../test/until.ts'
import { withAccount } from '../../test/with-service.ts'
import { botSignals, signals } from '../db/schema.ts'
import { Delays } from './delays.ts'
import { deletedReason } from './holdings.ts'
import { queueCloses } from './queued-closes.ts'

const bots = '/api/v2/bot/signal/cex'
const buy = { symbol: 'BTCUSDT', side: 'BUY' }

withAccount('a bot follows a signal after its delay, and shows until when it waits', async (client) => {
  const bot = await makeBot(client, { delay_seconds: 600 })
  const { body: posted } = await bot.send(buy)
  assert.equal(posted.bots, 1)
  const dueAfter = (seconds: number) =>
    new Date(Date.parse(posted.received_at) + seconds * 1_000).toISOString()
  const dueAt = dueAfter(600)
  const [delayed] = await expect(200, client.api('GET', `${bots}/${bot.id}/signals`))
  assert.deepEqual([delayed.status, delayed.due_at, delayed.finished_at], ['DELAYED', dueAt, null])
  const [signal] = await expect(200, client.api('GET', `/api/v2/signal?webhook_id=${bot.webhookId}`))
  assert.deepEqual([signal.delivered, signal.bots[0].due_at], [true, dueAt])
  assert.deepEqual(await bot.orders(), [])
  // Only now, because a busy machine may have taken seconds until here.
  await expect(200, client.api('PUT', `${bots}/${bot.id}`, { delay_seconds: 2 }))
  const [followed] = await bot.followed(1)
  assert.equal(followed!.status, 'DONE')
  const [order] = await bot.orders()
  assert.ok(order.created_at >= dueAfter(2), `${order.created_at} is before ${dueAfter(2)}`)
})

withAccount('a delay delays a close too, but not one that the owner asks for', async (client) => {
  const bot = await makeBot(client)
  const own = `${bots}/${bot.id}`
  await bot.send(buy)
  await bot.followed(1)
  const changed = await expect(200, client.api('PUT', own, { delay_seconds: 86_400 }))
  assert.equal(changed.delay_seconds, 86_400)
  await bot.send({ ...buy, side: 'EXIT' })
  await bot.send(buy)
  await expect(200, client.api('POST', `${own}/close`, {}))
  await bot.followed(2)
  assert.deepEqual(await bot.positions(), [])
  const statuses = async () =>
    (await expect(200, client.api('GET', `${own}/signals`))).map(({ status }: { status: string }) => status)
  assert.deepEqual((await statuses()).toReversed(), ['DONE', 'DELAYED', 'DELAYED', 'DONE'])
  // What waits already follows the new delay, in its order.
  const [, last, exit] = await expect(200, client.api('GET', `${own}/signals`))
  await expect(409, client.api('POST', `${own}/signals/${exit.id}/proceed`))
  assert.equal((await expect(200, client.api('POST', `${own}/signals/${last.id}/drop`))).status, 'IGNORED')
  await bot.send({ ...buy, side: 'SELL' })
  await expect(200, client.api('PUT', own, { delay_seconds: 0 }))
  await bot.followed(5)
  assert.deepEqual((await statuses()).toReversed(), ['DONE', 'IGNORED', 'IGNORED', 'DONE', 'DONE'])
  for (const delay_seconds of [-1, 86_401, 1.5, '5s', null]) {
    const { details } = await expect(400, client.api('PUT', own, { delay_seconds }))
    assert.equal(details[0].field, 'body.delay_seconds')
  }
})

withAccount(
  'a stream tells until when a signal waits now, and that a bot that is deleted drops it',
  async (client, { url }) => {
    const bot = await makeBot(client, { delay_seconds: 3_600 })
    await expect(202, bot.send(buy))
    await using stream = await openLive(url, '?kind=bot_signal', { key: await keyOf(client) })
    await expect(200, client.api('PUT', `${bots}/${bot.id}`, { delay_seconds: 7_200 }))
    const { data: later } = await stream.next()
    assert.equal(Date.parse(later.due_at) - Date.parse(later.queued_at), 7_200_000)
    await expect(200, client.api('DELETE', `${bots}/${bot.id}`))
    const { data: dropped } = await stream.next()
    assert.deepEqual([dropped.id, dropped.status, dropped.reason], [later.id, 'IGNORED', deletedReason])
  },
)

withAccount('a bot that was switched off during a delay opens nothing', async (client) => {
  const bot = await makeBot(client, { delay_seconds: 3_600 })
  await bot.send(buy)
  await expect(200, client.api('PUT', `${bots}/${bot.id}/status`, { status: 'INACTIVE' }))
  await expect(200, client.api('PUT', `${bots}/${bot.id}`, { delay_seconds: 0 }))
  const [signal] = await bot.followed(1)
  assert.equal(signal!.status, 'REFUSED')
  await bot.send(buy)
  await expect(200, client.api('DELETE', `${bots}/${bot.id}`))
})

withDatabase('signals of a symbol keep their order, however long the delay of each was', async (place) => {
  await using bench = await openProcessor(place)
  const { db } = bench.database
  const set = (id: number, values: Partial<typeof botSignals.$inferInsert>) =>
    db.update(botSignals).set(values).where(eq(botSignals.id, id))
  const first = await bench.send('BTCUSDT', 'LONG')
  await set(first, { status: 'DELAYED', dueAt: new Date(Date.now() + 3_600_000) })
  await bench.send('btc-usdt', 'EXIT')
  await bench.send('ETHUSDT', 'LONG')
  await db.transaction((tx) =>
    queueCloses(tx, {
      ...{ userId: bench.userId, botId: bench.botId, symbols: ['BTC/USDT:USDT'] },
      ...{ origin: 'owner', now: new Date() },
    }),
  )
  bench.processor.wake()
  assert.deepEqual(await bench.ended(2), [
    ...['BTCUSDT DELAYED', 'btc-usdt QUEUED', 'ETHUSDT DONE'],
    'BTC/USDT:USDT IGNORED',
  ])
  // It does not look again and again for what cannot begin.
  await until('the processor to rest', async () => bench.processor.isIdle)
  bench.processor.wake()
  await until('the processor to rest', async () => bench.processor.isIdle)
  assert.equal((await bench.rows())[1]!.status, 'QUEUED')
  await set(first, { status: 'QUEUED' })
  bench.processor.wake()
  assert.deepEqual((await bench.ended(4)).slice(0, 2), ['BTCUSDT DONE', 'btc-usdt DONE'])
})

withDatabase('the age of a signal counts from the end of its delay', async (place) => {
  await using bench = await openProcessor(place, { settings: { maxSignalAgeSeconds: 60 } })
  const { db } = bench.database
  const hourAgo = new Date(Date.now() - 3_600_000)
  for (const [symbol, dueAt] of [
    ['BTCUSDT', new Date()],
    ['ETHUSDT', new Date(Date.now() - 61_000)],
    ['SOLUSDT', null],
  ] as const) {
    const id = await bench.send(symbol, 'LONG')
    const [row] = await db.update(botSignals).set({ dueAt }).where(eq(botSignals.id, id)).returning()
    await db.update(signals).set({ createdAt: hourAgo }).where(eq(signals.id, row!.signalId))
  }
  bench.processor.wake()
  assert.deepEqual(await bench.ended(3), ['BTCUSDT DONE', 'ETHUSDT REFUSED', 'SOLUSDT REFUSED'])
})

withDatabase('delays end once, on time, whichever node is there at the time', async (place) => {
  await using bench = await openProcessor(place)
  const { database, botId } = bench
  const startedMs = Date.now()
  const dueIn = async (ms: number) => {
    const id = await bench.send('BTCUSDT', 'LONG')
    const values = { status: 'DELAYED' as const, dueAt: new Date(startedMs + ms) }
    await database.db.update(botSignals).set(values).where(eq(botSignals.id, id))
    return id
  }
  // One was due while no node was there, one is due soon, and one much later.
  const ids = [await dueIn(-5_000), await dueIn(700), await dueIn(3_600_000)]
  const released: { id: number; atMs: number }[] = []
  const node = () =>
    new Delays({
      database,
      onReleased: (botIds, botSignalIds) => {
        assert.deepEqual(botIds, [botId])
        for (const id of botSignalIds) released.push({ id, atMs: Date.now() - startedMs })
      },
      onError: (error) => assert.fail(String(error)),
      // The timer alone finds the second one in time.
      sweepMs: 60_000,
    })
  const nodes = [node(), node()]
  for (const each of nodes) each.start()
  await until('two releases', async () => released.length >= 2)
  for (const each of nodes) await each.stop()
  // If both were due when the nodes started, either node may have been first.
  const [early, late, ...others] = released.toSorted((one, other) => one.id - other.id)
  assert.deepEqual([early!.id, late!.id, others], [...ids.slice(0, 2), []])
  assert.ok(late!.atMs >= 700, `${late!.atMs} ms`)
  const statuses = (await bench.rows()).map(({ status }) => status)
  assert.deepEqual(statuses, ['QUEUED', 'QUEUED', 'DELAYED'])
})
