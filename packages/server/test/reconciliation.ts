/** A live bot on a stand-in, with a worker that compares its books with the account. */
import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { given } from '../src/base/given.ts'
import type { ClosableVenue } from '../src/bots/closable-venue.ts'
import { DatabaseBooks } from '../src/bots/database-books.ts'
import type { HeldBot } from '../src/bots/inbox.ts'
import { LegKeeper } from '../src/bots/legs/keeper.ts'
import type { LegTiming } from '../src/bots/legs/memory.ts'
import { AccountEquities } from '../src/bots/reconciliation/account-equity.ts'
import { ReconciliationChecks, type Timing } from '../src/bots/reconciliation/checks.ts'
import { Funding } from '../src/bots/reconciliation/funding.ts'
import { ReconciliationStore } from '../src/bots/reconciliation/store.ts'
import { ReconciliationWriting } from '../src/bots/reconciliation/writing.ts'
import { BotWorker } from '../src/bots/worker.ts'
import { readEntries } from '../src/catalogue/entries.ts'
import type { Database } from '../src/db/database.ts'
import { Node } from '../src/db/node.ts'
import {
  type BotSettings,
  botSignals,
  bots,
  exchangeConnections,
  fills,
  payments,
  positions,
  reconciliationEvents,
  reconciliations,
  users,
} from '../src/db/schema.ts'
import type { Announce } from '../src/live/changes.ts'
import type { MarketVenue } from '../src/market/price-source.ts'
import type { FollowSignal } from '../src/trading/follow-signal.ts'
import { LiveVenue } from '../src/trading/live/live-venue.ts'
import type { LegVenue } from '../src/trading/protection/leg-venue.ts'
import type { Action } from '../src/trading/types.ts'
import type { startBinance } from './exchanges/index.ts'
import { liveServices } from './live-services.ts'
import { addSignal } from './signal-processor.ts'
import { plainSettings } from './trading.ts'
import { until } from './until.ts'

export type Service = 'spot' | 'futures'
type Exchange = Awaited<ReturnType<typeof startBinance>>

/** Everything happens within milliseconds. */
const fast: Partial<Timing> = { everyMs: 40, pauseMs: 15, lookMs: 10, ordersMs: 20, freshMs: 20 }

const fastLegs: Partial<LegTiming> = {
  ...{ checkMs: 40, firstPauseMs: 10, longestPauseMs: 40, absentMs: 200, refusedMs: [30, 60], moveMs: 30 },
}

/** All bots of a worker trade at its exchange. */
function catalogueOf({ exchange, service }: Pick<MarketVenue, 'exchange' | 'service'>) {
  const entry = readEntries().find((one) => one.exchange === exchange && one.service === service)!
  return { find: () => ({ ...entry, enabled: true }) }
}

