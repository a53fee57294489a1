import assert from 'node:assert/strict'
import { type FollowingBot, makeBotWebhook } from '../../test/bot-webhook.ts'
import type { Client } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { longPatienceMs } from '../../test/patience.ts'
import { startProcess } from '../../test/process.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { withAccount } from '../../test/with-service.ts'

const env = { WEBHOOK_RATE: '1000000', WEBHOOK_BURST: '1000000' }
/** Accepts signals, but no bot follows them. */
const intakeOnly = { ...env, ROLES: 'api' }

/** The number of signals that a bot got. */
async function countOf(client: Client, bot: { own: string }): Promise<number> {
  return (await expect(200, client.api('GET', `${bot.own}/signals?limit=1`))).total
}

/** All ids of a list, oldest first. */
async function idsOf(client: Client, path: string, field: string): Promise<number[]> {
  const ids: number[] = []
  for (let page = 1; ; page++) {
    const { items } = await expect(200, client.api('GET', `${path}limit=200&page=${page}`))
    if (items.length === 0) return ids.toReversed()
    ids.push(...items.map((item: Record<string, number>) => item[field]!))
  }
}

const signalsOf = (client: Client, bot: FollowingBot) => idsOf(client, `${bot.own}/signals?`, 'signal_id')

/** A reaction with two active bots and one that is off, and the reasons of its signals. */
async function followedReaction(account: Client) {
  const webhook = await makeBotWebhook(account)
  const bots = [await webhook.addBot(), await webhook.addBot()]
  const off = await webhook.addBot()
  await off.setStatus('INACTIVE')
  const reaction = await makeReaction(
    account,
    `const { delivered } = await $.Strategy.action($.Action[JSON.parse($.Request.data).action])
     $.log(delivered)`,
    { webhook_id: webhook.id, symbol: 'BTCUSDT, ETHUSDT, BTCUSDT' },
  )
  let ran = 0
  /** Why the signal of an action was not delivered; `null` if it was. An account has five actions a second. */
  const reasonFor = async (action: string): Promise<string | null> => {
    await reaction.post({ action })
    ran++
    const { log } = (await reaction.ended(ran))[ran - 1]
    const [signal] = await expect(200, account.api('GET', `/api/v2/signal?strategy_id=${reaction.id}`))
    assert.equal(String(signal.delivered), log.trim())
    assert.equal(signal.action, action)
    assert.equal(signal.delivered, signal.reason === null)
    return signal.reason
  }
  return { webhook, bots, off, reaction, reasonFor }
}

withAccount(
  "a strategy's signal goes to each active bot of its webhook once for each symbol, or says why to none",
  async (account) => {
    const { webhook, bots, off, reaction, reasonFor } = await followedReaction(account)
    assert.equal(await reasonFor('LONG'), null)
    for (const bot of bots) {
      const taken = (await bot.signals()).map(({ action, symbol }) => [action, symbol])
      assert.deepEqual(taken, [
        ['LONG', 'BTCUSDT'],
        ['LONG', 'ETHUSDT'],
      ])
    }
    await webhook.change({ status: 'INACTIVE' })
    assert.equal(await reasonFor('SHORT'), 'The bot webhook was INACTIVE.')
    await webhook.change({ status: 'ACTIVE' })
    await expect(200, account.api('PUT', reaction.own, { webhook_id: null }))
    assert.equal(await reasonFor('EXIT'), 'The strategy has no bot webhook: its webhook_id is null.')
    await expect(200, account.api('PUT', reaction.own, { webhook_id: webhook.id }))
    assert.equal(await reasonFor('SHORT'), null)
    for (const bot of bots) assert.equal((await bot.signals()).length, 4)
    assert.deepEqual(await off.signals(), [])
  },
)

withAccount('a signal without a symbol, or without an active bot, says so', async (account) => {
  const { bots, reaction, reasonFor } = await followedReaction(account)
  for (const bot of bots) await bot.setStatus('INACTIVE')
  assert.equal(await reasonFor('LONG'), 'No ACTIVE bot followed the bot webhook.')
  await expect(200, account.api('PUT', reaction.own, { symbol: null }))
  assert.equal(await reasonFor('SHORT'), 'The signal has no symbol, so no bot can trade it.')
})

