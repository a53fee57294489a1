import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { lookInto } from '../../test/accounts.ts'
import { makeBotWebhook } from '../../test/bot-webhook.ts'
import { withDatabase } from '../../test/databases.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { sendOnWire } from '../../test/wire.ts'
import { withAccount } from '../../test/with-service.ts'

const buy = { symbol: 'BTCUSDT', side: 'BUY' }
const key = (value: string) => ({ 'idempotency-key': value })

withAccount(
  'a signal gets a 202 with its id, its time and the number of bots that took it',
  async (account) => {
    const webhook = await makeBotWebhook(account)
    const bots = [await webhook.addBot(), await webhook.addBot()]
    const off = await webhook.addBot()
    await off.setStatus('INACTIVE')
    const elsewhere = await (await makeBotWebhook(account)).addBot()

    const before = Date.now()
    const { status, body } = await webhook.post({ ...buy, size: '250.5', dilution: true, id: 'mine' })
    assert.equal(status, 202)
    assert.deepEqual(Object.keys(body), ['id', 'received_at', 'bots'])
    assert.equal(body.bots, 2)
    assert.ok(Date.parse(body.received_at) >= before && Date.parse(body.received_at) <= Date.now())
    const stored = (await webhook.signals()).map(({ bots: _, ...signal }: { bots: unknown }) => signal)
    assert.deepEqual(stored, [
      {
        id: body.id,
        strategy_id: null,
        run_id: null,
        webhook_id: webhook.id,
        delivery_id: body.id,
        action: 'LONG',
        symbols: ['BTCUSDT'],
        price: null,
        options: { id: 'mine', size: 250.5, dilution: true },
        flag: null,
        flags: [],
        origin: null,
        sender: 'owner',
        delivered: true,
        reason: null,
        bots_total: 2,
        created_at: body.received_at,
      },
    ])
    for (const bot of bots) {
      const [signal, ...others] = await bot.signals()
      assert.deepEqual(others, [])
      assert.deepEqual([signal!.signal_id, signal!.action, signal!.symbol], [body.id, 'LONG', 'BTCUSDT'])
    }
    for (const bot of [off, elsewhere]) assert.deepEqual(await bot.signals(), [])
  },
)

withAccount('a signal that no bot takes is recorded, and the answer says why', async (account) => {
  const webhook = await makeBotWebhook(account)
  const alone = await expect(202, webhook.post(buy))
  assert.equal(alone.bots, 0)
  assert.match(alone.note, /No bot/)
  const bot = await webhook.addBot()
  const flagged = await expect(202, webhook.post({ ...buy, flag: 'TEST' }))
  assert.equal(flagged.bots, 0)
  assert.match(flagged.note, /not traded/)
  const prediction = { slug: 'rain-tomorrow', outcome: 'Yes', side: 'BUY' }
  const predicted = await expect(202, webhook.post(prediction))
  assert.equal(predicted.bots, 0)
  assert.match(predicted.note, /prediction/)
  // A bot that came later does not get the signal.
  assert.deepEqual(await bot.signals(), [])
  const shown = (await webhook.signals()).map(({ id, symbols, options, flag, delivered, reason }) => ({
    id,
    symbols,
    options,
    flag,
    delivered,
    reason: /flag TEST|no symbol|No ACTIVE bot/.exec(reason)?.[0],
  }))
  const { slug, outcome } = prediction
  assert.deepEqual(shown, [
    {
      id: predicted.id,
      symbols: [],
      options: { slug, outcome },
      flag: null,
      delivered: false,
      reason: 'no symbol',
    },
    {
      id: flagged.id,
      symbols: ['BTCUSDT'],
      options: {},
      flag: 'TEST',
      delivered: false,
      reason: 'flag TEST',
    },
    {
      id: alone.id,
      symbols: ['BTCUSDT'],
      options: {},
      flag: null,
      delivered: false,
      reason: 'No ACTIVE bot',
    },
  ])
})

