import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { makeBot } from '../../test/bot.ts'
import { createTestDatabase, fileResources } from '../../test/databases.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { startTelegram } from '../../test/telegram.ts'
import { until } from '../../test/until.ts'
import { password, signUpBrowser } from '../../test/users.ts'
import { bots, chatButtons, chatUpdates, positions } from '../db/schema.ts'

const place = fileResources.use(await createTestDatabase())
const telegram = fileResources.use(await startTelegram())
const publicUrl = 'https://trading.example.com'
const env = { ...telegram.env, TELEGRAM_UPDATES: 'webhook', PUBLIC_URL: publicUrl }
const service = fileResources.use(await startService({ database: place, env }))
await until('the webhook', async () => telegram.webhook() !== undefined)
/** Telegram posts an update again. */
const postAgain = telegram.postTo(service.url)

const database = place.open()

let people = 100

async function makeUser(scope: 'read' | 'control' = 'control', role = 'user') {
  const signedUp = await signUpBrowser(service, `acting-${++people}@example.com`, role)
  const { cookie } = signedUp
  // The pages of the service are at its public address.
  const api = (method: string, path: string, body?: unknown) =>
    service.send(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: { cookie, origin: publicUrl },
    })
  const user = { ...signedUp, api }
  const person = people * 1_000
  let url = ''
  await until('the bot', async () => {
    const { status, body } = await user.api('POST', '/api/v2/chat/link', { scope })
    url = body.url
    return status === 201
  })
  telegram.say(person, `/start ${new URL(url).searchParams.get('start')}`)
  await telegram.heard(person)
  const ask = async (text: string) => {
    telegram.say(person, text)
    const heard = await telegram.heard(person)
    if (heard.buttons.length > 0) await keepButtons()
    return heard
  }
  const events = async () =>
    (await expect(200, user.api('GET', '/api/v2/user/audit'))).map(({ event }: { event: string }) => event)
  return { ...user, person, ask, events }
}

/** However slow this machine is, no button expires unless a test wants it. */
async function keepButtons(): Promise<void> {
  const expiresAt = new Date(Date.now() + 3_600_000)
  await (await database).db.update(chatButtons).set({ expiresAt })
}

/** As if the node had died before it noted that an update was done. */
async function forget(updateId: number): Promise<void> {
  const unfinished = { isDone: false, heldUntil: new Date(0) }
  await (await database).db.update(chatUpdates).set(unfinished).where(eq(chatUpdates.updateId, updateId))
}

const isOn = async (bot: { read(): Promise<{ status: string }> }) => (await bot.read()).status === 'ACTIVE'
const answered = (count: number) =>
  until(`${count} answers to presses`, async () => telegram.calls('answerCallbackQuery').length >= count)

test('a post without the secret of the webhook is refused', async () => {
  const user = await makeUser()
  const id = telegram.say(user.person, '/help')
  await telegram.heard(user.person)
  for (const secret of ['', 'x'.repeat(43)]) assert.equal(await postAgain(id, secret), 404)
})

test('a link for reading acts on nothing', async () => {
  const user = await makeUser('read')
  const bot = await makeBot({ ...service, api: user.api })
  for (const text of ['/halt', `/off ${bot.id}`, '/closeall', '/approve 1'])
    assert.match((await user.ask(text)).text, /^Your link is for reading/, text)
  assert.doesNotMatch((await user.ask('/help')).text, /halt/)
  assert.ok(await isOn(bot))
})

