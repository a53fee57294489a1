import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { withWorld } from '../../../test/couriers.ts'
import { plainSettings } from '../../../test/trading.ts'
import { until } from '../../../test/until.ts'
import { noNote } from '../../accounts/audit-log.ts'
import { bots, fills, notificationEndpoints, notifications, payments, positions } from '../../db/schema.ts'
import type { DigestMoney } from './content.ts'
import { DigestWriter } from './writer.ts'

withWorld(
  'an endpoint gets one digest a day from two nodes, which adds neither paper and money nor currencies',
  async ({ database, userId, clock, endpoints }) => {
    const { db } = database
    const made = await db
      .insert(bots)
      .values([
        { userId, name: 'a', mode: 'paper', exchangeId: 3, settings: plainSettings },
        { userId, name: 'b', mode: 'live', exchangeId: 3, settings: plainSettings, status: 'ACTIVE' },
      ])
      .returning()
    const [paper, live] = made.map(({ id }) => id)
    let count = 0
    const fill = (
      botId: number,
      symbol: string,
      realised: string,
      at: string,
      booked: string | null = at,
    ) => {
      const of = {
        botId,
        userId,
        symbol,
        tradeId: String(++count),
        side: 'buy' as const,
        size: '1',
        price: '1',
      }
      const times = { filledAt: new Date(at), bookedAt: booked === null ? null : new Date(booked) }
      return { ...of, orderId: count, fee: '0', feeAsset: 'USDT', realised, ...times }
    }
    await db.insert(fills).values([
      fill(paper!, 'BTC/USDT', '0.1', '2026-01-15T07:00:00Z'),
      // From before there were times of booking.
      fill(paper!, 'ETH/USDT:USDT', '0.2', '2026-01-14T09:00:00Z', null),
      fill(paper!, 'ETH/EUR', '5', '2026-01-15T07:00:00Z'),
      fill(live!, 'BTC/USDT', '-7.5', '2026-01-15T07:00:00Z'),
      // At the moment up to which the first digest tells, so in the second only.
      fill(paper!, 'ETH/EUR', '1', '2026-01-15T07:59:01Z'),
      // Found only after the first digest, and too long after it happened.
      fill(paper!, 'ETH/EUR', '10', '2026-01-01T07:00:00Z', '2026-01-16T07:00:00Z'),
      fill(paper!, 'ETH/EUR', '1000', '2025-11-15T07:00:00Z', '2026-01-16T07:00:00Z'),
      // Before, and after.
      fill(live!, 'BTC/USDT', '100', '2026-01-14T07:00:00Z'),
      fill(live!, 'BTC/USDT', '100', '2026-01-15T08:30:00Z'),
    ])
    const funding = (value: string, at: string, booked: string | null) => {
      const of = { botId: paper!, userId, symbol: 'ETH/EUR', kind: 'funding' as const, asset: 'EUR' }
      const bookedAt = booked === null ? null : new Date(booked)
      return { ...of, paymentId: at, amount: value, value, paidAt: new Date(at), bookedAt }
    }
    await db.insert(payments).values([
      funding('0.5', '2026-01-14T16:00:00Z', null),
      funding('0.25', '2026-01-15T00:00:00Z', '2026-01-15T00:37:00Z'),
      // Paid before the first digest, and booked after it.
      funding('-0.125', '2026-01-15T07:00:00Z', '2026-01-15T08:37:00Z'),
    ])
    const held = { userId, symbol: 'BTC/USDT', size: '1', realised: '0', fees: '0', updatedAt: new Date() }
    await db.insert(positions).values({ ...held, botId: live!, side: 'long', entryPrice: '1' })
    clock.nowMs = Date.parse('2026-01-15T07:30:00Z')
    const place = { kind: 'webhook' as const, fields: { url: 'https://example.com/' }, description: '' }
    const digest = { at: '08:00', time_zone: 'UTC' }
    const { endpoint } = await endpoints.create(userId, { ...place, events: ['run.failed'], digest }, noNote)
    const errors: unknown[] = []
    const writers = [1, 2].map(
      () =>
        new DigestWriter({
          ...{ database, onTold: () => undefined, onError: (error) => void errors.push(error) },
          ...{ sweepMs: 20, now: () => clock.nowMs },
        }),
    )
    const due = async () => {
      const [row] = await db
        .select()
        .from(notificationEndpoints)
        .where(eq(notificationEndpoints.id, endpoint.id))
      return row!.digestDueAt?.toISOString()
    }
    const dueAt = (iso: string) => until(`a digest due at ${iso}`, async () => (await due()) === iso)
    const told = () => db.select().from(notifications)
    for (const writer of writers) writer.start()
    try {
      await dueAt('2026-01-15T08:00:00.000Z')
      assert.equal((await told()).length, 0)
      clock.nowMs = Date.parse('2026-01-15T08:00:01Z')
      await dueAt('2026-01-16T08:00:00.000Z')
      const [one, ...more] = await told()
      assert.deepEqual([one!.type, more], ['digest', []])
      const shared = { demo: false, open_positions: 0 }
      assert.deepEqual(
        one!.data.money,
        [
          { ...shared, mode: 'live', currency: 'USDT', realised: '-7.5', orders: 1, open_positions: 1 },
          { ...shared, mode: 'paper', currency: 'EUR', realised: '5.75', orders: 1 },
          { ...shared, mode: 'paper', currency: 'USDT', realised: '0.3', orders: 2 },
        ].toSorted((a, b) => a.mode.localeCompare(b.mode)),
      )
      assert.deepEqual([one!.data.bots, one!.data.active_bots], [2, 1])
      const span = ['2026-01-14T07:59:01.000Z', '2026-01-15T07:59:01.000Z']
      assert.deepEqual([one!.data.since, one!.data.until], span)
      // Another time on the same day is one for the next day.
      await endpoints.update(userId, endpoint.id, { digest: { at: '09:00', time_zone: 'UTC' } }, noNote)
      clock.nowMs = Date.parse('2026-01-15T09:30:00Z')
      await dueAt('2026-01-16T09:00:00.000Z')
      assert.equal((await told()).length, 1)
      // Several that were missed are one.
      clock.nowMs = Date.parse('2026-01-20T10:00:00Z')
      await dueAt('2026-01-21T09:00:00.000Z')
      const both = await told()
      assert.equal(both.length, 2)
      const second = both.find(({ id }) => id !== one!.id)!
      const euros = (second.data.money as DigestMoney[]).find(({ currency }) => currency === 'EUR')
      assert.deepEqual([euros?.realised, euros?.orders], ['10.875', 2])
      assert.deepEqual([second.data.since, second.data.until], [one!.data.until, '2026-01-20T09:59:00.000Z'])
      // The day on which it came has no second one, although it was due on an earlier day.
      await endpoints.update(userId, endpoint.id, { digest: { at: '11:00', time_zone: 'UTC' } }, noNote)
      clock.nowMs = Date.parse('2026-01-20T11:30:00Z')
      await dueAt('2026-01-21T11:00:00.000Z')
      assert.equal((await told()).length, 2)
    } finally {
      for (const writer of writers) await writer.stop()
    }
    assert.deepEqual(errors, [])
  },
)
