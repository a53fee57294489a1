/** Commands that change something. A slip must not spend money: without a word that says so, nothing happens. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeBot } from '../../server/test/bot.ts'
import { expect, makeReaction, strategyAt } from '../../server/test/reaction.ts'
import { withSharedAccount } from '../../server/test/shared-account.ts'
import { riskOf } from '../src/risk.ts'
import { openLine } from './line.ts'
import { login } from './login.ts'
import { makeHome, records } from './run.ts'

withSharedAccount(
  'in a production profile without a terminal, every change is refused, names --yes, and changes nothing',
  async (account) => {
    await using home = await makeHome()
    await login(home, account, ' --production')
    const bot = await makeBot(account, { name: 'Follower' })
    const reaction = await makeReaction(account, '$.log(1)')
    const { id: delivery } = (await reaction.post({})).body
    await reaction.ended(1)
    await expect(201, account.api('POST', '/api/v2/env', { name: 'TOKEN', value: 'old' }))
    const state = async () => {
      const paths = [
        'bot/signal/cex',
        'env',
        'signal',
        'run',
        'delivery',
        'webhook/data',
        'webhook/bot',
        'trading',
        'api/key',
      ]
      return Promise.all(paths.map((path) => expect(200, account.api('GET', `/api/v2/${path}`))))
    }
    await expect(200, account.api('PUT', `${reaction.own}/status`, { status: 'INACTIVE' }))
    const before = (await state()).map(withoutUse)
    const commands = [
      'off bot Follower',
      'off bot --all',
      `on strategy ${reaction.id}`,
      `off webhook ${reaction.webhookId}`,
      `off bot-webhook ${bot.webhookId}`,
      'close Follower --all',
      'close Follower BTCUSDT',
      `send ${reaction.webhookId} --data {}`,
      `replay ${delivery}`,
      'env set TOKEN',
      'env delete TOKEN',
      'halt',
      'resume',
      'logout',
    ]
    for (const command of commands) {
      const { code, out, err } = await home.run(command, { input: 'new' })
      assert.deepEqual([code, out], [2, ''], `${command}: ${err}`)
      assert.match(err, /default \(http.*Nobody can be asked here.*--yes/s, command)
    }
    assert.deepEqual((await state()).map(withoutUse), before)
    // A question shows what the bots would do, and that is a test.
    const asked = await home.run(`signal ${bot.webhookId} BUY BTCUSDT`)
    assert.equal(asked.code, 2)
    assert.match(asked.err, /bot \d+ \(Follower\), paper: DONE\n {2}open: buy .* BTC\/USDT at [\d.]+\n/)
    assert.deepEqual(await bot.orders(), [])
  },
)

withSharedAccount(
  'signals reach paper bots without a question, once for each id, and bots are closed and switched',
  async (account) => {
    await using home = await makeHome()
    await login(home, account)
    const bot = await makeBot(account, { name: 'Follower' })
    const [shown] = records(await home.run(`signal ${bot.webhookId} buy BTCUSDT --test --json`))
    assert.deepEqual([shown.bot_id, shown.status], [bot.id, 'DONE'])
    assert.deepEqual(await bot.orders(), [])

    const send = () => home.run(`signal ${bot.webhookId} buy BTCUSDT --size 250 --id once --json`)
    const [first] = records(await send())
    const [again] = records(await send())
    assert.deepEqual([first.bots, again.id, again.duplicate], [1, first.id, true])
    await bot.followed(1)
    assert.equal((await bot.orders()).length, 1)
    const wrong = await home.run('orders --status NONSENSE')
    assert.deepEqual([wrong.code, wrong.out], [2, ''])
    assert.match(wrong.err, /--status.*one of: PLANNED, OPEN/)
    assert.match((await home.run('orders --since yesterday')).err, /--since.*2026-01-31T08:00:00Z/)
    assert.equal(records(await home.run('orders --status filled --since 2020-01-01 --json')).length, 1)

    assert.equal((await home.run('close Follower')).code, 2)
    assert.equal((await home.run('close Follower BTCUSDT --all')).code, 2)
    assert.equal((await bot.positions()).length, 1)
    const off = await home.run('off bot Follower')
    assert.deepEqual([off.code, off.out], [0, `bot ${bot.id}  Follower is off\n`])
    assert.match(off.err, /It still holds .*BTC\/USDT[\s\S]*To close positions: tickwright close BOT --all/)
    assert.equal(off.err.split('BTC/USDT').length, 2, off.err)
    assert.equal((await home.run('on bot Follower')).code, 0)
    const [closing] = records(await home.run('close Follower BTCUSDT --json'))
    assert.equal(closing.symbol, 'BTC/USDT')
    await bot.followed(2)
    assert.deepEqual(await bot.positions(), [])
    assert.match((await home.run('off bot --all')).out, /Follower is off/)
    assert.equal((await bot.read()).status, 'INACTIVE')
    assert.match((await home.run('off bot --all')).err, /All your bots were off/)
    assert.equal((await home.run('off webhook --all')).code, 2)
  },
)

withSharedAccount('a payload is posted byte for byte and once for each id, and replayed', async (account) => {
  await using home = await makeHome()
  await login(home, account)
  const reaction = await makeReaction(account, '$.log($.Request.body.n)')
  const body = '{ "n":1.0 }\n'
  const send = () => home.run(`send ${reaction.webhookId} --id once --json`, { input: body })
  const [first] = records(await send())
  const [again] = records(await send())
  assert.deepEqual([first.reactions, again.id, again.duplicate], [1, first.id, true])
  const stored = await expect(200, account.api('GET', `/api/v2/delivery/${first.id}`))
  assert.equal(stored.body, body)
  records(await home.run(`replay ${first.id} --json`))
  assert.equal((await reaction.ended(2)).length, 2)
  assert.equal((await home.run(`send ${reaction.webhookId} --data [1`)).code, 1)
  assert.equal((await home.run('send nobody --data {}')).code, 2)
  const missing = await home.run(`send ${reaction.webhookId} --file payload.json`)
  assert.deepEqual([missing.code, missing.err.trim()], [2, 'There is no file payload.json.'])
  await writeFile(join(home.path, 'payload.json'), body)
  assert.equal((await home.run(`send ${reaction.webhookId} --file payload.json --json`)).code, 0)
  assert.match((await home.run(`trigger ${reaction.id}`)).err, /payloads trigger it/)
  const path = '/api/v2/strategy/code'
  const { id } = await expect(201, account.api('POST', path, { name: 'Daily', cron_interval: '0 0 29 2 *' }))
  const off = await home.run('trigger Daily')
  assert.deepEqual([off.code, off.out], [4, ''])
  await expect(200, account.api('PUT', `${path}/${id}/status`, { status: 'ACTIVE' }))
  const [triggered] = records(await home.run('trigger Daily --json'))
  const [run] = await strategyAt(account, path, id).ended(1)
  assert.deepEqual([triggered.run_id, run.trigger], [run.id, 'manual'])
  assert.equal((await home.run('approve 1')).code, 1)
  const halted = await home.run('halt')
  assert.equal(halted.code, 3)
  assert.match(halted.err, /tickwright off bot --all/)
})

withSharedAccount(
  'without an answer, send and signal name the key with which they count once',
  async (account) => {
    await using home = await makeHome()
    const reaction = await makeReaction(account, '$.log(1)')
    const hook = await expect(201, account.api('POST', '/api/v2/webhook/bot', { name: 'Orders' }))
    const key = await expect(201, account.api('POST', '/api/v2/api/key', { name: 'x', algorithm: 'HMAC' }))
    await using line = await openLine(Number(new URL(account.url).port), (bytes) => {
      if (bytes.toString('latin1').startsWith('POST ')) line.cut()
    })
    const env = {
      TICKWRIGHT_URL: `http://127.0.0.1:${line.port}`,
      TICKWRIGHT_API_KEY: key.api_key,
      TICKWRIGHT_API_SECRET: key.api_secret,
    }
    for (const command of [`send ${reaction.webhookId} --data {}`, `signal ${hook.id} BUY BTCUSDT`]) {
      line.mend()
      const { code, err } = await home.run(command, { env })
      assert.equal(code, 6)
      const id = /Send it again with --id ([\w-]+), and it counts once/.exec(err)?.[1]
      assert.match(id ?? err, /^[\w-]{36}$/)
    }
  },
)

withSharedAccount(
  'the value of a variable comes from the standard input, and never from an argument',
  async (account) => {
    await using home = await makeHome()
    await login(home, account)
    const argument = await home.run('env set TOKEN secret-value')
    assert.equal(argument.code, 2)
    assert.doesNotMatch(argument.err + argument.out, /secret-value/)
    assert.equal((await home.run('env set TOKEN')).code, 2)
    for (const input of ['first\n', 'second\r\n']) records(await home.run('env set TOKEN --json', { input }))
    const reaction = await makeReaction(account, '$.log($.Env.TOKEN === "second")')
    await reaction.post({})
    const [run] = await reaction.ended(1)
    assert.equal(run.log, 'true\n')
    assert.deepEqual(
      records(await home.run('env list --json')).map(({ name }) => name),
      ['TOKEN'],
    )
    // A strategy reads it, so this asks although nothing is production.
    assert.equal((await home.run('env delete TOKEN')).code, 2)
    assert.equal((await home.run('env delete TOKEN --yes')).code, 0)
    assert.deepEqual(records(await home.run('env list --json')), [])
  },
)

test('only bots that are on and trade real money are a risk', () => {
  const bot = { id: 1, name: 'Real', mode: 'live', demo: false, status: 'ACTIVE' } as const
  assert.equal(riskOf([]), undefined)
  assert.equal(
    riskOf([
      { ...bot, demo: true },
      { ...bot, mode: 'paper' },
      { ...bot, status: 'INACTIVE' },
    ]),
    undefined,
  )
  assert.equal(riskOf([bot]), 'It may trade real money: live bot 1 (Real).')
  const many = Array.from({ length: 5 }, (_, index) => ({ ...bot, id: index + 1 }))
  assert.match(riskOf(many)!, /1 \(Real\), 2 \(Real\), 3 \(Real\) and 2 more\.$/)
})

/** The list of keys says when each was last used, which reading changes. */
function withoutUse(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, item) => (name === 'last_used_at' ? undefined : item)))
}