test('/halt switches off the own bots at once, and /on shows what it does before a button does it, once', async () => {
  const user = await makeUser()
  const bot = await makeBot({ ...service, api: user.api })
  const other = await makeUser()
  const others = await makeBot({ ...service, api: other.api })
  assert.match((await user.ask('/halt')).text, /^All your bots are off\. Bots that were on: 1/)
  assert.deepEqual([await isOn(bot), await isOn(others)], [false, true])
  const offer = await user.ask(`/on ${bot.id}`)
  assert.match(offer.text, /^Switch on bot \d+: .*\nIt trades paper\.\n/)
  assert.match(offer.text, /\nEach opening: [\d.,]+ USDT\n/)
  assert.deepEqual(
    offer.buttons.map(({ text }) => text),
    ['Switch on, paper', 'No'],
  )
  assert.equal(await isOn(bot), false)
  const before = telegram.calls('answerCallbackQuery').length
  // Somebody else has got the message, and presses first.
  telegram.press(other.person, { ...offer, chatId: other.person })
  await answered(before + 1)
  assert.equal(await isOn(bot), false)
  const press = telegram.press(user.person, offer)
  assert.match((await telegram.heard(user.person)).text, /is on\.$/)
  assert.ok(await isOn(bot))
  await user.ask(`/off ${bot.id}`)
  assert.equal(await postAgain(press), 200)
  await forget(press)
  assert.equal(await postAgain(press), 200)
  assert.match((await telegram.heard(user.person)).text, /is on\.$/)
  assert.equal(await isOn(bot), false)
  telegram.press(user.person, offer)
  await answered(before + 4)
  assert.equal(await isOn(bot), false)
  assert.ok((await user.events()).includes('chat_acted'))
})

test('/halt works although the person has just asked more than gets answers', async () => {
  const user = await makeUser()
  const bot = await makeBot({ ...service, api: user.api })
  for (let times = 0; times < 60; times++) telegram.say(user.person, '/help')
  telegram.say(user.person, '/halt')
  const isHalted = ({ chatId, text }: { chatId: number; text: string }) =>
    chatId === user.person && text.startsWith('All your bots are off')
  await until('the halt', async () => telegram.sent.some(isHalted))
  assert.equal(await isOn(bot), false)
})

test('/halt of a node that dies half-way switches off the other bots, too', async () => {
  const user = await makeUser()
  const first = await makeBot({ ...service, api: user.api })
  const other = await makeBot({ ...service, api: user.api })
  await user.ask(`/off ${other.id}`)
  const halt = telegram.say(user.person, '/halt')
  assert.match((await telegram.heard(user.person)).text, /^All your bots are off\. Bots that were on: 1/)
  telegram.press(user.person, await user.ask(`/on ${other.id}`))
  await telegram.heard(user.person)
  await forget(halt)
  assert.equal(await postAgain(halt), 200)
  assert.match((await telegram.heard(user.person)).text, /^All your bots are off\. Bots that were on: 1/)
  assert.deepEqual([await isOn(first), await isOn(other)], [false, false])
})

test('a button that is a minute old does nothing, and No takes the offer back', async () => {
  const user = await makeUser()
  const bot = await makeBot({ ...service, api: user.api })
  await user.ask(`/off ${bot.id}`)
  const offer = await user.ask(`/on ${bot.id}`)
  const before = telegram.calls('answerCallbackQuery').length
  telegram.press(user.person, offer, 1)
  await answered(before + 1)
  telegram.press(user.person, offer)
  await answered(before + 2)
  const late = await user.ask(`/on ${bot.id}`)
  await (await database).db.update(chatButtons).set({ expiresAt: new Date(0) })
  telegram.press(user.person, late)
  await answered(before + 3)
  assert.equal(await isOn(bot), false)
})

test('/close and /closeall name bot, money, size and the age of the price, and close once', async () => {
  const user = await makeUser()
  const bot = await makeBot({ ...service, api: user.api })
  await bot.send({ side: 'BUY', symbol: 'BTCUSDT' })
  await bot.followed(1)
  const shape =
    /^Close this position of bot \d+, at the market\?\n.*: paper\nlong [\d.]+ BTC\/USDT at [\d,.]+ \(price \d+\.\d s old\)/
  assert.match((await user.ask(`/close ${bot.id} btcusdt`)).text, shape)
  assert.match((await user.ask(`/close ${bot.id} ethusdt`)).text, /no such position/)
  const offer = await user.ask('/closeall')
  assert.match(
    offer.text,
    /^Switch all your bots off, and then close all positions \(1\) at the market\?\nlong /,
  )
  telegram.press(user.person, offer)
  assert.match(
    (await telegram.heard(user.person)).text,
    /^All your bots are off.* Positions that are closing: 1\./,
  )
  assert.equal(await isOn(bot), false)
  assert.equal((await bot.followed(2)).length, 2)
  assert.deepEqual(await bot.positions(), [])
})

