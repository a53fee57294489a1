import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { addConnection, addWebhook, botsPath, makeBot, simulated, withBotService } from '../../test/bots.ts'
import { expect } from '../../test/reaction.ts'
import { bots } from '../db/schema.ts'

withBotService('a new bot is INACTIVE, on paper, and has its defaults', async (account, service) => {
  const exchange_id = simulated(service)
  const created = await expect(201, account.api('POST', botsPath, { exchange_id }))
  const { id, name, created_at, updated_at } = created
  assert.match(name, /^\w+ \w+$/)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT.*Z$/)
  assert.deepEqual(created, {
    id,
    type: 'signal-cex',
    status: 'INACTIVE',
    name,
    mode: 'paper',
    webhook_id: null,
    exchange_id,
    connection_id: null,
    folder_id: null,
    demo: false,
    symbol: null,
    amount: '100',
    amount_unit: 'quote',
    amount_in: 'USDT',
    size_unit: null,
    amount_currency: 'USDT',
    amount_rate: null,
    strict_amount: false,
    fee_rate: '0.001',
    slippage_rate: '0.0005',
    spread_rate: '0',
    size_step: null,
    min_size: null,
    min_notional: null,
    maintenance: null,
    participation: null,
    funding: 'off',
    start_balance: '10000',
    max_position: null,
    max_daily_loss: null,
    direction: 'both',
    max_open_positions: null,
    max_drawdown: null,
    protection: null,
    require_stop: false,
    max_stop_distance: null,
    entry: null,
    unprotected_seconds: 60,
    on_unprotected: 'watch',
    highest_equity: null,
    drawdown_reached_at: null,
    drawdown_equity: null,
    on_limit: 'stop',
    limit_reached_at: null,
    cooldown_seconds: null,
    max_signal_age_seconds: 60,
    leverage: null,
    margin_mode: null,
    latency_ms: 0,
    delay_seconds: 0,
    created_at,
    updated_at,
    balance: '10000',
    account_equity: null,
    equity: '10000',
    positions: [],
  })
  assert.deepEqual(await expect(200, account.api('GET', `${botsPath}/${id}`)), created)
  const { balance, account_equity, equity, positions, ...listed } = created
  assert.deepEqual(await expect(200, account.api('GET', botsPath)), [listed])
})

withBotService('a single level is a target that closes all of the position', async (account) => {
  const body = {
    name: 'one',
    exchange_id: 2,
    amount: '100',
    protection: { stop_loss: '2%', take_profit: '2R' },
  }
  const made = await account.api('POST', botsPath, body)
  assert.equal(made.status, 201)
  assert.deepEqual(made.body.protection.take_profit, [{ at: '2R', part: '1' }])
  const wrong = await account.api('POST', botsPath, { ...body, protection: { take_profit: 'soon' } })
  assert.equal(wrong.status, 400)
  assert.match(wrong.body.details[0].message, /must be a price such as 50000/)
})

withBotService(
  'requests take decimals as text or numbers, and responses have text',
  async (account, service) => {
    const settings = {
      symbol: ' BTCUSDT, ETH/USDT ,,BTCUSDT',
      amount: 12.5,
      strict_amount: true,
      fee_rate: 0.0000001,
      slippage_rate: '0.00',
      start_balance: '1000.500',
      max_position: '99999999999.123456789012345678',
      max_daily_loss: 1e3,
      cooldown_seconds: 0,
      max_signal_age_seconds: null,
    }
    const bot = await makeBot(service, account, settings)
    const answered = Object.fromEntries(Object.keys(settings).map((name) => [name, bot[name]]))
    assert.deepEqual(answered, {
      ...settings,
      symbol: 'BTCUSDT,ETH/USDT',
      amount: '12.5',
      fee_rate: '0.0000001',
      slippage_rate: '0',
      start_balance: '1000.5',
      max_daily_loss: '1000',
    })
    const none = { symbol: null, max_position: null, max_daily_loss: null }
    const changed = await expect(200, account.api('PUT', bot.own, none))
    assert.deepEqual(
      [changed.symbol, changed.max_position, changed.max_daily_loss, changed.amount],
      [null, null, null, '12.5'],
    )
  },
)

