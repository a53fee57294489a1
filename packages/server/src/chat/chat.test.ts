import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futures } from '../../test/bot.ts'
import { createTestDatabase, fileResources } from '../../test/databases.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { botToken, startTelegram, type TelegramStandIn } from '../../test/telegram.ts'
import { until } from '../../test/until.ts'
import { signUpBrowser } from '../../test/users.ts'

const place = fileResources.use(await createTestDatabase())
const telegram: TelegramStandIn = fileResources.use(await startTelegram())
const service = fileResources.use(await startService({ database: place, env: telegram.env }))

let people = 500

/** A user who is signed in, and a person of Telegram who is not linked yet. */
async function makeUser() {
  const user = await signUpBrowser(service, `chat-${++people}@example.com`)
  const person = people * 1_000
  const linkOf = async (scope: 'read' | 'control') => {
    await until(
      'the bot',
      async () => (await user.api('POST', '/api/v2/chat/link', { scope })).status === 201,
    )
    return (await expect(201, user.api('POST', '/api/v2/chat/link', { scope }))).url as string
  }
  const link = async (scope: 'read' | 'control' = 'read') => {
    telegram.say(person, `/start ${new URL(await linkOf(scope)).searchParams.get('start')}`)
    return telegram.heard(person)
  }
  const ask = async (text: string) => {
    telegram.say(person, text)
    return (await telegram.heard(person)).text
  }
  return { ...user, person, linkOf, link, ask }
}

/** Waits until the bot has handled everything so far. Somebody who is linked hears an answer. */
async function handled(): Promise<void> {
  const witness = await makeUser()
  await witness.link()
}

test('a link works once, and says to whom it belongs', async () => {
  const user = await makeUser()
  const url = await user.linkOf('read')
  assert.match(url, /^https:\/\/t\.me\/stand_in_bot\?start=[\w-]{32}$/)
  const start = `/start ${new URL(url).searchParams.get('start')}`
  telegram.say(user.person, start)
  assert.match(
    (await telegram.heard(user.person)).text,
    /^You are linked to the account chat-\d+@example\.com\. You can look/,
  )
  const stranger = user.person + 1
  telegram.say(stranger, start)
  await handled()
  assert.deepEqual(
    telegram.sent.filter(({ chatId }) => chatId === stranger),
    [],
  )
  const [link, ...more] = await expect(200, user.api('GET', '/api/v2/chat/link'))
  assert.deepEqual(
    [link.name, link.telegram_id, link.scope, more],
    [`Person ${user.person}`, user.person, 'read', []],
  )
  const events = await expect(200, user.api('GET', '/api/v2/user/audit'))
  const names = events.map(({ event }: { event: string }) => event)
  for (const name of ['chat_link_made', 'chat_linked']) assert.ok(names.includes(name), names.join())
})

test('anyone who is not linked hears nothing, and neither do groups, channels and bots', async () => {
  const user = await makeUser()
  await user.link('control')
  const before = telegram.sent.length
  const stranger = user.person + 1
  for (const text of ['/start', '/status', '/halt', '/help', 'hello', `/start ${'x'.repeat(32)}`, '/start 1'])
    telegram.say(stranger, text)
  for (const type of ['group', 'supergroup', 'channel'])
    telegram.say(user.person, '/status', { id: -100, type })
  telegram.say(user.person, '/status', { id: stranger, type: 'private' })
  await handled()
  // The witness hears once.
  assert.equal(telegram.sent.length, before + 1)
})

test('reading shows the account, and texts of others stay texts', async () => {
  const user = await makeUser()
  await user.link()

  const name = '@everyone https://evil.example /halt'
  await expect(
    201,
    user.api('POST', '/api/v2/bot/signal/cex', {
      name,
      exchange_id: futures,
      amount: '100',
      start_balance: '1000',
    }),
  )
  telegram.say(user.person, '/bots')
  await telegram.heard(user.person)
  const raw = String(telegram.calls('sendMessage').at(-1)!.text)
  assert.match(raw, /@\u2060everyone https:\u2060\/\/evil\.\u2060example \/\u2060halt, paper, off/)
  assert.match(await user.ask('/status'), /0 of 1 bots are on, 0 of them with real money\./)
  assert.match(await user.ask('/profit'), /^Equity paper: 1,000 USDT, realised today 0$/)
  assert.equal(await user.ask('/positions'), 'No position is open.')
  assert.equal(await user.ask('/orders'), 'There are no orders yet.')
  assert.equal(await user.ask('/signals'), 'There are no signals yet.')
  assert.equal(await user.ask('/approvals'), 'Nothing waits for your approval.')
  assert.match(
    await user.ask('/why btcusdt'),
    /it is off\.\nNone of your bots has got a signal for btcusdt lately\./,
  )
  assert.match(await user.ask('/why'), /^Name a symbol/)
  assert.match(await user.ask('/help'), /^\/status: /)
  // Copied from an answer.
  assert.match(await user.ask('/\u2060why'), /^Name a symbol/)
  assert.match(await user.ask('/toString'), /do not know/)
})

test('without the link, and while the user is disabled, the next update gets no answer', async () => {
  const user = await makeUser()
  await user.link()
  const own = `/api/v2/user/${user.user.id}`
  await expect(200, service.api('PUT', own, { status: 'DISABLED' }))
  telegram.say(user.person, '/status')
  await handled()
  await expect(200, service.api('PUT', own, { status: 'ACTIVE' }))
  assert.match(await user.ask('/status'), /^Account chat-/)
  assert.match(await user.ask('/unlink'), /no longer linked/)
  telegram.say(user.person, '/status')
  await handled()
  assert.equal(telegram.sent.filter(({ chatId }) => chatId === user.person).length, 3)
})

test('an update that comes twice is answered once', async () => {
  const user = await makeUser()
  await user.link()
  const id = telegram.say(user.person, '/help')
  telegram.repeat(id)
  await telegram.heard(user.person)
  await handled()
  assert.equal(telegram.sent.filter(({ chatId }) => chatId === user.person).length, 2)
})

test('a person who has blocked the bot holds up nobody, and a short pause that Telegram asks for is kept', async () => {
  const user = await makeUser()
  await user.link()
  const before = telegram.calls('sendMessage').length
  telegram.refuse('sendMessage', 1, 403, 'Forbidden: bot was blocked by the user')
  telegram.say(user.person, '/help')
  await until('the refusal', async () => telegram.calls('sendMessage').length > before)
  telegram.refuse('sendMessage', 1, 429, 'Too Many Requests: retry after 1', { retry_after: 1 })
  assert.match(await user.ask('/positions'), /No position/)
})

test('an API key links nobody, and no answer shows the token', async () => {
  const refused = await service.api('POST', '/api/v2/chat/link', { scope: 'read' })
  assert.equal(refused.status, 403)
  const user = await makeUser()
  await user.link()
  const said = JSON.stringify([telegram.sent, await expect(200, user.api('GET', '/api/v2/chat/link'))])
  assert.ok(!said.includes(botToken.split(':')[1]!))
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.ok(!metrics.includes(botToken.split(':')[1]!))
  const { id } = (await expect(200, user.api('GET', '/api/v2/chat/link')))[0]
  const other = await makeUser()
  assert.equal((await other.api('DELETE', `/api/v2/chat/link/${id}`)).status, 404)
  await expect(200, user.api('DELETE', `/api/v2/chat/link/${id}`))
})