test('questions about positions name the true number of them, however many there are', async () => {
  const user = await makeUser()
  const bot = await makeBot({ ...service, api: user.api })
  const [stored] = await (await database).db.select().from(bots).where(eq(bots.id, bot.id))
  const held = {
    ...{ botId: bot.id, userId: stored!.userId, side: 'long' as const, size: '1', entryPrice: '1' },
    ...{ realised: '0', fees: '0', openedAt: new Date(), updatedAt: new Date() },
  }
  const many = Array.from({ length: 201 }, (_, number) => ({ ...held, symbol: `A${number}/USDT` }))
  await (await database).db.insert(positions).values(many)
  assert.match((await user.ask('/closeall')).text, /close all positions \(201\).*And 191 more/s)
  assert.match((await user.ask(`/close ${bot.id} all`)).text, /^Close all positions \(201\)/)
  assert.match((await user.ask('/positions')).text, /And \d+ more\.$/)
  assert.match((await user.ask('/status')).text, /Open positions: 201/)
  assert.match((await user.ask('/halt')).text, /Positions that stay open: 201\./)
})

test('with a second factor, a press waits for a code, and a wrong one does nothing', async () => {
  const user = await makeUser()
  const bot = await makeBot({ ...service, api: user.api })
  await user.ask(`/off ${bot.id}`)
  const { secret } = await expect(201, user.api('POST', '/api/v2/user/totp', { password }))
  const codeAt = (ms: number) => TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: ms })
  await expect(200, user.api('PUT', '/api/v2/user/totp', { code: codeAt(Date.now()) }))
  telegram.press(user.person, await user.ask(`/on ${bot.id}`))
  assert.match((await telegram.heard(user.person)).text, /send a code/)
  await keepButtons()
  assert.equal(await isOn(bot), false)
  assert.match((await user.ask('000000')).text, /code/)
  assert.equal(await isOn(bot), false)
  // A code counts once, so this is the next one, which counts already. That of now could end on its way.
  const code = codeAt(Date.now() + 30_000)
  assert.match((await user.ask(code)).text, /is on\.$/)
  assert.ok(await isOn(bot))
  assert.equal((await user.ask(code)).text, 'Nothing waits for a code. Write /help for the commands.')
})

test('an administrator halts all trading, and a button ends the halt', async () => {
  const admin = await makeUser('control', 'admin')
  try {
    assert.match((await admin.ask('/halt')).text, /^TRADING IS HALTED, for all users/)
    assert.equal((await expect(200, service.api('GET', '/api/v2/trading'))).halted, true)
    const user = await makeUser()
    assert.match((await user.ask('/resume')).text, /^Only an administrator/)
    telegram.press(admin.person, await admin.ask('/resume'))
    assert.match((await telegram.heard(admin.person)).text, /^The halt is over/)
    assert.equal((await expect(200, service.api('GET', '/api/v2/trading'))).halted, false)
  } finally {
    await expect(200, service.api('PUT', '/api/v2/trading', { halted: false }))
  }
})

test('an order that waited for the service is not followed, but a halt is', async () => {
  const user = await makeUser()
  const bot = await makeBot({ ...service, api: user.api })
  telegram.say(user.person, `/off ${bot.id}`, undefined, Date.now() - 600_000)
  assert.match((await telegram.heard(user.person)).text, /nothing was done/)
  assert.ok(await isOn(bot))
  telegram.say(user.person, '/halt', undefined, Date.now() - 600_000)
  assert.match((await telegram.heard(user.person)).text, /are off/)
})

test('a button of somebody who was unlinked meanwhile does nothing', async () => {
  const user = await makeUser()
  const bot = await makeBot({ ...service, api: user.api })
  await user.ask(`/off ${bot.id}`)
  const offer = await user.ask(`/on ${bot.id}`)
  const [{ id }] = await expect(200, user.api('GET', '/api/v2/chat/link'))
  await expect(200, user.api('DELETE', `/api/v2/chat/link/${id}`))
  telegram.press(user.person, offer)
  // A second person is answered after the press was handled.
  await makeUser()
  assert.equal(await isOn(bot), false)
  assert.equal(await (await database).db.$count(chatButtons, eq(chatButtons.linkId, id)), 0)
})
