import assert from 'node:assert/strict'
import { type Account, addConnection, addOrder, makeBot, withBotService } from '../../../test/bots.ts'
import { expect } from '../../../test/reaction.ts'
import { bookFills, bookPayment, bookTogether, type Filled } from '../../../test/trades.ts'

const contract = 'BTC/USDT:USDT'
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000)

/** The rows of a file, each by its columns. No cell of these tests has a comma or a line break. */
async function table(account: Account, path: string): Promise<Record<string, string>[]> {
  const { status, text } = await account.text(path)
  assert.equal(status, 200, text)
  const [head, ...lines] = text.split('\r\n').slice(0, -1)
  const columns = head!.split(',')
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, place) => [columns[place], cell])))
}

const trip = (from: number, symbol = contract): Filled[] => [
  { side: 'buy', size: '1', price: '100', fee: '0.5', at: at(from), symbol },
  { side: 'sell', size: '1', price: '90', fee: '0.5', at: at(from + 1), symbol },
]

withBotService(
  'each file has the records as the API shows them, the oldest first',
  async (account, service) => {
    const bot = await makeBot(service, account)
    await bookFills(service.database, bot.owner, [...trip(0), ...trip(10)])
    await bookPayment(service.database, bot.owner, { symbol: contract, value: '-0.25', at: at(0.5) })
    await addOrder(service, bot.owner)
    const sources = { '/order': '/order.csv', '/fill': '/fill.csv', '/payment': '/payment.csv' }
    for (const [list, file] of Object.entries(sources)) {
      const rows = await table(account, file)
      const items = (await expect(200, account.api('GET', list))).toReversed()
      assert.ok(items.length > 0)
      // How long an order rests holds only for the moment of the answer, so a file leaves it out.
      const cells = items.map(({ rests: _, ...item }: Record<string, unknown>) =>
        Object.fromEntries(Object.entries(item).map(([name, value]) => [name, String(value ?? '')])),
      )
      assert.deepEqual(rows, cells, file)
    }
    const trades = await table(account, `${bot.own}/trades.csv`)
    const { items } = await expect(200, account.api('GET', `${bot.own}/trades`))
    assert.deepEqual(
      trades.map(({ id, realised, funding, status }) => [id, realised, funding, status]),
      items
        .toReversed()
        .map((item: Record<string, unknown>) => [String(item.id), item.realised, item.funding, item.status]),
    )
    assert.deepEqual(
      trades.map(({ realised }) => realised),
      ['-11.25', '-11'],
    )
  },
)

withBotService('a file has a name, and filters of time and bot', async (account, service) => {
  const bot = await makeBot(service, account)
  await bookFills(service.database, bot.owner, [...trip(0), ...trip(10)])
  await bookFills(service.database, (await makeBot(service, account)).owner, trip(20))
  const { headers } = await account.text('/fill.csv')
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.equal(headers.get('content-disposition'), 'attachment; filename="fills.csv"')
  assert.equal((await table(account, '/fill.csv')).length, 6)
  assert.equal((await table(account, `/fill.csv?bot_id=${bot.id}`)).length, 4)
  assert.equal(
    (await table(account, `/fill.csv?since=${at(10).toISOString()}&until=${at(20).toISOString()}`)).length,
    3,
  )
  assert.deepEqual(await table(account, '/fill.csv?since=2100-01-01T00:00:00Z'), [])
  const { details } = await expect(
    400,
    account.api('GET', '/fill.csv?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z'),
  )
  assert.equal(details[0].field, 'querystring.since')
})