withBotService('each invalid field is refused, and nothing is stored', async (account, service) => {
  const bot = await makeBot(service, account)
  const dex = await service.catalogue.setEnabled(1, false)
  const wrong: [field: string, value: unknown][] = [
    ['name', 'x'.repeat(256)],
    ['mode', 'demo'],
    ['exchange_id', null],
    ['exchange_id', 999_999],
    ['exchange_id', '02'],
    ['exchange_id', 15],
    ['exchange_id', dex.id],
    ['mode', 'live'],
    ['webhook_id', 999_999],
    ['webhook_id', '01'],
    ['connection_id', 999_999],
    ['symbol', 'x'.repeat(1001)],
    ['symbol', ['BTCUSDT']],
    ['symbol', 'x'.repeat(65)],
    ['symbol', Array.from({ length: 101 }, (_, n) => `A${n}`).join()],
    ...['amount', 'max_position', 'max_daily_loss'].flatMap((field): [string, unknown][] => [
      [field, 0],
      [field, '0.000'],
      [field, -1],
      [field, '-0.5'],
      [field, '1000000000000000000.1'],
      [field, 1e300],
    ]),
    ...['amount', 'fee_rate', 'slippage_rate', 'start_balance'].flatMap((field): [string, unknown][] => [
      [field, null],
      [field, ''],
      [field, 'NaN'],
      [field, 'Infinity'],
      [field, '1e3'],
      [field, '0x10'],
      [field, '1,5'],
      [field, '.5'],
      [field, '١'],
      [field, `0.${'0'.repeat(18)}1`],
      [field, 5e-324],
      [field, '9'.repeat(64)],
      [field, '9'.repeat(60_000)],
      [field, true],
      [field, {}],
    ]),
    ['fee_rate', '0.51'],
    ['slippage_rate', 1],
    ['fee_rate', -0.001],
    ['strict_amount', 'true'],
    ['on_limit', 'halt'],
    ...['', 'U', 'US DT', 'U'.repeat(13), 'USDT;', null].map((value): [string, unknown] => [
      'amount_currency',
      value,
    ]),
    ...['', 'BTCUSDT', 'BTC/', '/USDT', 'BTC/USDT/', 'BTC/EUR', 'B TC/USDT'].map(
      (value): [string, unknown] => ['amount_rate', value],
    ),
    ['cooldown_seconds', -1],
    ['cooldown_seconds', 1.5],
    ['cooldown_seconds', '60'],
    ['max_signal_age_seconds', 0],
    ['max_signal_age_seconds', 1e9],
  ]
  for (const [field, value] of wrong) {
    const body = { exchange_id: bot.exchange_id, [field]: value }
    for (const answer of [
      account.api('POST', botsPath, body),
      account.api('PUT', bot.own, { [field]: value }),
    ]) {
      const { code, details } = await expect(400, answer)
      assert.equal(code, 'request_invalid')
      const fields = new Set(details.map((detail: { field: string }) => detail.field))
      assert.deepEqual([...fields], [`body.${field}`], JSON.stringify(details))
    }
  }
  await service.catalogue.setEnabled(1, true)
  const { details } = await expect(400, account.api('POST', botsPath, {}))
  assert.deepEqual(details, [
    { field: 'body.exchange_id', message: 'is required, unless connection_id is given' },
  ])
  const two = { exchange_id: bot.exchange_id, amount: 0, fee_rate: 'x' }
  const both = await expect(400, account.api('POST', botsPath, two))
  assert.deepEqual(
    both.details.map(({ field }: { field: string }) => field),
    ['body.amount', 'body.fee_rate'],
  )
  assert.deepEqual(await expect(200, account.api('GET', `${botsPath}/total`)), { total: 1 })
  const { own, owner, ...whole } = bot
  assert.deepEqual(await expect(200, account.api('GET', own)), whole)
})

const currencies: [
  fields: Record<string, unknown>,
  exchange: [name: string, service: string],
  currency: string,
][] = [
  [{}, ['binance', 'spot'], 'USDT'],
  [{}, ['kraken', 'spot'], 'USD'],
  [{}, ['krakenfutures', 'futures'], 'USD'],
  [{}, ['hyperliquid', 'futures'], 'USDC'],
  [{ symbol: 'BTCUSDC, ETH/USDC' }, ['binance', 'spot'], 'USDC'],
  [{ symbol: 'ETH/BTC,SOLBTC', amount: '0.01' }, ['binance', 'spot'], 'BTC'],
  [{ symbol: 'ETH/EUR,BTC/USDT' }, ['binance', 'spot'], 'USDT'],
  [{ symbol: 'ETH/EUR,BTC' }, ['kraken', 'spot'], 'USD'],
  [{ symbol: 'ETH/BTC', amount_currency: ' usdt ' }, ['binance', 'spot'], 'USDT'],
  [{ amount_currency: 'BTC', amount: '1', amount_rate: 'btc/usdt' }, ['binance', 'spot'], 'BTC'],
]