export const symbolOf = (service: Service) => (service === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT')

/** A user with a connection. Bots are added by `addBot`. */
export async function addOwner({ db }: Database) {
  const email = `${Math.random()}@example.com`
  const [user] = await db.insert(users).values({ email, passwordHash: '', role: 'user' }).returning()
  const userId = user!.id
  const [connection] = await db
    .insert(exchangeConnections)
    .values({ userId, exchangeId: 2, name: '', credentials: Buffer.from('x') })
    .returning()
  return { userId, connectionId: connection!.id }
}

export async function addBot(
  { db }: Database,
  owner: { userId: number; connectionId: number },
  settings: Partial<BotSettings> = {},
): Promise<number> {
  const values = { ...owner, name: 'Scalper', mode: 'live', status: 'ACTIVE', exchangeId: 2 } as const
  const [bot] = await db
    .insert(bots)
    .values({ ...values, settings: { ...plainSettings, amount: '6000', ...settings } })
    .returning()
  return bot!.id
}

export type WorkerOptions = {
  service: Service
  /** Default: Binance. */
  exchange?: string
  /** What happens in the account before the bot. */
  prepare?(trading: Exchange['trading']): void
  timing?: Partial<Timing>
  writing?: typeof ReconciliationWriting
  subscribers?: { hears(userId: number): boolean; onTold(): void }
  /** Is told what live streams are told of accounts and of protection at the exchange. */
  onChange?: Announce
  node?: Node
  /** From which age on an opening that is open is protected part by part. */
  partMs?: number
  /** Keeps stops at the exchange. Its venue may be changed by the test, for example to die. */
  legs?: { change(legs: LegVenue): LegVenue; halted?(): boolean }
  onUnprotectedSeconds?(seconds: number): void
  /** Of orders and of legs, where the usual ones are too slow. */
  timeouts?: FollowSignal['timeouts']
  legTiming?: Partial<LegTiming>
}

/** A worker on a node of its own, for bots whose account is at a stand-in. */
export async function startBotWorker(database: Database, standIn: Exchange, options: WorkerOptions) {
  const { service, exchange = 'binance' } = options
  const venue = new LiveVenue({
    venue: { exchange, service },
    credentials: standIn.trading.credentials,
    endpoints: { [exchange]: standIn.endpoints },
    price: async (symbol) => standIn.price(symbol),
    absentAfterMs: 100,
    timeouts: { endedMs: 20 },
    timeoutMs: 3_000,
  })
  const openVenue = async () => ({
    ...methodsOf(venue),
    ...(options.legs && venue.legs && { legs: options.legs.change(venue.legs) }),
  })
  const running = await startWorkerOn(database, openVenue, options)
  return {
    ...{ ...running, venue },
    async [Symbol.asyncDispose]() {
      if (running.isStopped()) return
      await running[Symbol.asyncDispose]()
      await venue.close()
    },
  }
}

/** A worker on a node of its own, whose bots trade at a venue. */
export async function startWorkerOn(
  database: Database,
  openVenue: (bot: HeldBot) => Promise<ClosableVenue>,
  options: WorkerOptions,
) {
  const node = options.node ?? new Node(database, { roles: ['worker'] })
  const errors: unknown[] = []
  await node.start((error) => errors.push(error))
  const { service, exchange = 'binance', subscribers } = options
  const catalogue = catalogueOf({ exchange, service })
  const heard = subscribers && { subscribers }
  const openBooks = ({ id, userId, settings: { startBalance } }: HeldBot) =>
    new DatabaseBooks({
      ...{ database, nodeId: node.id, bot: { id, userId, startBalance }, markPrice: () => null },
      ...heard,
    })
  const Writing = options.writing ?? ReconciliationWriting
  const writing = new Writing({ database, nodeId: node.id, markPrice: () => null, ...heard })
  const onError = (error: unknown) => errors.push(error)
  const parts = { node, openVenue, openBooks, onError }
  const legs: LegKeeper | undefined =
    options.legs &&
    new LegKeeper({
      ...{ ...parts, database, orderPrefix: `tw${node.id.replaceAll('-', '').slice(0, 8)}`, catalogue },
      whyHalted: () => (options.legs?.halted?.() === true ? 'Trading is halted.' : null),
      compare: (bot, symbol) => checks.compareNow(bot, symbol),
      announce: (botIds) => worker.announce(botIds),
      timing: { ...fastLegs, ...options.legTiming },
      ...given({ onUnprotectedSeconds: options.onUnprotectedSeconds, onChange: options.onChange }),
      ...heard,
    })
  const checks = new ReconciliationChecks({
    ...{ ...parts, ...(legs && { legs }) },
    ...{ store: new ReconciliationStore(database), writing, timing: options.timing ?? fast },
    equities: new AccountEquities(database, node.id, options.onChange),
    funding: new Funding({ ...{ database, nodeId: node.id, markPrice: () => null, fundingEveryMs: 30 } }),
  })
  const worker = new BotWorker({
    ...{ database, node, openVenue, openBooks, checks, onError, ...(legs && { legs }) },
    whyHalted: () => null,
    reconcile: (bot, symbol) => checks.compareNow(bot, symbol),
    orderPrefix: 'tw',
    timeouts: {
      ...{ absentMs: 250, firstPauseMs: 5, longestPauseMs: 40, closePausesMs: [20, 60] },
      ...given({ partMs: options.partMs }),
      ...options.timeouts,
    },
    onOutcome: () => undefined,
    sweepMs: 20,
    ...heard,
  })
  await worker.start()
  let isStopped = false
  return {
    ...{ worker, node, checks, errors, isStopped: () => isStopped },
    async [Symbol.asyncDispose]() {
      if (isStopped) return
      isStopped = true
      await worker.stop()
      await node.stop()
    },
  }
}

function methodsOf(venue: LiveVenue): ClosableVenue {
  return {
    kind: venue.kind,
    account: venue.account,
    rules: venue.rules.bind(venue),
    price: venue.price.bind(venue),
    place: venue.place.bind(venue),
    lookUp: venue.lookUp.bind(venue),
    cancel: venue.cancel.bind(venue),
    whyNoLimits: venue.whyNoLimits,
    bestPrices: venue.bestPrices.bind(venue),
    marginOf: venue.marginOf.bind(venue),
  }
}

/** What the database says about a bot. */
export function recordsOf({ db }: Database, botId: number, symbol: string) {
  const read = async () => {
    const [row] = await db.select().from(reconciliations).where(eq(reconciliations.botId, botId))
    return row
  }
  const size = async () => {
    const held = await db.select().from(positions).where(eq(positions.botId, botId))
    const own = held.find((one) => one.symbol === symbol)
    return own?.side === undefined || own.side === null
      ? 0
      : Number(own.size) * (own.side === 'long' ? 1 : -1)
  }
  return {
    read,
    size,
    position: async () => {
      const [row] = await db.select().from(positions).where(eq(positions.botId, botId))
      return row
    },
    payments: () => db.select().from(payments).where(eq(payments.botId, botId)).orderBy(payments.id),
    fills: () => db.select().from(fills).where(eq(fills.botId, botId)).orderBy(fills.id),
    events: async () => {
      const rows = await db
        .select()
        .from(reconciliationEvents)
        .where(eq(reconciliationEvents.botId, botId))
        .orderBy(reconciliationEvents.id)
      return rows.map(({ type }) => type)
    },
    /** Waits for a comparison that began after now and has this status. */
    compared: async (status: 'AGREES' | 'DIFFERS' | 'UNREACHABLE') => {
      const from = Date.now()
      await until(`a comparison that says ${status}`, async () => {
        const row = await read()
        return row?.status === status && row.checkedAt.getTime() > from
      })
    },
    follow: async (owner: { userId: number }, action: Action) => {
      const id = await addSignal({ db } as Database, { ...owner, botId }, symbol, action)
      const ended = async () => {
        const [row] = await db.select().from(botSignals).where(eq(botSignals.id, id))
        assert.ok(row)
        return row
      }
      await until(`${action} to end`, async () => (await ended()).finishedAt !== null)
      return ended()
    },
  }
}

/** An exchange, a bot with its owner, and a worker. */
export async function openBench(
  database: Database,
  options: WorkerOptions,
  settings: Partial<BotSettings> = {},
) {
  await using acquired = new AsyncDisposableStack()
  const { service, exchange = 'binance' } = options
  const place = liveServices.find((one) => one.exchange === exchange && one.service === service)!
  const { symbol } = place
  const standIn = acquired.use(await place.start())
  standIn.trading.setBalance(place.quote, '1000000')
  options.prepare?.(standIn.trading)
  const owner = await addOwner(database)
  const botId = await addBot(database, owner, settings)
  const running = acquired.use(await startBotWorker(database, standIn, options))
  const kept = acquired.move()
  const books = new DatabaseBooks({
    ...{ database, nodeId: running.node.id, markPrice: () => null },
    bot: { id: botId, userId: owner.userId, startBalance: '10000' },
  })
  return {
    ...{ standIn, trading: standIn.trading, owner, botId, symbol, running, database, books },
    ...recordsOf(database, botId, symbol),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
