/** Links between an account and people of Telegram. */
import assert from 'node:assert/strict'
import { chatLinks } from '../../src/db/schema.ts'
import { lookInto } from '../accounts.ts'
import type { TestDatabase } from '../databases.ts'
import type { Walk } from './walk.ts'

/** As if a person of Telegram had opened the account's link. */
export async function linkedChat(database: TestDatabase, walk: Walk): Promise<void> {
  const userId = walk.ids.get('/user')!
  const person = { telegramId: userId, name: 'Somebody', scope: 'read' as const }
  const [link] = await lookInto(database, ({ db }) =>
    db
      .insert(chatLinks)
      .values({ userId, ...person })
      .returning(),
  )
  walk.ids.set('/chat/link', link!.id)
}

/** Only people who are signed in make a link, and only people of Telegram use it: see `linkedChat`. */
export async function chats(walk: Walk): Promise<void> {
  await walk.expect(403, 'POST', '/chat/link', { scope: 'read' })
  const linked = walk.ids.get('/chat/link')
  const listed = await walk.list('/chat/link')
  assert.deepEqual(
    listed.map(({ id }) => id),
    linked === undefined ? [] : [linked],
  )
}
