import { type AnyPgColumn, boolean, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { bytea, id, moment, reference } from './columns.ts'

/** A user's access to a provider of language models. `credentials` are encrypted, and never shown again. */
export const aiConnections = pgTable(
  'ai_connections',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    serviceId: integer().notNull(),
    name: text().notNull(),
    /** `null`: the service's own address. */
    baseUrl: text(),
    model: text().notNull(),
    /** Whether answers are asked for as a stream of events. */
    streaming: boolean().notNull().default(false),
    credentials: bytea().notNull(),
    /** What is asked in its place when it cannot answer; of the same user. */
    fallbackId: reference().references((): AnyPgColumn => aiConnections.id),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId), index().on(table.fallbackId)],
)