withBotService(
  'the amounts of a new bot are in the currency of its symbols, or of its exchange',
  async (account, service) => {
    for (const [fields, [exchange, kind], currency] of currencies) {
      const exchange_id = service.catalogue.named(exchange, kind)!.id
      const bot = await makeBot(service, account, { exchange_id, ...fields })
      assert.equal(bot.amount_currency, currency, JSON.stringify(fields))
    }
  },
)

withBotService('the default amount counts only for dollars', async (account, service) => {
  const exchange_id = simulated(service)
  for (const fields of [{ symbol: 'ETH/BTC' }, { amount_currency: 'BTC' }]) {
    const refused = await expect(400, account.api('POST', botsPath, { exchange_id, ...fields }))
    assert.deepEqual(refused.details, [
      {
        field: 'body.amount',
        message:
          'is required: the amounts of the bot are in BTC, and the default of 100 is meant for dollars',
      },
    ])
  }
})

withBotService('a rate must convert the amounts, whichever of the two changes', async (account, service) => {
  const bot = await makeBot(service, account, { amount_rate: 'BTC/USDT' })
  assert.equal(bot.amount_rate, 'BTC/USDT')
  const { details } = await expect(400, account.api('PUT', bot.own, { amount_currency: 'EUR' }))
  assert.deepEqual(details, [
    {
      field: 'body.amount_rate',
      message: 'must be a market of the amount currency EUR, such as BTC/EUR; got BTC/USDT',
    },
  ])
  const changed = await expect(
    200,
    account.api('PUT', bot.own, { amount_currency: 'EUR', amount_rate: null }),
  )
  assert.deepEqual([changed.amount_currency, changed.amount_rate], ['EUR', null])
})

withBotService('a change keeps the fields that it does not name', async (account, service) => {
  const bot = await makeBot(service, account, { name: 'a', amount: '50', symbol: 'BTCUSDT' })
  const { message: _, ...changed } = await expect(
    200,
    account.api('PUT', bot.own, { name: 'b', fee_rate: 0 }),
  )
  const { own, owner, ...before } = bot
  assert.deepEqual(changed, { ...before, name: 'b', fee_rate: '0', updated_at: changed.updated_at })
  assert.ok(changed.updated_at > bot.updated_at)
  await expect(200, account.api('PUT', bot.own, {}))
  await expect(200, account.api('PUT', `${bot.own}/status`, { status: 'ACTIVE' }))
  await expect(400, account.api('PUT', bot.own, { amount: 0 }))
  await expect(200, account.api('DELETE', bot.own))
})

withBotService('every change increases the version, also if many come at once', async (account, service) => {
  const bot = await makeBot(service, account)
  const { db } = service.database
  const version = async () =>
    (await db.select({ version: bots.version }).from(bots).where(eq(bots.id, bot.id)))[0]!.version
  assert.equal(await version(), 1)
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => expect(200, account.api('PUT', bot.own, { amount: n + 1 }))),
  )
  assert.equal(await version(), 11)
  await expect(200, account.api('PUT', `${bot.own}/status`, { status: 'ACTIVE' }))
  assert.equal(await version(), 12)
})

withBotService('changes of different settings at the same time are all kept', async (account, service) => {
  const bot = await makeBot(service, account)
  const settingsList = [{ amount: '7' }, { fee_rate: '0.002' }, { max_position: '9' }, { symbol: 'ETHUSDT' }]
  await Promise.all(settingsList.map((settings) => expect(200, account.api('PUT', bot.own, settings))))
  const after = await expect(200, account.api('GET', bot.own))
  for (const settings of settingsList) assert.deepEqual({ ...after, ...settings }, after)
})