withAccount('an answer names the fields that nothing acts on', async (account) => {
  const webhook = await makeBotWebhook(account)
  const bot = await webhook.addBot()
  const payload = { ...buy, price: 64_000, leverage: '5', take_profit: null }
  const { status, body } = await webhook.post(payload, key('once'))
  assert.equal(status, 202)
  assert.deepEqual(Object.keys(body), ['id', 'received_at', 'bots', 'ignored'])
  assert.deepEqual([body.bots, body.ignored], [1, ['price', 'leverage']])
  assert.equal((await bot.signals()).length, 1)
  const { bots, note, ignored, debug } = await expect(
    202,
    webhook.post({ ...payload, flag: 'TEST', debug: true }),
  )
  assert.deepEqual([bots, ignored, debug.bots], [0, ['price', 'leverage'], [bot.id]])
  assert.match(note, /not traded/)
  assert.ok(!('ignored' in debug))
  // A repeat gets the stored part of the first answer.
  assert.deepEqual(await expect(200, webhook.post(payload, key('once'))), {
    id: body.id,
    received_at: body.received_at,
    bots: 1,
    duplicate: true,
  })
  const odd = `{"symbol":"BTCUSDT","side":"BUY","\\ud800":1,"__proto__":{"a":1},"\\"\\n":2}`
  assert.deepEqual((await expect(202, webhook.post(odd))).ignored, ['\ufffd', '__proto__', '"\n'])
})

withAccount('a test signal passes the same checks as a real one', async (account) => {
  const webhook = await makeBotWebhook(account, { is_safe: true, has_key: 'password' })
  const flag = 'TEST'
  assert.equal((await webhook.post({ ...buy, flag })).status, 401)
  const withKey = { 'x-key': 'password' }
  assert.equal((await webhook.post({ ...buy, side: 'HOLD', flag }, withKey)).status, 400)
  assert.equal((await webhook.post({ ...buy, flag }, withKey)).status, 202)
  await webhook.change({ status: 'INACTIVE' })
  assert.equal((await webhook.post({ ...buy, flag }, withKey)).status, 403)
})

withAccount('bots trade a REVERSE signal in the opposite direction', async (account) => {
  const webhook = await makeBotWebhook(account)
  const bot = await webhook.addBot()
  for (const side of ['BUY', 'SELL', 'EXIT']) {
    assert.equal((await expect(202, webhook.post({ ...buy, side, flag: 'REVERSE' }))).bots, 1)
  }
  const shown = (await webhook.signals()).toReversed().map(({ action, flag }) => [action, flag])
  assert.deepEqual(shown, [
    ['SHORT', 'REVERSE'],
    ['LONG', 'REVERSE'],
    ['EXIT', 'REVERSE'],
  ])
  assert.deepEqual(
    (await bot.signals()).map(({ action }) => action),
    ['SHORT', 'LONG', 'EXIT'],
  )
})

withAccount('debug shows how the service understood the payload, and which bots get it', async (account) => {
  const webhook = await makeBotWebhook(account)
  const bots = [(await webhook.addBot()).id, (await webhook.addBot()).id]
  const debug = async (payload: Record<string, unknown>) => {
    const { status, body } = await webhook.post({ ...buy, ...payload, debug: true })
    assert.equal(status, 202)
    return body
  }
  const traded = await debug({ symbol: ' BINANCE:BTCUSDT.P ', size: '5', forceSize: 'true' })
  assert.equal(traded.bots, 2)
  const options = { size: 5, forceSize: true }
  const symbols = ['BINANCE:BTCUSDT.P']
  const understood = { action: 'LONG', symbols, options, flag: null, flags: [], bots }
  const { plans, ...rest } = traded.debug
  assert.deepEqual(rest, understood)
  assert.deepEqual(
    plans.map(({ bot_id }: { bot_id: number }) => bot_id),
    bots,
  )
  const tested = await debug({ flag: 'TEST' })
  assert.equal(tested.bots, 0)
  assert.deepEqual(tested.debug.bots, bots)
  const turned = await debug({ flag: 'REVERSE' })
  assert.deepEqual([turned.debug.action, turned.debug.flag], ['SHORT', 'REVERSE'])
  const predicted = await debug({ symbol: null, slug: 'a', outcome: 'b' })
  assert.deepEqual([predicted.debug.bots, predicted.debug.plans], [[], []])
  assert.equal('debug' in (await expect(202, webhook.post(buy))), false)
})

