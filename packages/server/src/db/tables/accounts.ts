import { boolean, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { bytea, id, moment, reference } from './columns.ts'

/**
 * One row: what this installation is. `keyCheck` tells whether the master key is the one that the secrets were sealed
 * with. Bots send orders to exchanges only while `liveTrading` is on, and none at all while `tradingHalted` is.
 */
export const installation = pgTable('installation', {
  id: integer().primaryKey(),
  keyCheck: bytea().notNull(),
  liveTrading: boolean().notNull().default(false),
  tradingHalted: boolean().notNull().default(false),
  createdAt: moment().notNull().defaultNow(),
})

export const users = pgTable('users', {
  id: id(),
  email: text().notNull().unique(),
  passwordHash: text().notNull(),
  role: text().$type<'admin' | 'user'>().notNull(),
  createdAt: moment().notNull().defaultNow(),
})

/** `secret` is an HMAC secret, encrypted; `publicKey` an ML-DSA-44 key, raw. A key has one of the two. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    algorithm: text().$type<'HMAC' | 'ML-DSA'>().notNull(),
    apiKey: text().notNull().unique('api_keys_api_key_unique'),
    secret: bytea(),
    publicKey: bytea(),
    createdAt: moment().notNull().defaultNow(),
    lastUsedAt: moment(),
    rotatedAt: moment(),
  },
  (table) => [index().on(table.userId)],
)

/** What this installation decided about an exchange; what an exchange is stands in `catalogue/`. */
export const exchangeSettings = pgTable('exchange_settings', {
  exchangeId: integer().primaryKey(),
  enabled: boolean().notNull(),
  updatedAt: moment().notNull().defaultNow(),
})
