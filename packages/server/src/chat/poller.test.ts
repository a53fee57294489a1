import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { withDatabase } from '../../test/databases.ts'
import { startTelegram } from '../../test/telegram.ts'
import { until } from '../../test/until.ts'
import { chatBots, chatUpdates } from '../db/schema.ts'
import { Poller } from './poller.ts'
import { openTelegram, TelegramError } from './telegram.ts'
import { UpdateLog } from './update-log.ts'

withDatabase(
  'of two nodes, one asks for updates; the other goes on where a dead one has stopped, and each is handled once',
  async (place) => {
    const database = await place.open()
    await using standIn = await startTelegram()
    const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: apiRoot } = standIn.env
    const telegram = await openTelegram({ token: token!, apiRoot: apiRoot! })
    const handled: string[] = []
    const errors: unknown[] = []
    const nodeOf = (name: string, handle: (id: number) => Promise<void>) =>
      new Poller({
        telegram,
        log: new UpdateLog(database, 1, randomUUID()),
        handle: async ({ update_id }) => {
          await handle(update_id)
          handled.push(`${name} ${update_id}`)
        },
        onError: (error) => void errors.push(error),
        ...{ timeoutSeconds: 1, pauseMs: 20 },
      })
    const never = Promise.withResolvers<void>()
    let begun = 0
    const dying = nodeOf('dying', async () => {
      begun++
      await never.promise
    })
    dying.start()
    const first = standIn.say(7, 'one')
    await until('the first node to begin', async () => begun === 1)
    const second = nodeOf('second', async () => undefined)
    second.start()
    assert.equal(standIn.calls('getUpdates').length, 1)
    // The first node dies: nobody renews what it holds.
    await database.db.update(chatBots).set({ heldUntil: new Date(0) })
    await database.db.update(chatUpdates).set({ heldUntil: new Date(0) })
    await until('the update', async () => handled.includes(`second ${first}`))
    const next = standIn.say(7, 'two')
    standIn.repeat(next)
    await until('the next one', async () => handled.includes(`second ${next}`))
    standIn.refuse('getUpdates', 1, 409, 'Conflict: terminated by other getUpdates request')
    const third = standIn.say(8, 'three')
    await until('the third', async () => handled.includes(`second ${third}`))
    standIn.startAgainAt(10)
    const fourth = standIn.say(7, 'four')
    const isConfirmed = async () => standIn.calls('getUpdates').at(-1)!.offset === fourth + 1
    await until('Telegram to be told that the fourth is handled', isConfirmed)
    await second.stop()
    assert.deepEqual(
      handled.filter((one) => one.startsWith('second')),
      [first, next, third, fourth].map((id) => `second ${id}`),
    )
    never.resolve()
    await dying.stop()
    for (const error of errors) assert.ok(error instanceof TelegramError, String(error))
  },
)

test('what Telegram refuses, and what nobody answers, names no token', async () => {
  await using standIn = await startTelegram()
  const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: apiRoot } = standIn.env
  standIn.refuse('sendMessage', 1, 429, `Too Many Requests, ${token}`, { retry_after: 7 })
  const telegram = await openTelegram({ token: token!, apiRoot: apiRoot! })
  const away = await openTelegram({ token: token!, apiRoot: 'http://127.0.0.1:1' })
  const told = [telegram.send(1, 'x'), away.me()].map((attempt) =>
    attempt.then(
      () => assert.fail('it was not refused'),
      (error: TelegramError) => error,
    ),
  )
  const [busy, silent] = await Promise.all(told)
  assert.deepEqual([busy!.code, busy!.waitMs, silent!.code], [429, 7_000, null])
  for (const error of [busy, silent]) assert.doesNotMatch(JSON.stringify(error) + error!.stack, /AAStandIn/)
})