withDatabase('each of hundreds of simultaneous signals goes to each bot once, in order', async (database) => {
  await using service = await startService({ database, env: intakeOnly })
  const webhook = await makeBotWebhook(service)
  const bots = await Promise.all(Array.from({ length: 5 }, () => webhook.addBot()))
  const post = (n: number) => webhook.post({ symbol: 'BTCUSDT', side: n % 2 ? 'BUY' : 'SELL', id: n })
  const answers = await Promise.all(Array.from({ length: 400 }, (_, n) => post(n)))
  assert.ok(answers.every(({ status, body }) => status === 202 && body.bots === bots.length))
  const ids = answers.map(({ body }) => body.id as number).toSorted((a, b) => a - b)
  assert.equal(new Set(ids).size, answers.length)
  for (const bot of bots) assert.deepEqual(await signalsOf(service, bot), ids)
})

withDatabase(
  'the number of bots in an answer is right while bots are switched on and off',
  async (database) => {
    await using service = await startService({ database, env: intakeOnly })
    const webhook = await makeBotWebhook(service)
    const bots = await Promise.all(Array.from({ length: 4 }, () => webhook.addBot()))
    const posting = Array.from({ length: 200 }, () => webhook.post({ symbol: 'BTCUSDT', side: 'BUY' }))
    for (const bot of bots) await bot.setStatus('INACTIVE')
    const answers = await Promise.all([...posting, webhook.post({ symbol: 'BTCUSDT', side: 'BUY' })])
    assert.ok(answers.every(({ status }) => status === 202))
    assert.equal(answers.at(-1)!.body.bots, 0)
    const got = await Promise.all(bots.map((bot) => countOf(service, bot)))
    const said = answers.reduce((sum, { body }) => sum + body.bots, 0)
    assert.equal(
      got.reduce((sum, count) => sum + count, 0),
      said,
    )
    const marked = await expect(200, service.api('GET', `/api/v2/signal?webhook_id=${webhook.id}`))
    assert.equal(
      marked.filter(({ delivered }: { delivered: boolean }) => delivered).length,
      answers.filter(({ body }) => body.bots > 0).length,
    )
  },
)

withDatabase(
  'two nodes accept an idempotency key once between them, and every bot gets every signal',
  async (database) => {
    await using one = await startService({ database, env: intakeOnly })
    await using other = await startService({ database, env: intakeOnly })
    const webhook = await makeBotWebhook(one)
    const bot = await webhook.addBot()
    const post = (node: Client, value: string) =>
      node.send('POST', webhook.path, {
        body: { symbol: 'BTCUSDT', side: 'BUY' },
        headers: { 'idempotency-key': value },
      })
    const keys = Array.from({ length: 100 }, (_, n) => `key-${n}`)
    const answers = await Promise.all([
      ...keys.map((value) => post(one, value)),
      ...keys.toReversed().map((value) => post(other, value)),
    ])
    const accepted = answers.filter(({ status }) => status === 202)
    assert.equal(accepted.length, 100)
    assert.ok(answers.every(({ status, body }) => status === 202 || (status === 200 && body.duplicate)))
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 100)
    const ids = accepted.map(({ body }) => body.id as number)
    assert.deepEqual((await signalsOf(one, bot)).toSorted(), ids.toSorted())
  },
)

withDatabase('a service that is killed under load loses no signal that it acknowledged', async (database) => {
  const accepted: number[] = []
  let webhook: { id: number; path: string } | undefined
  let bot: FollowingBot | undefined
  for (let round = 0; round < 2; round++) {
    await using service = await startProcess({ database, env: intakeOnly })
    if (webhook === undefined) {
      const made = await makeBotWebhook(service)
      bot = await made.addBot()
      webhook = made
    }
    const { path } = webhook
    const posting = Array.from({ length: 8 }, async () => {
      for (;;) {
        const body = { symbol: 'BTCUSDT', side: 'BUY' }
        const answer = await service.send('POST', path, { body }).catch(() => undefined)
        if (answer === undefined) return
        assert.equal(answer.status, 202)
        accepted.push(answer.body.id)
      }
    })
    // Counts signals instead of time, because machines differ.
    const goal = accepted.length + 20 + Math.floor(Math.random() * 200)
    await until(`${goal} signals`, async () => accepted.length >= goal, longPatienceMs)
    await service.killGroup()
    await Promise.all(posting)
  }
  await using service = await startService({ database, env: intakeOnly })
  const stored = await idsOf(service, `/api/v2/signal?webhook_id=${webhook!.id}&`, 'id')
  assert.ok(accepted.length > 10)
  const known = new Set(stored)
  assert.ok(accepted.every((id) => known.has(id)))
  assert.deepEqual(await signalsOf(service, bot!), stored)
})
