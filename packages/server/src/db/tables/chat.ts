import {
  bigint,
  boolean,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { bytea, id, moment, reference } from './columns.ts'

/** What a chat may do with an account: read, or also act. */
export type ChatScope = 'read' | 'control'

/** A person of Telegram who may use an account from a private chat with the bot. */
export const chatLinks = pgTable(
  'chat_links',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The person's id at Telegram. Such ids have up to 52 bits. */
    telegramId: bigint({ mode: 'number' }).notNull(),
    /** How Telegram calls the person, for the owner of the account. */
    name: text().notNull(),
    scope: text().$type<ChatScope>().notNull(),
    createdAt: moment().notNull().defaultNow(),
    usedAt: moment(),
  },
  (table) => [uniqueIndex('chat_links_once').on(table.telegramId), index().on(table.userId)],
)

/** A code that links the first person who sends it. Only its hash is stored. */
export const chatCodes = pgTable(
  'chat_codes',
  {
    codeHash: bytea().primaryKey(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    scope: text().$type<ChatScope>().notNull(),
    expiresAt: moment().notNull(),
  },
  (table) => [index().on(table.userId)],
)

/** Who asks Telegram for the updates of a bot, and what was answered. `botId` is its id at Telegram. */
export const chatBots = pgTable('chat_bots', {
  botId: bigint({ mode: 'number' }).primaryKey(),
  holder: uuid(),
  heldUntil: moment(),
  /** The first update that is not handled yet. */
  nextUpdate: bigint({ mode: 'number' }).notNull().default(0),
})

/** An update that a node has begun to handle, so that none is handled twice. It is kept for two days. */
export const chatUpdates = pgTable(
  'chat_updates',
  {
    botId: bigint({ mode: 'number' }).notNull(),
    updateId: bigint({ mode: 'number' }).notNull(),
    isDone: boolean().notNull().default(false),
    /** Until then, no other node handles it: its node may have died. */
    heldUntil: moment().notNull(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.updateId] }), index().on(table.createdAt)],
)

/** What a person of Telegram may do with one press of a button. */
export type ChatAction = { name: string; botId?: number; symbol?: string; approvalId?: number }

/** A button that waits to be pressed, or for a code of the second factor. Its code comes back with the press; only the hash is stored. */
export const chatButtons = pgTable(
  'chat_buttons',
  {
    id: id(),
    codeHash: bytea().notNull(),
    linkId: reference()
      .notNull()
      .references(() => chatLinks.id, { onDelete: 'cascade' }),
    action: jsonb().$type<ChatAction>().notNull(),
    /** What it does, for the person. */
    text: text().notNull(),
    expiresAt: moment().notNull(),
    /** The update that pressed it: only that one may be handled again. */
    pressedBy: bigint({ mode: 'number' }),
    /** Whether a code is awaited, and the update that brought the right one. */
    needsCode: boolean().notNull().default(false),
    confirmedBy: bigint({ mode: 'number' }),
  },
  (table) => [
    uniqueIndex('chat_buttons_once').on(table.codeHash),
    index().on(table.linkId),
    index().on(table.expiresAt),
  ],
)
