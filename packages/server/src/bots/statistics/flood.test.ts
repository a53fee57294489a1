import assert from 'node:assert/strict'
import { type Account, makeBot, withBotService } from '../../../test/bots.ts'
import { bookFills, type Filled } from '../../../test/trades.ts'

const minuteMs = 60_000
const start = Date.UTC(2026, 0, 1)

const fillsOf = (count: number): Filled[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ side: index % 2 === 0 ? 'buy' : 'sell', size: '1', price: `${100 + (index % 7)}`, fee: '0.1' },
    at: new Date(start + index * minuteMs),
  }))

/** Asks for the statistics of many periods at once. */
const ask = (account: Account, path: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    account.api('GET', `${path}?since=${new Date(start - index * minuteMs).toISOString()}`),
  )

withBotService(
  'a flood of calculations is bounded for its user, and others get theirs meanwhile',
  async (account, service) => {
    const bot = await makeBot(service, account, { start_balance: '1000' })
    await bookFills(service.database, bot.owner, fillsOf(4_001))
    const other = await service.account()
    const otherBot = await makeBot(service, other, { start_balance: '1000' })
    await bookFills(service.database, otherBot.owner, fillsOf(2))
    for (const path of [`${bot.own}/stats`, '/stats']) {
      let answered = 0
      const flood = ask(account, path, 40)
      for (const each of flood) void each.then(({ status }) => (answered += status === 200 ? 1 : 0))
      const others = await Promise.all([
        other.api('GET', path === '/stats' ? path : `${otherBot.own}/stats`),
        // The bot of somebody else is not there, flood or not.
        other.api('GET', `${bot.own}/stats`),
      ])
      assert.deepEqual(
        others.map(({ status }) => status),
        [200, 404],
      )
      const before = answered
      const answers = await Promise.all(flood)
      assert.ok(before < answered, 'the other user waited for all of the flood')
      const refused = answers.filter(({ status }) => status !== 200)
      assert.ok(refused.length > 0 && answered >= 8, `${answered} were answered`)
      for (const { status, body, headers } of refused) {
        assert.deepEqual([status, body.code, headers.get('retry-after')], [429, 'rate_limited', '1'])
      }
      assert.equal((await account.api('GET', path)).status, 200)
    }
  },
)

withBotService('requests for the same statistics share one calculation', async (account, service) => {
  const bot = await makeBot(service, account, { start_balance: '1000' })
  await bookFills(service.database, bot.owner, fillsOf(1_200))
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => account.api('GET', `${bot.own}/stats?until=2026-02-01T00:00:00Z`)),
  )
  // More than a user may have under way, so without sharing some would be refused.
  for (const { status, body } of answers) {
    assert.equal(status, 200)
    assert.deepEqual(body, answers[0]!.body)
  }
  assert.equal(answers[0]!.body.trades.closed, 600)
})
