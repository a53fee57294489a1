import { isNull } from 'drizzle-orm'
import { bigint, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { bytea, id, moment, reference } from './columns.ts'

/** Unix milliseconds. */
const ms = () => bigint({ mode: 'number' })

/**
 * Candles or funding rates of one market. What came from an exchange, or what strategies have seen, belongs to nobody, and all
 * accounts share it: `userId` is `null`. What a user imported is theirs alone. All figures about the content follow from
 * `candle_chunks`.
 */
export const candleSeries = pgTable(
  'candle_series',
  {
    id: id(),
    userId: reference().references(() => users.id, { onDelete: 'cascade' }),
    kind: text().$type<'candles' | 'funding'>().notNull().default('candles'),
    source: text().$type<'exchange' | 'import' | 'seen'>().notNull(),
    name: text().notNull().default(''),
    /** The exchange in the catalogue; `null` if an import names none. */
    exchange: text(),
    service: text(),
    symbol: text().notNull(),
    /** Such as `1h`. Empty for funding rates, whose moments the exchange decides. */
    interval: text().notNull().default(''),
    rows: integer().notNull().default(0),
    /** When the first and the last candle open. */
    firstMs: ms(),
    lastMs: ms(),
    /** How many candles an exchange sent again with other values. `candle_changes` lists the first of them. */
    changes: integer().notNull().default(0),
    checksum: text(),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (table) => [
    index().on(table.userId),
    uniqueIndex('candle_series_shared')
      .on(table.exchange, table.service, table.symbol, table.interval, table.kind, table.source)
      .where(isNull(table.userId)),
  ],
)

/**
 * A part of a series, compressed. Its borders follow from time alone: `part` counts stretches of a fixed length from 1970
 * on. So the same candles make the same parts and checksums, in whichever order they came.
 */
export const candleChunks = pgTable(
  'candle_chunks',
  {
    seriesId: reference()
      .notNull()
      .references(() => candleSeries.id, { onDelete: 'cascade' }),
    part: ms().notNull(),
    rows: integer().notNull(),
    firstMs: ms().notNull(),
    lastMs: ms().notNull(),
    times: bytea().notNull(),
    figures: bytea().notNull(),
    checksum: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.seriesId, table.part] })],
)

/** A candle that an exchange sent again with other values. The stored ones stay. Each text has the values with commas. */
export const candleChanges = pgTable(
  'candle_changes',
  {
    seriesId: reference()
      .notNull()
      .references(() => candleSeries.id, { onDelete: 'cascade' }),
    timeMs: ms().notNull(),
    stored: text().notNull(),
    found: text().notNull(),
    foundAt: moment().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.seriesId, table.timeMs] })],
)

/**
 * What a user asked the service to download. A node with the role `worker` holds it while it works. What is stored reaches
 * to `nextMs`, where any node can go on.
 */
export const candleDownloads = pgTable(
  'candle_downloads',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    seriesId: reference().references(() => candleSeries.id, { onDelete: 'set null' }),
    kind: text().$type<'candles' | 'funding'>().notNull(),
    exchange: text().notNull(),
    service: text().notNull(),
    symbol: text().notNull(),
    interval: text().notNull().default(''),
    fromMs: ms().notNull(),
    toMs: ms().notNull(),
    nextMs: ms().notNull(),
    status: text().$type<'QUEUED' | 'RUNNING' | 'FINISHED' | 'FAILED' | 'CANCELLED'>().notNull(),
    /** Why it failed, or why it waits for its next attempt. */
    reason: text(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: moment().notNull().defaultNow(),
    holder: uuid(),
    stored: integer().notNull().default(0),
    repeated: integer().notNull().default(0),
    changed: integer().notNull().default(0),
    createdAt: moment().notNull().defaultNow(),
    finishedAt: moment(),
  },
  (table) => [index().on(table.userId, table.id), index().on(table.status)],
)
