import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { pino } from 'pino'
import { AuditLog } from '../src/accounts/audit-log.ts'
import { AppError } from '../src/base/errors.ts'
import type { Authenticate } from '../src/base/principal.ts'
import { Bots } from '../src/bots/bots.ts'
import { drawdownRoutes } from '../src/bots/drawdown-routes.ts'
import { equityRoutes } from '../src/bots/equity-routes.ts'
import { exportRoutes } from '../src/bots/export-routes.ts'
import { knownWorth } from '../src/bots/known-worth.ts'
import { paymentRoutes } from '../src/bots/payment-routes.ts'
import { botRecordRoutes, recordRoutes } from '../src/bots/record-routes.ts'
import { Records } from '../src/bots/records.ts'
import { botRoutes } from '../src/bots/routes.ts'
import { SizePreviewer } from '../src/bots/size-preview.ts'
import { sizeRoutes } from '../src/bots/size-routes.ts'
import { AllTrades } from '../src/bots/statistics/all-trades.ts'
import { Equities } from '../src/bots/statistics/equities.ts'
import { Exports } from '../src/bots/statistics/exports.ts'
import { FillWalks } from '../src/bots/statistics/fill-walk.ts'
import { Statistics } from '../src/bots/statistics/statistics.ts'
import { Trades } from '../src/bots/statistics/trades.ts'
import { statsRoutes } from '../src/bots/stats-routes.ts'
import { openingsOf } from '../src/bots/taken-symbols.ts'
import { tradeRoutes } from '../src/bots/trade-routes.ts'
import { type Catalogue, createCatalogue } from '../src/catalogue/catalogue.ts'
import { sealCredentials } from '../src/connections/credentials.ts'
import { ExchangeConnections } from '../src/connections/exchange-connections.ts'
import type { Database } from '../src/db/database.ts'
import {
  botSignals,
  botWebhooks,
  exchangeConnections,
  fills,
  orders,
  positions,
  signals,
  users,
} from '../src/db/schema.ts'
import { UserLimits } from '../src/db/user-limits.ts'
import { buildApp } from '../src/http/app.ts'
import type { App } from '../src/http/types.ts'
import type { Change } from '../src/live/changes.ts'
import { Market } from '../src/market/market.ts'
import { StrategyPrices } from '../src/market/strategy-prices.ts'
import { Vault } from '../src/secrets/vault.ts'
import { unknownFacts } from '../src/trading/live/account-reader.ts'
import { type CredentialsCheck, credentialFields } from '../src/trading/live/credentials.ts'
import type { ApiAnswer } from './client.ts'
import { createTestDatabase, fileResources } from './databases.ts'
import { ManualPrices } from './manual-prices.ts'

/** The bots of a service, on a database that the test can also write to. */
export type BotService = {
  database: Database
  catalogue: Catalogue
  prices: ManualPrices
  /** Whether an administrator has turned live trading on. */
  isLive: boolean
  /** The bots for which closes were announced. */
  announced: number[]
  /** What live streams were told. */
  changes: Change[]
  /** What exchanges answer to questions about any account. */
  answer: () => CredentialsCheck | Promise<CredentialsCheck>
  vault: Vault
  /** Creates a new user. */
  account(): Promise<Account>
}

export type Account = {
  userId: number
  api(method: Method, path: string, body?: unknown): Promise<ApiAnswer>
  /** The text that a GET answers, whatever its type. */
  text(path: string): Promise<{ status: number; headers: Headers; text: string }>
}
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Registers a test of bots. All tests of a file share one service, each with its own account. */
export function withBotService(
  name: string,
  fn: (account: Account, service: BotService) => Promise<void>,
): void {
  test(name, async () => {
    const service = await shared()
    await fn(await service.account(), service)
  })
}

let started: Promise<BotService> | undefined

function shared(): Promise<BotService> {
  started ??= start()
  return started
}

const fail = (error: unknown) => assert.fail(`unexpected: ${error}`)

async function start(): Promise<BotService> {
  const place = fileResources.use(await createTestDatabase())
  const database = await place.open()
  const catalogue = await createCatalogue(database, { onError: fail })
  fileResources.defer(() => catalogue.close())
  const prices = new ManualPrices()
  const market = new Market({ source: prices, onError: fail })
  fileResources.defer(() => market.close())
  const vault = new Vault(randomBytes(32))
  const answer: BotService['answer'] = () => ({ ok: true, facts: unknownFacts, equity: null })
  const service: Omit<BotService, 'account'> = {
    database,
    catalogue,
    prices,
    isLive: false,
    announced: [],
    changes: [],
    answer,
    vault,
  }
  const limits = new UserLimits()
  const connections = new ExchangeConnections({
    ...{ database, vault, limits, catalogue, credentialFields, allowWithdrawalKeys: true },
    checkCredentials: async () => service.answer(),
  })
  const bots = new Bots({
    ...{ database, limits, catalogue, connections, market },
    isLiveAllowed: () => service.isLive,
    onBots: (botIds) => service.announced.push(...botIds),
    onChange: (change) => service.changes.push(change),
  })
  const sources = new StrategyPrices(market, catalogue)
  const records = new Records(database, sources)
  const walks = new FillWalks(database)
  const trades = new Trades(database, walks, sources)
  const app = await buildApp({
    logger: pino({ level: 'silent' }),
    authenticate: byUserId,
    market: 'live',
    apiRoutes: [
      botRoutes(bots, records),
      recordRoutes(records),
      botRecordRoutes(bots, records),
      drawdownRoutes({ database, audit: new AuditLog(database), onChange: () => undefined }),
      tradeRoutes({ bots, trades, allTrades: new AllTrades(database, trades) }),
      exportRoutes(bots, records, new Exports(database, trades)),
      statsRoutes({ bots, records, statistics: new Statistics(database, walks, trades) }),
      equityRoutes(new Equities(database, walks, sources)),
      sizeRoutes(
        new SizePreviewer({
          catalogue,
          market,
          balance: async (userId, id) => records.balance(await bots.get(userId, id)),
          openings: (id) => openingsOf(database.db, id),
          worth: (of) => knownWorth(database.db, of),
        }),
      ),
      paymentRoutes(records),
    ],
    openRoutes: [],
  })
  fileResources.defer(() => app.close())
  return Object.assign(service, { account: () => makeAccount(database, app) })
}

