import { and, eq, gt, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { defaultLimits, type Limited, type Limits, limitedNames } from '../base/default-limits.ts'
import { AppError } from '../base/errors.ts'
import { lockAccount } from './account-lock.ts'
import type { Db } from './database.ts'
import {
  accountTokens,
  aiConnections,
  apiKeys,
  bots,
  botWebhookShares,
  botWebhooks,
  candleSeries,
  dataWebhookShares,
  dataWebhooks,
  exchangeConnections,
  folders,
  notificationEndpoints,
  predictionConnections,
  sessions,
  storedBots,
  strategies,
  testPayloads,
  users,
  variables,
} from './schema.ts'

/** The kinds of which a user creates no more than there may be. Of sessions, a new one ends the oldest one instead. */
type Refused = Exclude<Limited, 'sessions'>

/** Counts what a user has of a kind, and the word for the kind in messages. */
const counted: Record<Limited, { words: string; count(tx: Db, userId: number): PromiseLike<number> }> = {
  api_keys: { words: 'API keys', count: (tx, id) => tx.$count(apiKeys, eq(apiKeys.userId, id)) },
  sessions: { words: 'sessions', count: (tx, id) => tx.$count(sessions, eq(sessions.userId, id)) },
  invitations: {
    words: 'open invitations',
    count: (tx, id) => tx.$count(accountTokens, and(eq(accountTokens.userId, id), isOpenInvitation)),
  },
  data_webhooks: {
    words: 'data webhooks',
    count: (tx, id) => tx.$count(dataWebhooks, eq(dataWebhooks.userId, id)),
  },
  bot_webhooks: {
    words: 'bot webhooks',
    count: (tx, id) => tx.$count(botWebhooks, eq(botWebhooks.userId, id)),
  },
  shares: { words: 'shares of your webhooks', count: countShares },
  test_payloads: {
    words: 'test payloads',
    count: (tx, id) => tx.$count(testPayloads, eq(testPayloads.userId, id)),
  },
  strategies: {
    words: 'strategies and reactions',
    count: (tx, id) => tx.$count(strategies, eq(strategies.userId, id)),
  },
  folders: { words: 'folders', count: (tx, id) => tx.$count(folders, eq(folders.userId, id)) },
  variables: {
    words: 'environment variables',
    count: (tx, id) => tx.$count(variables, eq(variables.userId, id)),
  },
  bots: {
    words: 'bots',
    count: async (tx, id) =>
      (await tx.$count(bots, eq(bots.userId, id))) + (await tx.$count(storedBots, eq(storedBots.userId, id))),
  },
  exchange_connections: {
    words: 'exchange connections',
    count: async (tx, id) =>
      (await tx.$count(exchangeConnections, eq(exchangeConnections.userId, id))) +
      (await tx.$count(predictionConnections, eq(predictionConnections.userId, id))),
  },
  ai_connections: {
    words: 'AI connections',
    count: (tx, id) => tx.$count(aiConnections, eq(aiConnections.userId, id)),
  },
  notification_endpoints: {
    words: 'notification endpoints',
    count: (tx, id) =>
      tx.$count(
        notificationEndpoints,
        and(eq(notificationEndpoints.userId, id), isNull(notificationEndpoints.callbackOrigin)),
      ),
  },
  callback_hosts: {
    words: 'hosts that receive callbacks',
    count: (tx, id) =>
      tx.$count(
        notificationEndpoints,
        and(eq(notificationEndpoints.userId, id), isNotNull(notificationEndpoints.callbackOrigin)),
      ),
  },
  candle_series: {
    words: 'series of candles',
    count: (tx, id) => tx.$count(candleSeries, eq(candleSeries.userId, id)),
  },
}

/** How many things of a kind a user has and may have. `own` is the limit of this user alone; `null`: `standard` counts. */
export type Limit = { limit: number; own: number | null; standard: number; used: number }

/**
 * The number of things that each user may have: a limit of their own, or that of the installation. Each check reads it
 * from the database, so that a change applies at once, on every node.
 */
export class UserLimits {
  #standard: Limits

  /** @param standard the limits of the installation */
  constructor(standard: Limits = defaultLimits) {
    this.#standard = standard
  }

  async of(db: Db, userId: number, what: Limited): Promise<number> {
    return (await ownLimits(db, userId))[what] ?? this.#standard[what]
  }

  /** All limits of a user, and how much of each is used. */
  async list(db: Db, userId: number): Promise<Record<Limited, Limit>> {
    const limits = await ownLimits(db, userId)
    const entries: [Limited, Limit][] = []
    for (const what of limitedNames) {
      const [own, standard] = [limits[what] ?? null, this.#standard[what]]
      const used = await counted[what].count(db, userId)
      entries.push([what, { limit: own ?? standard, own, standard, used }])
    }
    return Object.fromEntries(entries) as Record<Limited, Limit>
  }

  /**
   * Makes sure that there is room for one more. It locks the account until the transaction ends, so that two requests
   * cannot both create the last one. Call it before the transaction locks anything else.
   * @throws {AppError} 409 with the limit
   */
  async demandRoom(tx: Db, userId: number, what: Refused): Promise<void> {
    await lockAccount(tx, userId)
    await this.check(tx, userId, what)
  }

  /**
   * The same check without the lock, to refuse early if there is much work before the transaction.
   * @throws {AppError} 409 with the limit
   */
  async check(db: Db, userId: number, what: Refused): Promise<void> {
    const { words, count } = counted[what]
    const limit = await this.of(db, userId, what)
    const had = await count(db, userId)
    if (had >= limit) throw limitReached(`You have ${text(had)} of at most ${text(limit)} ${words}.`, limit)
  }
}

/** @param message one sentence, with the limit */
export function limitReached(message: string, limit: number): AppError {
  return new AppError('limit_reached', `${message} Delete one first, or ask an administrator for more.`, {
    details: [{ message: `the limit is ${text(limit)}`, limit }],
  })
}

async function ownLimits(db: Db, userId: number): Promise<Partial<Limits>> {
  const [user] = await db.select({ limits: users.limits }).from(users).where(eq(users.id, userId))
  return user?.limits ?? {}
}

const isOpenInvitation: SQL | undefined = and(
  eq(accountTokens.kind, 'invitation'),
  isNotNull(accountTokens.userId),
  gt(accountTokens.expiresAt, sql`now()`),
)

/** Counts webhooks of both kinds. */
async function countShares(tx: Db, userId: number): Promise<number> {
  const counts = [
    await tx.$count(
      tx
        .select({ id: dataWebhookShares.id })
        .from(dataWebhookShares)
        .innerJoin(dataWebhooks, eq(dataWebhooks.id, dataWebhookShares.webhookId))
        .where(eq(dataWebhooks.userId, userId))
        .as('given'),
    ),
    await tx.$count(
      tx
        .select({ id: botWebhookShares.id })
        .from(botWebhookShares)
        .innerJoin(botWebhooks, eq(botWebhooks.id, botWebhookShares.webhookId))
        .where(eq(botWebhooks.userId, userId))
        .as('given'),
    ),
  ]
  return counts[0]! + counts[1]!
}

function text(figure: number): string {
  return figure.toLocaleString('en')
}
