import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
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

/** `email` is in lower case. What belongs to a user who is `DISABLED` does nothing. */
export const users = pgTable('users', {
  id: id(),
  email: text().notNull().unique(),
  name: text().notNull().default(''),
  passwordHash: text().notNull(),
  role: text().$type<'admin' | 'user'>().notNull(),
  status: text().$type<'ACTIVE' | 'DISABLED'>().notNull().default('ACTIVE'),
  createdAt: moment().notNull().defaultNow(),
})

/** Somebody who is signed in. Of the token in the cookie only a hash is kept. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    tokenHash: bytea().notNull().unique('sessions_token_hash_unique'),
    ip: text().notNull(),
    userAgent: text().notNull(),
    createdAt: moment().notNull().defaultNow(),
    lastSeenAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId)],
)

/** What a link in a mail is good for, once. `userId` is the one who invites, or whose password or address it changes. */
export const accountTokens = pgTable(
  'account_tokens',
  {
    id: id(),
    kind: text().$type<'invitation' | 'reset' | 'email'>().notNull(),
    tokenHash: bytea().notNull().unique('account_tokens_token_hash_unique'),
    /** `null`: somebody who invites themself, where sign-up is open. */
    userId: reference().references(() => users.id, { onDelete: 'cascade' }),
    email: text().notNull(),
    role: text().$type<'admin' | 'user'>().notNull(),
    createdAt: moment().notNull().defaultNow(),
    expiresAt: moment().notNull(),
  },
  (table) => [index().on(table.userId), index().on(table.email)],
)

/** The second factor of a user; on once `enabledAt` is set. A code of `lastStep` or before counts no more. */
export const totpSecrets = pgTable('totp_secrets', {
  userId: reference()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Encrypted. */
  secret: bytea().notNull(),
  lastStep: bigint({ mode: 'number' }).notNull().default(0),
  enabledAt: moment(),
})

/** Codes that stand in for a lost second factor, once each. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    codeHash: bytea().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
)

/** How often something secret was guessed at, by a keyed hash of what it was; each guess counts before it is checked. */
export const guesses = pgTable(
  'guesses',
  {
    subject: bytea().primaryKey(),
    count: integer().notNull(),
    lastAt: moment().notNull(),
    lockedUntil: moment(),
  },
  (table) => [index().on(table.lastAt)],
)

/** What became of an account and its secrets, for its user to read. `byUserId` is `null` where nobody was known. */
export const auditEvents = pgTable(
  'audit_events',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    event: text().notNull(),
    byUserId: reference(),
    /** The strategy whose code asked for it; it may be gone. 0: a test run. `null`: no strategy did. */
    byStrategyId: reference(),
    ip: text(),
    details: jsonb().$type<Record<string, string | number>>().notNull(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId, table.id)],
)

/** `secret` is an HMAC secret, encrypted; `publicKey` an ML-DSA-44 key, raw. A key has one of the two. `mcp`: what agents may do. */
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
    mcp: text().$type<'read' | 'write'>().notNull().default('read'),
    idempotency: text().$type<'optional' | 'required'>().notNull().default('optional'),
    createdAt: moment().notNull().defaultNow(),
    lastUsedAt: moment(),
    rotatedAt: moment(),
  },
  (table) => [index().on(table.userId)],
)

/**
 * Which request of a user an `Idempotency-Key` stands for, for 24 hours, and how it was answered. `claim` names the one
 * request that may carry it out; `answer` is encrypted, since it may show a secret.
 */
export const idempotentRequests = pgTable(
  'idempotent_requests',
  {
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    key: text().notNull(),
    claim: text().notNull(),
    /** Keyed hash of method, target and body. */
    fingerprint: bytea().notNull(),
    state: text().$type<'UNDER_WAY' | 'ANSWERED' | 'UNKNOWN'>().notNull().default('UNDER_WAY'),
    answer: bytea(),
    claimedAt: moment().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.key] }), index().on(table.claimedAt)],
)

/** What this installation decided about an exchange; what an exchange is stands in `catalogue/`. */
export const exchangeSettings = pgTable('exchange_settings', {
  exchangeId: integer().primaryKey(),
  enabled: boolean().notNull(),
  updatedAt: moment().notNull().defaultNow(),
})
