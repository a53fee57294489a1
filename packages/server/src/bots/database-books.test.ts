import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eq } from 'drizzle-orm'
import { testBooksContract } from '../../test/books-contract.ts'
import { createTestDatabase, databaseLabels, fileResources, type TestDatabase } from '../../test/databases.ts'
import { plainSettings } from '../../test/trading.ts'
import type { Database } from '../db/database.ts'
import { botSignals, bots, users } from '../db/schema.ts'
import { Node } from '../runs/node.ts'
import { BotLost, DatabaseBooks } from './database-books.ts'

/** A bot that has never traded, held by a node. */
async function makeBot(database: Database) {
  const { db } = database
  const email = `${Math.random()}@example.com`
  const [user] = await db.insert(users).values({ email, passwordHash: '', role: 'user' }).returning()
  const userId = user!.id
  const node = new Node(database)
  const [bot] = await db
    .insert(bots)
    .values({ userId, name: '', exchangeId: 3, settings: plainSettings, holder: node.id })
    .returning()
  let signals = 0
  const newSignal = async () => {
    signals += 1
    const row = { botId: bot!.id, userId, signalId: signals, symbol: 'BTCUSDT', queuedAt: new Date() }
    const [signal] = await db.insert(botSignals).values(row).returning()
    return signal!.id
  }
  const books = new DatabaseBooks({
    database,
    nodeId: node.id,
    bot: { id: bot!.id, userId, startBalance: '10000' },
    mark: () => null,
  })
  return { bot: bot!, books, newSignal }
}

const shared = new Map<Database['kind'], Promise<Database>>()

function open(kind: Database['kind']): Promise<Database> {
  let database = shared.get(kind)
  if (database === undefined) {
    database = createTestDatabase(kind).then((place: TestDatabase) => fileResources.use(place).open())
    shared.set(kind, database)
  }
  return database
}

for (const kind of ['pglite', 'postgres'] as const) {
  const label = databaseLabels[kind]

  testBooksContract(`books in ${label}`, async () => ({
    ...(await makeBot(await open(kind))),
    async [Symbol.asyncDispose]() {},
  }))

  test(`who no longer holds a bot plans no order of it (${label})`, async () => {
    const database = await open(kind)
    const { bot, books, newSignal } = await makeBot(database)
    const signal = await newSignal()
    await database.db.update(bots).set({ holder: null }).where(eq(bots.id, bot.id))
    const order = {
      clientOrderId: `tw-${bot.id}-${signal}-o`,
      symbol: 'BTC/USDT:USDT',
      side: 'buy',
      purpose: 'open',
      reduceOnly: false,
      size: '1',
    } as const
    await assert.rejects(books.plan(signal, order), BotLost)
    assert.deepEqual(await books.ordersOf(signal), [])
  })
}
