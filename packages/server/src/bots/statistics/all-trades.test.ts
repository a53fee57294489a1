import assert from 'node:assert/strict'
import { type Account, addConnection, makeBot, withBotService } from '../../../test/bots.ts'
import { expect } from '../../../test/reaction.ts'
import { bookFills, bookPayment, bookTogether, type Filled } from '../../../test/trades.ts'
import { AllTrades } from './all-trades.ts'
import { FillWalks } from './fill-walk.ts'
import { Trades } from './trades.ts'

// biome-ignore lint/suspicious/noExplicitAny: a response of the API
type Item = any
type Page = { items: Item[]; limit: number; next: number | null }

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000)
const symbols = ['BTC/USDT:USDT', 'ETH/USDT:USDT', 'SOL/USDT']

const read = (account: Account, query = ''): Promise<Page> =>
  expect(200, account.api('GET', `/trade?${query}`))

const idsOf = ({ items }: Page): number[] => items.map(({ id }) => id)

/** Round trips of one unit, one each two minutes, in turn in these symbols. */
function roundTrips(count: number, of: readonly string[] = symbols.slice(0, 1)): Filled[] {
  return Array.from({ length: count * 2 }, (_, n) => ({
    side: n % 2 === 0 ? ('buy' as const) : ('sell' as const),
    size: '1',
    price: String(100 + n),
    fee: '0.5',
    at: at(n),
    symbol: of[Math.floor(n / 2) % of.length]!,
  }))
}

/** One position that only grows: a hundred fills open no trade. */
const growing = (count: number): Filled[] =>
  Array.from({ length: count }, (_, n) => ({
    side: 'buy',
    size: '1',
    price: '50',
    at: at(n),
    symbol: 'XRP/USDT',
  }))

/** Follows a cursor to the end of the list. */
async function walk(account: Account, first: string, more: (next: number) => string): Promise<number[][]> {
  const pages: number[][] = []
  for (let query = first; ; ) {
    const page = await read(account, query)
    pages.push(idsOf(page))
    if (page.next === null) return pages
    query = more(page.next)
  }
}

withBotService(
  'the list has the trades of all bots as the bots have them, up and down',
  async (account, service) => {
    const bots = [
      await makeBot(service, account),
      await makeBot(service, account),
      await makeBot(service, account),
    ]
    const [first, second, third] = bots.map(({ owner }) => owner)
    await bookTogether(service.database, [
      { owner: first!, filled: roundTrips(600, symbols) },
      { owner: second!, filled: growing(700) },
      {
        owner: third!,
        filled: [
          ...growing(1),
          ...roundTrips(90),
          ...growing(1).map((fill) => ({ ...fill, side: 'sell' as const })),
        ],
      },
    ])
    await bookPayment(service.database, first!, { symbol: symbols[0]!, value: '-0.25', at: at(0.5) })
    const ofBots: Item[] = []
    for (const { own } of bots) {
      for (let before = ''; ; ) {
        const { items, next } = await expect(200, account.api('GET', `${own}/trades?limit=200${before}`))
        ofBots.push(...items)
        if (next === null) break
        before = `&before=${next}`
      }
    }
    ofBots.sort((a, b) => b.id - a.id)
    const all = ofBots.map(({ id }) => id)
    assert.equal(all.length, 600 + 1 + 91)
    const down = await walk(account, 'limit=70', (next) => `limit=70&before=${next}`)
    assert.deepEqual(down.flat(), all)
    assert.ok(down.slice(0, -1).every((ids) => ids.length === 70))
    const up = await walk(account, `limit=70&after=${all.at(-1)}`, (next) => `limit=70&after=${next}`)
    assert.deepEqual(up.toReversed().flat(), all.slice(0, -1))
    const between = await read(account, `before=${all[3]}&after=${all[6]}`)
    assert.deepEqual(idsOf(between), all.slice(4, 6))
    const newest = await read(account, 'limit=200')
    assert.deepEqual(newest.items, ofBots.slice(0, 200))
  },
)

