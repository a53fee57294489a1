/** A processor of one bot on a real database, with a venue and books that a test can let fail. */
import assert from 'node:assert/strict'
import { asc, eq } from 'drizzle-orm'
import { DatabaseBooks, type DatabaseBooksOptions } from '../src/bots/database-books.ts'
import { Inbox } from '../src/bots/inbox.ts'
import { SignalProcessor, type SignalProcessorParts } from '../src/bots/signal-processor.ts'
import type { Database } from '../src/db/database.ts'
import { Node } from '../src/db/node.ts'
import { type BotSettings, botSignals, bots, signals, users } from '../src/db/schema.ts'
import { NoSuchMarket, VenueUnreachable } from '../src/market/price-source.ts'
import type { MarketRules } from '../src/market/rules.ts'
import type { Action, OrderReport, OrderRequest, Venue } from '../src/trading/types.ts'
import type { TestDatabase } from './databases.ts'
import { futuresRules, noon, plainSettings } from './trading.ts'
import { until } from './until.ts'

/** A venue that executes every order at once, at a price of 100, and keeps a list of them. */
export function promptVenue() {
  const sent = new Map<string, OrderReport>()
  const venue: Venue = {
    kind: 'live',
    rules: async (symbol) => rulesOf(symbol),
    price: async () => '100',
    place: async ({ clientOrderId, size }: OrderRequest) => {
      assert.ok(!sent.has(clientOrderId), 'it is sent twice')
      const execution = { tradeId: '1', size, price: '100', fee: '0', feeAsset: 'USDT', filledAt: noon }
      sent.set(clientOrderId, {
        exchangeOrderId: '1',
        status: 'FILLED',
        executions: [execution],
        reason: null,
      })
      return { status: 'placed', report: sent.get(clientOrderId)! }
    },
    cancel: async () => undefined,
    lookUp: async ({ clientOrderId }) => {
      const report = sent.get(clientOrderId)
      return report === undefined ? { status: 'absent' } : { status: 'found', report }
    },
  }
  return { venue, sent }
}

/** `btc-usdt` is `BTC/USDT:USDT`. Only pairs with USDT are markets. */
function rulesOf(symbol: string): MarketRules {
  const [, base] = /^([A-Z0-9]+?)[^A-Z0-9]*USDT(?:$|:USDT$)/i.exec(symbol) ?? []
  if (base === undefined) throw new NoSuchMarket(`There is no market ${symbol}.`)
  return { ...futuresRules, base: base.toUpperCase(), symbol: `${base.toUpperCase()}/USDT:USDT` }
}

export type ProcessorOptions = {
  mode?: 'paper' | 'live'
  settings?: Partial<BotSettings>
  parts?: Partial<SignalProcessorParts>
  /** Replaces the working books. */
  openBooks?(options: DatabaseBooksOptions): DatabaseBooks
  /** Receives events. */
  subscribers?: ConstructorParameters<typeof Inbox>[2]
}

export type TestProcessor = Awaited<ReturnType<typeof openProcessor>>

/** With pauses of a few milliseconds, and little patience. It is stopped when disposed of. */
export async function openProcessor(place: TestDatabase, options: ProcessorOptions = {}) {
  const database = await place.open()
  const { db } = database
  const [user] = await db
    .insert(users)
    .values({ email: 'a@example.com', passwordHash: '', role: 'user' })
    .returning()
  const userId = user!.id
  const node = new Node(database, { roles: ['worker'] })
  await node.start((error) => assert.fail(`${error}`))
  const { mode = 'live' } = options
  const settings = { ...plainSettings, ...options.settings }
  const [bot] = await db
    .insert(bots)
    .values({ userId, name: 'Scalper', mode, status: 'ACTIVE', exchangeId: 2, settings })
    .returning()
  const botId = bot!.id
  const { venue, sent } = promptVenue()
  const errors: unknown[] = []
  const over = Promise.withResolvers<never>()
  over.promise.catch(() => undefined)
  const { subscribers } = options
  const booksOptions = {
    database,
    nodeId: node.id,
    markPrice: () => null,
    ...(subscribers && { subscribers }),
  }
  const openBooks = options.openBooks ?? ((it: DatabaseBooksOptions) => new DatabaseBooks(it))
  const parts: SignalProcessorParts = {
    inbox: new Inbox(database, node, subscribers),
    node,
    openVenue: async () => venue,
    openBooks: ({ id }) => openBooks({ ...booksOptions, bot: { id, userId, startBalance: '10000' } }),
    whyHalted: () => null,
    orderPrefix: 'tw',
    pauses: { errors: [5], away: 5, settling: 20 },
    orderTimeoutMs: 500,
    onOutcome: () => undefined,
    onError: (error) => errors.push(error),
    ...options.parts,
  }
  const processor = new SignalProcessor(botId, parts)
  const rows = () =>
    db.select().from(botSignals).where(eq(botSignals.botId, botId)).orderBy(asc(botSignals.id))
  return {
    ...{ database, node, parts, processor, venue, sent, errors, botId, userId, rows },
    /** Stores a signal as if it had come through a webhook, without notifying the processor. */
    send: (symbol: string, action: Action, signalOptions: unknown = {}) =>
      addSignal(database, { userId, botId }, symbol, action, signalOptions),
    /** The outcomes of the bot's signals, in order, after waiting for `count` of them. */
    ended: async (count: number, timeoutMs = 30_000): Promise<string[]> => {
      const ends = async () => (await rows()).filter(({ finishedAt }) => finishedAt !== null)
      await until(`${count} signals to end`, async () => (await ends()).length >= count, timeoutMs)
      return (await rows()).map(({ symbol, status }) => `${symbol} ${status}`)
    },
    /** An answer that comes only at the end of the test. */
    silence: over.promise,
    [Symbol.asyncDispose]: async () => {
      over.reject(new VenueUnreachable('The test is over.'))
      await processor.stop()
      await node.stop()
    },
  }
}

/** @returns the id of the bot signal */
export async function addSignal(
  { db }: Database,
  { userId, botId }: { userId: number; botId: number },
  symbol: string,
  action: Action,
  options: unknown = {},
  more: Partial<typeof signals.$inferInsert> = {},
): Promise<number> {
  const values = {
    userId,
    action,
    symbols: [symbol],
    options: options as object,
    createdAt: new Date(),
    ...more,
  }
  const [signal] = await db.insert(signals).values(values).returning()
  const [row] = await db
    .insert(botSignals)
    .values({ botId, userId, signalId: signal!.id, symbol, queuedAt: new Date() })
    .returning()
  return row!.id
}