/** The api-key is the user's id. Other tests check signatures. */
const byUserId: Authenticate = ({ apiKey }) => {
  if (apiKey === undefined) throw new AppError('auth_missing', 'Sign the request.')
  return { userId: Number(apiKey), role: 'user' }
}

async function makeAccount({ db }: Database, app: App): Promise<Account> {
  const email = `${randomBytes(8).toString('hex')}@example.com`
  const [user] = await db.insert(users).values({ email, passwordHash: '', role: 'user' }).returning()
  const headers = { 'api-key': String(user!.id), 'content-type': 'application/json' }
  return {
    userId: user!.id,
    api: async (method, path, body) => {
      const payload = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await app.inject({ method, url: `/api/v2${path}`, headers, ...payload })
      return {
        status: answer.statusCode,
        headers: new Headers(answer.headers as Record<string, string>),
        body: answer.json(),
      }
    },
    text: async (path) => {
      const { statusCode, headers: given, body } = await app.inject({ url: `/api/v2${path}`, headers })
      return { status: statusCode, headers: new Headers(given as Record<string, string>), text: body }
    },
  }
}

export const simulated = ({ catalogue }: BotService) => catalogue.simulated.id

type Values<Table extends { $inferInsert: object }> = Partial<Table['$inferInsert']>

export async function addWebhook({ database }: BotService, { userId }: Account): Promise<number> {
  const [row] = await database.db
    .insert(botWebhooks)
    .values({
      userId,
      name: 'webhook',
      description: '',
      urlHash: randomBytes(32),
      urlSecret: randomBytes(32),
    })
    .returning()
  return row!.id
}

/** A connection to an account of its own on Binance spot, unless said otherwise. */
export async function addConnection(
  { database, vault }: BotService,
  { userId }: Account,
  {
    apiKey = randomBytes(8).toString('hex'),
    ...values
  }: Values<typeof exchangeConnections> & { apiKey?: string } = {},
): Promise<number> {
  const exchangeId = values.exchangeId ?? 2
  const credentials = sealCredentials(vault, { userId, exchangeId }, { apiKey, secret: 'secret' })
  const [row] = await database.db
    .insert(exchangeConnections)
    .values({ userId, exchangeId, name: 'account', credentials, ...values })
    .returning()
  return row!.id
}

type Owner = { userId: number; botId: number }

/** A long of half a bitcoin at 100, unless said otherwise. */
export async function addPosition(
  { database }: BotService,
  owner: Owner,
  values: Values<typeof positions> = {},
) {
  const at = new Date()
  const position = {
    symbol: 'BTC/USDT',
    side: 'long' as const,
    size: '0.5',
    entryPrice: '100',
    realised: '-0.05',
    fees: '0.05',
    openedAt: at,
    updatedAt: at,
  }
  const [row] = await database.db
    .insert(positions)
    .values({ ...position, ...owner, ...values })
    .returning()
  return row!
}

/** A signal that a bot received, with its progress. */
export async function addBotSignal(
  { database }: BotService,
  owner: Owner,
  values: Values<typeof botSignals> = {},
) {
  const createdAt = values.queuedAt ?? new Date()
  const [signal] = await database.db
    .insert(signals)
    .values({ userId: owner.userId, action: 'LONG', symbols: ['BTCUSDT'], options: {}, createdAt })
    .returning()
  const [row] = await database.db
    .insert(botSignals)
    .values({ signalId: signal!.id, symbol: 'BTC/USDT', queuedAt: createdAt, ...owner, ...values })
    .returning()
  return row!
}

export async function addOrder({ database }: BotService, owner: Owner, values: Values<typeof orders> = {}) {
  const at = new Date()
  const order = {
    botSignalId: 1,
    clientOrderId: randomBytes(8).toString('hex'),
    symbol: 'BTC/USDT',
    side: 'buy' as const,
    purpose: 'open' as const,
    reduceOnly: false,
    size: '0.5',
    status: 'FILLED' as const,
    createdAt: at,
    updatedAt: at,
  }
  const [row] = await database.db
    .insert(orders)
    .values({ ...order, ...owner, ...values })
    .returning()
  return row!
}

export async function addFill({ database }: BotService, owner: Owner, values: Values<typeof fills> = {}) {
  const fill = {
    orderId: 1,
    tradeId: randomBytes(8).toString('hex'),
    symbol: 'BTC/USDT',
    side: 'buy' as const,
    size: '0.5',
    price: '100',
    fee: '0.05',
    feeAsset: 'USDT',
    realised: '-0.05',
    filledAt: new Date(),
  }
  const [row] = await database.db
    .insert(fills)
    .values({ ...fill, ...owner, ...values })
    .returning()
  return row!
}

export const botsPath = '/bot/signal/cex'

/** Makes a bot through the API, on the simulated market unless said otherwise. */
export async function makeBot(service: BotService, account: Account, fields: Record<string, unknown> = {}) {
  const { status, body } = await account.api('POST', botsPath, { exchange_id: simulated(service), ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return { ...body, own: `${botsPath}/${body.id}`, owner: { userId: account.userId, botId: body.id } }
}
