import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { startChats } from '../../test/chats.ts'
import { attempted, deliveriesTo, heldState, vault, type World, withWorld } from '../../test/couriers.ts'
import { until } from '../../test/until.ts'
import { mails } from '../db/schema.ts'
import { Mails } from '../mail/mails.ts'
import { type ChatKindName, chatKinds } from './kinds/kinds.ts'
import { storeNotification } from './store.ts'

const names = Object.keys(chatKinds) as ChatKindName[]

const order = {
  ...{ bot_id: 3, bot_name: '@everyone <b>', symbol: 'BTC/USDT', side: 'buy', purpose: 'open', origin: null },
  ...{
    size: '0.5',
    filled_size: '0.5',
    average_price: '65000',
    status: 'FILLED',
    reason: null,
    mode: 'paper',
  },
}

const tell = ({ database, userId }: World, symbol = order.symbol) =>
  storeNotification(database.db, userId, 'order.settled', { ...order, symbol })

withWorld(
  'a trade arrives in every chat and by mail, and no secret is stored in the clear',
  async (world) => {
    await using chats = await startChats()
    const ids: number[] = []
    for (const name of names) ids.push(await world.makeChat(name, chats.places[name]))
    ids.push(await world.makeChat('email', {}))
    await using _ = await world.startNode(undefined, [chats.host], chats.origins)
    await tell(world)
    await until('all', async () => {
      const rows = await Promise.all(ids.map((id) => deliveriesTo(world, id)))
      return rows.flat().filter(({ status }) => status === 'DELIVERED').length === ids.length
    })
    const text =
      'Bought 0.5 BTC/USDT at 65,000\nBot @everyone <b>, paper\nIt opens or increases the position.'
    const escaped = text.replace('<', '&lt;').replace('>', '&gt;')
    for (const name of names) {
      const isHtml = name === 'telegram' || name === 'slack'
      assert.deepEqual(chats.texts[name], [isHtml ? escaped : text], name)
    }
    const [mail, ...more] = await new Mails(world.database, vault).list(world.userId, {
      limit: 10,
      offset: 0,
    })
    assert.deepEqual([mail!.kind, mail!.subject, more], ['notification', 'Bought 0.5 BTC/USDT at 65,000', []])
    assert.match(mail!.text!, /^Bot @everyone <b>, paper$/m)

    const secrets = names.flatMap((name) => [
      chats.places[name].token,
      chats.places[name].url,
      chats.places[name].user_key,
    ])
    const listed = JSON.stringify(await world.endpoints.list(world.userId, { limit: 10, offset: 0 }))
    const stored = (await Promise.all(ids.map((id) => heldState(world, id)))).map((row) =>
      row!.url.toString('latin1'),
    )
    for (const secret of secrets.filter((one) => one !== undefined)) {
      for (const place of [listed, ...stored]) assert.ok(!place.includes(secret))
    }
  },
)

withWorld(
  'a chat gets nothing until the pause that it asks for is over, and then everything',
  async (world) => {
    await using chats = await startChats()
    const asked = { ok: false, error_code: 429, description: 'Too Many Requests: retry after 40' }
    chats.refuse('telegram', 429, { ...asked, parameters: { retry_after: 40 } })
    const id = await world.makeChat('telegram', chats.places.telegram)
    await tell(world, 'A/B')
    await tell(world, 'C/D')
    await using node = await world.startNode(undefined, [chats.host], chats.origins)
    await until('the pause', async () => (await heldState(world, id))!.probeAt !== null)
    const { probeAt, failingNotificationId } = (await heldState(world, id))!
    assert.deepEqual([probeAt!.getTime() - world.clock.nowMs, failingNotificationId], [40_000, null])
    await attempted(world, id, 1)
    chats.accept('telegram')
    // Nothing is due before the pause is over.
    world.clock.nowMs += 39_000
    node.wake()
    assert.deepEqual(chats.texts.telegram, [])
    world.clock.nowMs += 2_000
    await until('both', async () => chats.texts.telegram.length === 2)
    await attempted(world, id, 3)
    const rows = await deliveriesTo(world, id)
    assert.deepEqual(
      rows.map(({ status, strikes }) => [status, strikes]),
      [
        ['DELIVERED', 0],
        ['DELIVERED', 0],
      ],
    )
  },
)

withWorld(
  'a chat that is gone is disabled at once, with a mail that says why and names no secret',
  async (world) => {
    await using chats = await startChats()
    const token = chats.places.telegram.token!
    const description = `Forbidden: bot was blocked by the user (${token})`
    chats.refuse('telegram', 403, { ok: false, error_code: 403, description })
    chats.refuse('discord', 404, { message: 'Unknown Webhook', code: 10_015 })
    chats.refuse('slack', 404, 'no_service')
    chats.refuse('ntfy', 403, { code: 40_301, http: 403, error: 'forbidden' })
    chats.refuse('pushover', 400, { user: 'invalid', errors: ['user identifier is invalid'], status: 0 })
    const ids = await Promise.all(names.map((name) => world.makeChat(name, chats.places[name])))
    await tell(world)
    await using _ = await world.startNode(undefined, [chats.host], chats.origins)
    const reasons = await Promise.all(
      ids.map(async (id) => {
        const isOff = async () => (await world.endpoints.get(world.userId, id)).status === 'DISABLED'
        await until('the end', isOff)
        return (await world.endpoints.get(world.userId, id)).reason
      }),
    )
    assert.deepEqual(reasons, [
      'It answered 403: Forbidden: bot was blocked by the user (…).',
      'It answered 404: Unknown Webhook.',
      'It answered 404: no_service.',
      'It answered 403: forbidden.',
      'It answered 400: user identifier is invalid.',
    ])
    const told = await world.database.db.select().from(mails).where(eq(mails.userId, world.userId))
    assert.equal(told.length, 5)
    assert.ok(told.some(({ subject }) => subject === 'Notifications to Telegram chat 42 are disabled'))

    // What waited arrives when the chat is there again.
    chats.accept('slack')
    await world.endpoints.setStatus(world.userId, ids[names.indexOf('slack')]!, 'ACTIVE')
    await until('the rest', async () => chats.texts.slack.length === 1)
    assert.equal((await deliveriesTo(world, ids[0]!))[0]!.status, 'WAITING')
  },
)