withBotService('filters leave the trades of a bot, a symbol, a mode and a time', async (account, service) => {
  const paper = await makeBot(service, account)
  const ofExchange = async (isDemo: boolean) => {
    const connection_id = await addConnection(service, account, { isDemo })
    return makeBot(service, account, { mode: 'live', exchange_id: 2, connection_id })
  }
  const [demo, live] = [await ofExchange(true), await ofExchange(false)]
  const gone = await makeBot(service, account)
  await bookTogether(
    service.database,
    [paper, demo, live, gone].map(({ owner }) => ({ owner, filled: roundTrips(3, symbols) })),
  )
  await expect(200, account.api('DELETE', `${gone.own}?abandon_positions=true`))
  const botsIn = async (query: string) =>
    [...new Set((await read(account, query)).items.map(({ bot_id }) => bot_id))].sort((a, b) => a - b)
  assert.deepEqual(await botsIn(''), [paper.id, demo.id, live.id, gone.id])
  assert.deepEqual(await botsIn('mode=paper'), [paper.id])
  assert.deepEqual(await botsIn('mode=live'), [demo.id, live.id])
  assert.deepEqual(await botsIn('mode=live&demo=false'), [live.id])
  assert.deepEqual(await botsIn('demo=true'), [demo.id])
  assert.deepEqual(await botsIn('demo=false'), [paper.id, live.id])
  assert.deepEqual(await botsIn(`bot_id=${live.id}&mode=paper`), [])
  assert.deepEqual(await botsIn(`bot_id=${gone.id}`), [gone.id])
  assert.deepEqual(await botsIn('mode=paper&demo=true'), [])
  const shown = await read(account, `bot_id=${gone.id}`)
  assert.deepEqual(
    [...shown.items, ...(await read(account, 'demo=true')).items].map((item) => item.demo),
    [null, null, null, true, true, true],
  )
  const ofSymbol = await read(account, 'symbol=eth-usdt')
  assert.deepEqual(new Set(ofSymbol.items.map(({ symbol }) => symbol)), new Set(['ETH/USDT:USDT']))
  assert.equal(ofSymbol.items.length, 4)
  // The second trade of each bot begins two minutes after the first, the third two minutes later.
  const span = `since=${at(1).toISOString()}&until=${at(3).toISOString()}`
  const within = await read(account, `${span}&limit=3`)
  assert.equal(within.items.length, 3)
  assert.ok(within.items.every(({ opened_at }) => opened_at === at(2).toISOString()))
  assert.equal((await read(account, `${span}&before=${within.next}`)).items.length, 1)
})

withBotService('another user sees none of them, not even by id', async (account, service) => {
  const bot = await makeBot(service, account)
  await bookFills(service.database, bot.owner, roundTrips(2))
  const other = await service.account()
  const theirs = await makeBot(service, other)
  await bookFills(service.database, theirs.owner, roundTrips(1))
  const [own] = await Promise.all([read(other), read(account)])
  assert.deepEqual(
    own.items.map(({ bot_id }) => bot_id),
    [theirs.id],
  )
  for (const query of [`bot_id=${bot.id}`, `bot_id=${bot.id}&mode=paper`, `bot_id=${bot.id}&after=1`]) {
    assert.deepEqual((await read(other, query)).items, [], query)
  }
})

withBotService('only bots whose fills may be on the page are walked through', async (account, service) => {
  const { database } = service
  const old = await makeBot(service, account)
  await bookFills(database, old.owner, roundTrips(400))
  const latest = await makeBot(service, account)
  await bookFills(database, latest.owner, roundTrips(400))
  const walks = new FillWalks(database)
  const trades = new AllTrades(database, new Trades(database, walks, { latest: () => null }))
  const { signal } = new AbortController()
  assert.equal((await trades.list(account.userId, {}, { limit: 50 }, signal)).length, 50)
  // A walk remembers places, and there is always the beginning.
  assert.equal(walks.marks(old.id).length, 1)
  assert.ok(walks.marks(latest.id).length > 1)
})

withBotService('a flood of lists is bounded, and the same list is read once', async (account, service) => {
  const bot = await makeBot(service, account)
  await bookFills(service.database, bot.owner, roundTrips(2_000))
  const same = await Promise.all(Array.from({ length: 30 }, () => account.api('GET', '/trade?limit=5')))
  assert.deepEqual(new Set(same.map(({ status }) => status)), new Set([200]))
  const flood = await Promise.all(
    Array.from({ length: 40 }, (_, n) => account.api('GET', `/trade?limit=${n + 1}`)),
  )
  const refused = flood.filter(({ status }) => status !== 200)
  assert.ok(refused.length > 0)
  for (const { status, body } of refused) assert.deepEqual([status, body.code], [429, 'rate_limited'])
  assert.equal((await account.api('GET', '/trade')).status, 200)
})

withBotService('what no list has is refused by name', async (account) => {
  for (const [query, field] of [
    ['before=5&after=5', 'before'],
    ['limit=201', 'limit'],
    ['bot_id=0', 'bot_id'],
    ['mode=demo', 'mode'],
    ['demo=perhaps', 'demo'],
    ['symbol=%00', 'symbol'],
    ['since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z', 'since'],
    ['page=1', 'page'],
  ] as const) {
    const { details } = await expect(400, account.api('GET', `/trade?${query}`))
    assert.equal(details[0].field, `querystring.${field}`, query)
  }
})
