import { index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { bytea, id, moment, reference } from './columns.ts'
import { folders, type StoredBotType } from './strategies.ts'
import { botWebhooks } from './webhooks.ts'

/** A user's account on a prediction market. `credentials` are encrypted and never shown again; nothing uses them yet. */
export const predictionConnections = pgTable(
  'prediction_connections',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    exchangeId: integer().notNull(),
    name: text().notNull(),
    status: text().$type<'ACTIVE' | 'INACTIVE'>().notNull().default('ACTIVE'),
    credentials: bytea().notNull(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId, table.id)],
)

/**
 * A bot for prediction markets or for a DEX. There is no venue for either yet, so it has no status: it is off. Signals
 * never look into this table.
 */
export const storedBots = pgTable(
  'stored_bots',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    type: text().$type<StoredBotType>().notNull(),
    name: text().notNull(),
    webhookId: reference().references(() => botWebhooks.id, { onDelete: 'set null' }),
    exchangeId: integer().notNull(),
    /** Of a bot for prediction markets. */
    connectionId: reference().references(() => predictionConnections.id),
    folderId: reference().references(() => folders.id),
    /** The chain of the exchange of a bot for a DEX, and the bot's address on it: a user has one bot at an address. */
    chainId: text(),
    address: text(),
    settings: jsonb().$type<StoredBotSettings>().notNull(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [
    index().on(table.userId, table.type, table.id),
    index().on(table.webhookId),
    index().on(table.connectionId),
    index().on(table.folderId),
    uniqueIndex('stored_bots_address').on(table.userId, table.chainId, table.address),
  ],
)

/** Those that bots of the type have; see `BotSettings`. */
export type StoredBotSettings = {
  delaySeconds: number
  /** The market that it trades; `null`: the one that each signal names. */
  slug?: string | null
  amount?: string
  strictAmount?: boolean
  symbols?: string[]
}