withAccount('DEBUG explains a signal and does not stop it, and TEST with it does', async (account) => {
  const webhook = await makeBotWebhook(account)
  const bot = await webhook.addBot()
  const real = await expect(202, webhook.post({ ...buy, flag: 'debug' }))
  assert.deepEqual([real.bots, real.debug.flags, real.debug.flag], [1, ['DEBUG'], null])
  assert.match(real.note, /bots trade it\. Add the flag TEST/)
  const tried = await expect(202, webhook.post({ ...buy, flag: ['DEBUG', 'REVERSE', 'TEST'] }))
  assert.deepEqual([tried.bots, tried.debug.action, tried.debug.flag], [0, 'SHORT', 'TEST'])
  assert.deepEqual(tried.debug.flags, ['TEST', 'REVERSE', 'DEBUG'])
  assert.match(tried.note, /not traded/)
  const note = await expect(202, webhook.post({ ...buy, debug: { from: 'my chart' } }))
  assert.deepEqual([note.bots, note.note, note.debug.flags], [1, undefined, []])
  const recorded = (await webhook.signals()).map(({ id, flag, flags }) => ({ id, flag, flags }))
  assert.deepEqual(recorded, [
    { id: note.id, flag: null, flags: [] },
    { id: tried.id, flag: 'TEST', flags: ['TEST', 'REVERSE', 'DEBUG'] },
    { id: real.id, flag: null, flags: ['DEBUG'] },
  ])
  assert.deepEqual(
    (await bot.signals()).map(({ signal_id }) => signal_id),
    [real.id, note.id],
  )
  const refused = await expect(400, webhook.post({ ...buy, flag: ['TEST', 'PAPER'] }))
  assert.match(refused.error, /body\.flag must be TEST, REVERSE or DEBUG/)
})

withAccount('a bot gets the signals of its webhook while both are active', async (account) => {
  const [first, second] = [await makeBotWebhook(account), await makeBotWebhook(account)]
  const bot = await first.addBot()
  await expect(200, account.api('PUT', bot.own, { webhook_id: second.id }))
  assert.equal((await expect(202, first.post(buy))).bots, 0)
  assert.equal((await expect(202, second.post(buy))).bots, 1)
  await second.change({ status: 'INACTIVE' })
  assert.equal((await second.post(buy)).status, 403)
  assert.equal((await bot.signals()).length, 1)
})

withAccount(
  'an invalid payload gets a 400 with every invalid field, and nothing is recorded',
  async (account) => {
    const webhook = await makeBotWebhook(account)
    const bot = await webhook.addBot()
    const { status, body } = await webhook.post({
      symbol: '{{ticker}}',
      side: 'HOLD',
      size: '1,5',
      flag: 'LIVE',
    })
    assert.equal(status, 400)
    assert.equal(body.code, 'request_invalid')
    assert.deepEqual(
      body.details.map(({ field }: { field: string }) => field),
      ['body.symbol', 'body.side', 'body.flag', 'body.size'],
    )
    for (const [payload, expected] of [
      ['', 400],
      ['[]', 400],
      ['null', 400],
      ['{"symbol":"BTCUSDT","side":"BUY"', 400],
      ['{"symbol":"BTCUSDT","side":"BUY","size":1e999}', 400],
      [`{"symbol":${'['.repeat(100_000)}${']'.repeat(100_000)},"side":"BUY"}`, 400],
      [`{"symbol":"BTCUSDT","side":"BUY","pad":"${'x'.repeat(256 * 1024)}"}`, 413],
    ] as const) {
      assert.equal((await webhook.post(payload)).status, expected, payload.slice(0, 60))
    }
    assert.equal((await webhook.post(JSON.stringify(buy), { 'content-type': 'text/html' })).status, 415)
    assert.equal((await account.send('POST', `/webhook/${'A'.repeat(43)}`, { body: buy })).status, 404)
    assert.deepEqual(await webhook.signals(), [])
    assert.deepEqual(await bot.signals(), [])
  },
)

withAccount(
  'of several members with one name the last counts, and the key is not stored',
  async (account) => {
    const webhook = await makeBotWebhook(account, { is_safe: true, has_key: 's3cret' })
    const twice = '{"symbol":"ETHUSDT","side":"SELL","key":"s3cret","symbol":"BTCUSDT","side":"BUY"}'
    assert.equal((await webhook.post(twice)).status, 202)
    assert.equal((await webhook.post({ ...buy, key: 'guess' })).status, 401)
    assert.equal((await webhook.post(buy)).status, 401)
    assert.equal((await webhook.post(buy, { 'x-key': 's3cret' })).status, 202)
    const kept = await webhook.signals()
    assert.deepEqual(
      kept.map(({ action, symbols }) => [action, symbols]),
      [
        ['LONG', ['BTCUSDT']],
        ['LONG', ['BTCUSDT']],
      ],
    )
    assert.ok(!JSON.stringify(kept).includes('s3cret'))
  },
)