withBotService(
  'the file of all trades has those of each bot, also of deleted ones, and filters of time and kind',
  async (account, service) => {
    const bot = await makeBot(service, account)
    const connection_id = await addConnection(service, account)
    const live = await makeBot(service, account, { mode: 'live', exchange_id: 2, connection_id })
    const gone = await makeBot(service, account)
    const owners = [bot, live, gone].map(({ owner }) => owner)
    const filled = Array.from({ length: 3 }, (_, n) => trip(n * 10)).flat()
    await bookTogether(
      service.database,
      owners.map((owner) => ({ owner, filled })),
    )
    const ofBot = (await table(account, `${bot.own}/trades.csv`)).map(({ id }) => id)
    await expect(200, account.api('DELETE', gone.own))
    const rows = await table(account, '/trade.csv')
    assert.deepEqual(
      rows.map(({ bot_id, demo }) => [Number(bot_id), demo]),
      [bot, live, gone].flatMap(({ id }) =>
        Array.from({ length: 3 }, () => [id, id === gone.id ? '' : 'false']),
      ),
    )
    assert.deepEqual(
      rows.slice(0, 3).map(({ id }) => id),
      ofBot,
    )
    const idsOf = async (query: string) => (await table(account, `/trade.csv?${query}`)).map(({ id }) => id)
    assert.deepEqual(await idsOf(`bot_id=${bot.id}`), ofBot)
    const span = `since=${at(5).toISOString()}&until=${at(15).toISOString()}`
    assert.deepEqual(await idsOf(`bot_id=${bot.id}&${span}`), ofBot.slice(1, 2))
    assert.deepEqual(await idsOf(`bot_id=${bot.id}&since=${at(10).toISOString()}`), ofBot.slice(1))
    const ofSymbol = Array.from({ length: 2 }, (_, n) => trip(100 + n, 'ETH/USDT:USDT')).flat()
    const other = await makeBot(service, account)
    await bookFills(service.database, other.owner, [...ofSymbol, ...trip(110)])
    for (const [file, count] of [
      ['trade', 2],
      ['fill', 4],
    ] as const) {
      const named = await table(account, `/${file}.csv?symbol=eth-usdt`)
      assert.deepEqual(
        named.map(({ bot_id, symbol }) => [Number(bot_id), symbol]),
        Array.from({ length: count }, () => [other.id, 'ETH/USDT:USDT']),
      )
    }
    for (const file of ['trade', 'fill']) {
      const modes = await table(account, `/${file}.csv?mode=live&demo=false`)
      assert.deepEqual(new Set(modes.map(({ bot_id }) => Number(bot_id))), new Set([live.id]), file)
    }
  },
)

withBotService('no text of a record runs as a formula', async (account, service) => {
  const bot = await makeBot(service, account)
  await addOrder(service, bot.owner, {
    status: 'REJECTED',
    reason: '=HYPERLINK("http://x")',
    exchangeOrderId: '-1+1',
  })
  const { text } = await account.text('/order.csv')
  assert.match(text, /,'-1\+1,/)
  assert.match(text, /,"'=HYPERLINK\(""http:\/\/x""\)",/)
})

withBotService(
  'a file of thousands of rows is read in batches, and no row is lost or repeated',
  async (account, service) => {
    const bot = await makeBot(service, account)
    await bookFills(service.database, bot.owner, Array.from({ length: 1_250 }, (_, n) => trip(n * 2)).flat())
    for (const [path, count] of [
      ['/fill.csv', 2_500],
      ['/trade.csv', 1_250],
      [`${bot.own}/trades.csv`, 1_250],
    ] as const) {
      const ids = (await table(account, path)).map(({ id }) => Number(id))
      assert.equal(ids.length, count)
      assert.ok(ids.every((id, place) => place === 0 || id > ids[place - 1]!))
    }
  },
)

withBotService('files of another user show nothing', async (account, service) => {
  const bot = await makeBot(service, account)
  await bookFills(service.database, bot.owner, trip(0))
  await addOrder(service, bot.owner)
  const stranger = await service.account()
  for (const what of ['order', 'fill', 'payment', 'trade']) {
    assert.deepEqual(await table(stranger, `/${what}.csv?bot_id=${bot.id}`), [])
    assert.deepEqual(await table(stranger, `/${what}.csv`), [])
  }
  assert.equal((await stranger.text(`${bot.own}/trades.csv`)).status, 404)
})