withBotService('lists are in order of id, and pages have a total', async (account, service) => {
  const made = []
  for (let n = 0; n < 3; n++) made.push((await makeBot(service, account, { name: `${n}` })).id)
  const ids = (items: { id: number }[]) => items.map(({ id }) => id)
  assert.deepEqual(ids(await expect(200, account.api('GET', botsPath))), made)
  const page = await expect(200, account.api('GET', `${botsPath}?page=2&limit=2`))
  assert.deepEqual({ ...page, items: ids(page.items) }, { items: [made[2]], total: 3, page: 2, limit: 2 })
  assert.deepEqual(await expect(200, account.api('GET', `${botsPath}/total`)), { total: 3 })
})

withBotService(
  'no user can see or change another user’s bot, or use another user’s webhook or connection',
  async (account, service) => {
    const stranger = await service.account()
    const bot = await makeBot(service, account)
    const { own, owner, ...before } = bot
    for (const answer of [
      stranger.api('GET', own),
      stranger.api('PUT', own, { name: 'mine' }),
      stranger.api('PUT', `${own}/status`, { status: 'ACTIVE' }),
      stranger.api('DELETE', own),
      stranger.api('POST', `${botsPath}/duplicate`, { id: bot.id }),
      stranger.api('GET', `${own}/equity`),
      stranger.api('GET', `${own}/signals`),
      account.api('GET', `${botsPath}/999999`),
    ]) {
      assert.equal((await expect(404, answer)).code, 'resource_not_found')
    }
    assert.deepEqual(await expect(200, stranger.api('GET', botsPath)), [])
    assert.deepEqual(await expect(200, account.api('GET', own)), before)

    const webhook_id = await addWebhook(service, account)
    const connection_id = await addConnection(service, account)
    for (const settings of [{ webhook_id }, { connection_id }]) {
      const refused = await expect(400, stranger.api('POST', botsPath, { exchange_id: 2, ...settings }))
      assert.match(refused.error, /your/)
      await expect(201, account.api('POST', botsPath, { exchange_id: 2, ...settings }))
    }
  },
)

withBotService('a copy has the same settings and its own books', async (account, service) => {
  const webhook_id = await addWebhook(service, account)
  const connection_id = await addConnection(service, account)
  const decided = { webhook_id, connection_id, exchange_id: 2, mode: 'live', amount: '7', symbol: 'BTCUSDT' }
  const bot = await makeBot(service, account, { ...decided, name: 'x'.repeat(255) })
  const copy = await expect(201, account.api('POST', `${botsPath}/duplicate`, { id: bot.id }))
  const { own, owner, ...original } = bot
  const { id, created_at, updated_at } = copy
  assert.deepEqual(copy, { ...original, id, name: `${'x'.repeat(248)} (copy)`, created_at, updated_at })
  assert.notEqual(id, bot.id)
})

withBotService(
  'no value of any field leads to a 5xx, and each stored value is the one in the response',
  async (account, service) => {
    const bot = await makeBot(service, account)
    const { id, type, status, created_at, updated_at, balance, equity, positions, own, owner, ...fields } =
      bot
    const texts = [
      '',
      ' ',
      '0',
      '-0',
      '1e3',
      '1e999999999',
      '0'.repeat(64),
      '9'.repeat(64),
      'NaN',
      '💩',
      "';--",
      ',,,',
    ]
    const numbers = [0, -0, 1, 0.1, 1e-7, 1e-18, 1e12, 1e21, 1e300, -1e300, 2 ** 31, 2 ** 53, 5e-324]
    for (const field of Object.keys(fields)) {
      for (const value of [...texts, ...numbers, true, null, [], {}, [1], { toString: 1 }]) {
        for (const answer of [
          await account.api('PUT', own, { [field]: value }),
          await account.api('POST', botsPath, { exchange_id: bot.exchange_id, [field]: value }),
        ]) {
          const what = `${field} ${JSON.stringify(value)}: ${JSON.stringify(answer.body)}`
          assert.ok([200, 201, 400].includes(answer.status), what)
          if (answer.status === 400) continue
          const read = await expect(200, account.api('GET', `${botsPath}/${answer.body.id}`))
          const { message: _, ...shown } = answer.body
          assert.deepEqual(read, shown, what)
          const again = await expect(200, account.api('PUT', own, { [field]: read[field] }))
          assert.equal(again[field], read[field], what)
        }
      }
    }
  },
)
