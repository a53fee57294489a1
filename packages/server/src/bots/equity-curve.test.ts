import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { type Account, type BotService, makeBot, withBotService } from '../../test/bots.ts'
import { expect } from '../../test/reaction.ts'
import { equity } from '../db/schema.ts'

type Point = { at: string; balance: string; unrealised: string; equity: string }
const start = Date.UTC(2026, 0, 1)
const secondsOn = (seconds: number) => new Date(start + seconds * 1000)

const curve = (account: Account, own: string, query = ''): Promise<Point[]> =>
  expect(200, account.api('GET', `${own}/equity?${query}`))

/** Adds one point per second. The balance of each is its number. */
async function addPoints({ database }: BotService, botId: number, count: number): Promise<void> {
  await database.db.execute(sql`
    insert into ${equity} (bot_id, at, balance, unrealised)
    select ${botId}, ${secondsOn(0).toISOString()}::timestamptz + n * interval '1 second', n, '-0.50'
    from generate_series(0, ${count - 1}::int) n`)
}

withBotService(
  'the equity curve has a point after each fill of the requested period, the oldest first',
  async (account, service) => {
    const bot = await makeBot(service, account)
    assert.deepEqual(await curve(account, bot.own), [])
    await addPoints(service, bot.id, 1000)
    await addPoints(service, (await makeBot(service, account)).id, 3)
    const points = await curve(account, bot.own)
    assert.deepEqual(
      points.map(({ balance }) => balance),
      Array.from({ length: 1000 }, (_, n) => `${n}`),
    )
    const third = { at: secondsOn(2).toISOString(), balance: '2', unrealised: '-0.5', equity: '1.5' }
    assert.deepEqual(points[2], third)
    const span = `since=${secondsOn(2).toISOString()}&until=${secondsOn(4).toISOString()}`
    assert.deepEqual(await curve(account, bot.own, span), points.slice(2, 5))
    const inverted = `since=${secondsOn(4).toISOString()}&until=${secondsOn(2).toISOString()}`
    assert.deepEqual(await curve(account, bot.own, inverted), [])
  },
)

withBotService(
  'a long history becomes evenly spaced points, with the first and the last one',
  async (account, service) => {
    const bot = await makeBot(service, account)
    const count = 20_000
    await addPoints(service, bot.id, count)
    const numbers = (await curve(account, bot.own)).map(({ balance }) => Number(balance))
    assert.equal(numbers.length, 1000)
    const even = (count - 1) / 999
    for (const [index, number] of numbers.entries()) {
      assert.ok(Math.abs(number - index * even) <= 1, `point ${index} is number ${number}`)
    }
    assert.deepEqual([numbers[0], numbers.at(-1)], [0, count - 1])
    const part = await curve(account, bot.own, `since=${secondsOn(1_000).toISOString()}`)
    assert.deepEqual([part.length, part[0]!.balance, part.at(-1)!.balance], [1000, '1000', `${count - 1}`])
  },
)

withBotService('of many fills at the same time, the last one counts', async (account, service) => {
  const bot = await makeBot(service, account)
  const point = { botId: bot.id, at: secondsOn(5), unrealised: '0' }
  const points = Array.from({ length: 1500 }, (_, n) => ({ ...point, balance: `${n}` }))
  await service.database.db.insert(equity).values(points)
  assert.deepEqual(
    (await curve(account, bot.own)).map(({ balance }) => balance),
    ['1499'],
  )
})