withAccount('a repeat gets the first answer, and is not traded again', async (account) => {
  const webhook = await makeBotWebhook(account)
  const bot = await webhook.addBot()
  const first = await webhook.post(buy, key('a'))
  assert.equal(first.status, 202)
  await bot.setStatus('INACTIVE')
  const repeat = await webhook.post({ ...buy, side: 'SELL', debug: true }, key('a'))
  assert.equal(repeat.status, 200)
  assert.deepEqual(repeat.body, { ...first.body, duplicate: true })
  assert.equal((await webhook.post(buy, { 'webhook-id': 'a' })).status, 200)
  assert.equal((await webhook.signals()).length, 1)
  assert.equal((await bot.signals()).length, 1)
  const elsewhere = await makeBotWebhook(account)
  assert.equal((await elsewhere.post(buy, key('a'))).status, 202)
  // A refused signal does not use up its key.
  assert.equal((await webhook.post({ ...buy, side: 'HOLD' }, key('b'))).status, 400)
  assert.equal((await webhook.post(buy, key('b'))).status, 202)

  const answers = await Promise.all(Array.from({ length: 20 }, () => webhook.post(buy, key('at once'))))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [...Array(19).fill(200), 202])
  assert.equal(new Set(answers.map(({ body }) => `${body.id} ${body.received_at} ${body.bots}`)).size, 1)
  assert.equal((await webhook.signals()).length, 3)
})

withDatabase('a key is remembered across a restart, for 24 hours', async (database) => {
  let path: string
  let first: { id: number }
  {
    await using service = await startService({ database, env: { ROLES: 'api' } })
    const webhook = await makeBotWebhook(service)
    path = webhook.path
    first = await expect(202, webhook.post(buy, key('a')))
    await expect(202, webhook.post(buy, key('b')))
  }
  await lookInto(database, async ({ db }) => {
    for (const [name, hours] of [
      ['a', 23.9],
      ['b', 24.1],
    ] as const) {
      await db.execute(
        sql`update bot_webhook_keys set created_at = now() - make_interval(mins => ${hours * 60}) where key = ${name}`,
      )
    }
  })
  await using service = await startService({ database, env: { ROLES: 'api' } })
  const post = (name: string) => service.send('POST', path, { body: buy, headers: key(name) })
  assert.equal((await expect(200, post('a'))).id, first.id)
  const again = await expect(202, post('b'))
  assert.equal((await expect(200, post('b'))).id, again.id)
})

withAccount('a bot webhook has its own rate, which refusals do not use up', async (account) => {
  const webhook = await makeBotWebhook(account)
  for (let n = 0; n < 50; n++) assert.equal((await webhook.post({ ...buy, side: 'HOLD' })).status, 400)
  const startMs = performance.now()
  const answers = await Promise.all(Array.from({ length: 300 }, () => webhook.post({ ...buy, flag: 'TEST' })))
  const seconds = (performance.now() - startMs) / 1000
  const accepted = answers.filter(({ status }) => status === 202).length
  assert.ok(accepted >= 200 && accepted <= 201 + 50 * seconds, `${accepted} in ${seconds} s`)
  for (const { status, headers } of answers) {
    if (status === 202) continue
    assert.equal(status, 429)
    assert.equal(headers.get('retry-after'), '1')
  }
  const page = await expect(200, account.api('GET', `/api/v2/signal?webhook_id=${webhook.id}&limit=1`))
  assert.equal(page.total, accepted)
})

withDatabase(
  'with key_from header, a sender without it is refused before the body is read',
  async (database) => {
    await using service = await startService({ database, env: { ROLES: 'api' } })
    const { path } = await makeBotWebhook(service, { is_safe: true, has_key: 'password', key_from: 'header' })
    // The sender announces a body and never sends it.
    const headers = ['Content-Type: application/json', 'Content-Length: 100']
    const answer = await sendOnWire(service.url, { method: 'POST', target: path, headers })
    assert.equal(answer.status, 401)
  },
)
