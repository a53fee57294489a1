import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { Limits } from '../../base/default-limits.ts'
import { bytea, id, moment, reference } from './columns.ts'

/**
 * One row about this installation. `keyCheck` shows whether the master key is the one that sealed the secrets. Bots send
 * orders to exchanges only while `liveTrading` is on, and no orders at all while `tradingHalted` is on, or, with
 * `haltsOnlyOpenings`, none that open. Only then are the columns after it set: why it is, who has done it, and when.
 */
export const installation = pgTable('installation', {
  id: integer().primaryKey(),
  keyCheck: bytea().notNull(),
  liveTrading: boolean().notNull().default(false),
  tradingHalted: boolean().notNull().default(false),
  /** An older node that does not know this column halts everything. */
  haltsOnlyOpenings: boolean().notNull().default(false),
  haltReason: text(),
  haltedBy: reference().references(() => users.id, { onDelete: 'set null' }),
  haltedAt: moment(),
  createdAt: moment().notNull().defaultNow(),
})

/**
 * `email` is in lower case. Nothing that belongs to a `DISABLED` user does anything. `limits` are those of this user alone;
 * for the others, those of the installation count.
 */
export const users = pgTable('users', {
  id: id(),
  email: text().notNull().unique(),
  name: text().notNull().default(''),
  passwordHash: text().notNull(),
  role: text().$type<'admin' | 'user'>().notNull(),
  status: text().$type<'ACTIVE' | 'DISABLED'>().notNull().default('ACTIVE'),
  limits: jsonb().$type<Partial<Limits>>().notNull().default({}),
  createdAt: moment().notNull().defaultNow(),
})

/** A signed-in browser. Only a hash of the token in its cookie is stored. */
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

/** The token of a link in a mail, valid once. `userId` is the user who invites, or whose password the link resets. */
export const accountTokens = pgTable(
  'account_tokens',
  {
    id: id(),
    kind: text().$type<'invitation' | 'reset' | 'email'>().notNull(),
    tokenHash: bytea().notNull().unique('account_tokens_token_hash_unique'),
    /** `null`: someone who signs up, if sign-up is open. */
    userId: reference().references(() => users.id, { onDelete: 'cascade' }),
    email: text().notNull(),
    role: text().$type<'admin' | 'user'>().notNull(),
    createdAt: moment().notNull().defaultNow(),
    expiresAt: moment().notNull(),
  },
  (table) => [index().on(table.userId), index().on(table.email)],
)

/** The second factor of a user, which is on once `enabledAt` is set. Codes of `lastStep` or before are no longer valid. */
export const totpSecrets = pgTable('totp_secrets', {
  userId: reference()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Encrypted. */
  secret: bytea().notNull(),
  lastStep: bigint({ mode: 'number' }).notNull().default(0),
  enabledAt: moment(),
})

/** Codes that replace a lost second factor, each valid once. */
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

/** Counts guesses at a secret, by a keyed hash of the secret's place. Each guess counts before it is checked. */
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

/** Security events of an account, which its user can read. `byUserId` is `null` if nobody was authenticated. */
export const auditEvents = pgTable(
  'audit_events',
  {
    id: id(),
    userId: reference()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    event: text().notNull(),
    byUserId: reference(),
    /** The strategy whose code made the request; it may be deleted. 0: a test run. `null`: no strategy. */
    byStrategyId: reference(),
    ip: text(),
    details: jsonb().$type<Record<string, string | number>>().notNull(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [index().on(table.userId, table.id)],
)

/** `secret` is an HMAC secret, encrypted; `publicKey` an ML-DSA-44 key, raw. A key has one of the two. `mcp` says what agents may do. */
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
    scope: text().$type<'all' | 'read' | 'deploy'>().notNull().default('all'),
    createdAt: moment().notNull().defaultNow(),
    lastUsedAt: moment(),
    rotatedAt: moment(),
  },
  (table) => [index().on(table.userId)],
)

/**
 * The request that a user's `Idempotency-Key` belongs to for 24 hours, and its answer. `claim` names the one request that
 * may be executed. `answer` is encrypted, because it may show a secret.
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

/** Decisions of this installation about an exchange. The facts about exchanges are in `catalogue/`. */
export const exchangeSettings = pgTable('exchange_settings', {
  exchangeId: integer().primaryKey(),
  enabled: boolean().notNull(),
  updatedAt: moment().notNull().defaultNow(),
})
