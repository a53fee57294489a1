import { randomBytes } from 'node:crypto'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { DatabaseBooks } from '../packages/server/src/bots/database-books.ts'
import { ProtectionWatch } from '../packages/server/src/bots/protection/watch.ts'
import { defaultSettings } from '../packages/server/src/bots/settings.ts'
import { BotWorker } from '../packages/server/src/bots/worker.ts'
import type { Database } from '../packages/server/src/db/database.ts'
import { Node } from '../packages/server/src/db/node.ts'
import { botSignals, signals } from '../packages/server/src/db/schema.ts'
import type { Quote } from '../packages/server/src/market/price-source.ts'
import type { MarketRules } from '../packages/server/src/market/rules.ts'
import type {
  LookUpOutcome,
  OrderRequest,
  PlaceOutcome,
  Venue,
} from '../packages/server/src/trading/types.ts'
import { makeAccounts } from './accounts.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { withDatabase } from './database.ts'
import { inTurns, latenciesOf } from './in-turns.ts'
import { latenciesAgainstFloor, type Row, type Section } from './report.ts'
import { median } from './statistics.ts'

const positions = 1_000
const botCount = 100
const pricesPerSecond = 4
const tickMs = 25
/** Far enough from each other that the walk of the prices closes nothing. */
const settings = JSON.stringify({
  stop_loss: '10%',
  take_profit: [
    { at: '20%', part: '0.5' },
    { at: '40%', part: '0.5' },
  ],
  trailing: { by: '8%', from: null, step: '1%' },
  break_even: null,
  exit_after_seconds: 86_400,
})

const mostCpuMs = 250
const mostToCloseMs = 20
const mostToSettleMs = 10_000

/** 1,000 protected positions that the service watches: what their prices cost, and how soon its close is sent. */
export const protect: Benchmark = { name: 'protect', run }

async function run({ backend, quick }: BenchContext): Promise<Section> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-bench-'))
  const place = { ...(await backend.emptyDatabase()), DATA_DIR: folder.path }
  const rows = await withDatabase(place, async (database) => {
    await makeAccounts(1, database, randomBytes(32))
    await addPositions(database)
    return measure(database, quick)
  })
  const rate = positions * pricesPerSecond
  return { bench: 'protect', title: `${positions} positions with ${rate} prices a second`, rows }
}

async function measure(database: Database, quick: boolean): Promise<Row[]> {
  const market = new Prices()
  const cpu = await cpuOfSeconds(database, market, { rounds: quick ? 1 : 5, ms: quick ? 2_000 : 6_000 })
  const exchange = new InMemoryExchange(market)
  let left = positions
  const { floorTimes, times } = await withWorker(database, exchange, async (announce) => {
    const watch = await startWatch(database, market, { announce })
    const feed = market.feedAll()
    const [floorTimes, times] = await inTurns(
      quick ? 20 : 200,
      () => msOf(() => storeClose(database)),
      () => exchange.closeNext(),
    )
    feed.stop()
    await watch.stop()
    left -= exchange.closed
    return { floorTimes, times }
  })
  const floorMs = await msOf(() => Promise.all(Array.from({ length: left }, () => storeClose(database))))
  market.fall()
  const restartMs = await msOf(() =>
    withWorker(database, exchange, async (announce) => {
      const watch = await startWatch(database, market, { open: left, announce })
      while (exchange.closed < positions) await sleep(5)
      await watch.stop()
    }),
  )
  const toClose = latenciesAgainstFloor(
    latenciesOf('from the price to the request of its close', times),
    latenciesOf('floor: the rows of a close, in one transaction', floorTimes),
  )
  const met = (ms: number, most: number) => ({ text: `at most ${most} ms`, met: ms <= most })
  return [
    { name: 'floor: a comparison for each price of a second', ownCpuMs: cpu.floorMs },
    { name: 'the watch, for each second', ownCpuMs: cpu.oursMs, target: met(cpu.oursMs, mostCpuMs) },
    latenciesOf('floor: the rows of a close, in one transaction', floorTimes),
    {
      ...toClose,
      target: { ...met(toClose.p99Ms!, mostToCloseMs), text: `p99 at most ${mostToCloseMs} ms` },
    },
    { name: `floor: the rows of ${left} closes, all at once`, mostMs: floorMs },
    {
      name: `a start at which ${left} stops have been reached, until all are closed`,
      mostMs: restartMs,
      target: met(restartMs, mostToSettleMs),
    },
  ]
}

/** Resolves when it knows all open positions. */
async function startWatch(
  database: Database,
  market: Prices,
  { open = positions, announce = () => undefined }: { open?: number; announce?(botIds: number[]): void } = {},
): Promise<ProtectionWatch> {
  const watch = new ProtectionWatch({
    ...{ database, market, announce, candles: null },
    catalogue: { find: () => ({ exchange: 'binance', service: 'futures' }) as never },
    onError: (error) => {
      throw error
    },
  })
  watch.start()
  while (market.followed < open) await sleep(5)
  return watch
}

/** The worker of the bots, whose closes it sends to the exchange. */
async function withWorker<T>(
  database: Database,
  exchange: InMemoryExchange,
  measure: (announce: (botIds: number[]) => void) => Promise<T>,
): Promise<T> {
  const onError = (error: unknown) => {
    throw error
  }
  const node = new Node(database, { roles: ['worker'] })
  await node.start(onError)
  const worker = new BotWorker({
    ...{ database, node, onError, orderPrefix: 'twbench', whyHalted: () => null },
    openVenue: async () => exchange,
    openBooks: ({ id, userId, settings: { startBalance } }) =>
      new DatabaseBooks({
        ...{ database, nodeId: node.id, bot: { id, userId, startBalance }, markPrice: () => '100' },
      }),
    onOutcome: () => exchange.ended(),
  })
  await worker.start()
  try {
    return await measure((botIds) => worker.announce(botIds))
  } finally {
    await worker.stop()
    await node.stop()
  }
}

/** Executes each order at once. */
class InMemoryExchange implements Venue {
  readonly kind = 'live'
  /** How many positions were closed. */
  closed = 0
  rules: Venue['rules']
  #market: Prices
  #next = 0
  #sentAtMs = 0
  #onEnded: (() => void) | undefined

  constructor(market: Prices) {
    this.#market = market
    this.rules = (symbol) => market.rules(undefined, symbol)
  }

  /** @returns the time from a price at the stop until the request to close arrives; the books have the fill then, too */
  async closeNext(): Promise<number> {
    const isEnded = Promise.withResolvers<void>()
    this.#onEnded = isEnded.resolve
    const startMs = performance.now()
    this.#market.tell(symbolOf(this.#next++), 50)
    await isEnded.promise
    return this.#sentAtMs - startMs
  }

  async price(symbol: string): Promise<string> {
    return String(this.#market.latest(undefined, symbol).price)
  }

  async place({ clientOrderId, size }: OrderRequest): Promise<PlaceOutcome> {
    this.#sentAtMs = performance.now()
    const execution = { tradeId: clientOrderId, size, price: '50', fee: '0', feeAsset: 'USDT' }
    const executions = [{ ...execution, filledAt: Date.now() }]
    return {
      status: 'placed',
      report: { exchangeOrderId: clientOrderId, status: 'FILLED', executions, reason: null },
    }
  }

  async lookUp(): Promise<LookUpOutcome> {
    // On a busy machine, a heartbeat may come too late for an order to be sent at once.
    return { status: 'absent', isCertain: true }
  }

  async cancel(): Promise<void> {}

  /** The books have the fill. */
  ended(): void {
    this.closed += 1
    this.#onEnded?.()
  }
}

const symbolOf = (index: number) => `S${index}/USDT:USDT`

/** The prices of all symbols, which walk by up to half a percent. */
class Prices {
  #followers = new Map<string, (quote: Quote) => void>()
  #prices = new Map(Array.from({ length: positions }, (_, index) => [symbolOf(index), 100]))
  /** Their prices stay where a test has put them. */
  #fixed = new Set<string>()

  get followed(): number {
    return this.#followers.size
  }

  follow = (_venue: unknown, symbol: string, onUpdate: (quote: Quote) => void): (() => void) => {
    this.#followers.set(symbol, onUpdate)
    return () => this.#followers.delete(symbol)
  }

  latest = (_venue: unknown, symbol: string): Quote => ({ price: this.#prices.get(symbol)!, at: Date.now() })

  rules = async (_venue: unknown, symbol: string): Promise<MarketRules> => ({
    ...{ symbol, service: 'futures', base: symbol.split('/')[0]!, quote: 'USDT' },
    ...{ sizeStep: '0.001', minSize: '0.001', minNotional: '5' },
  })

  tell(symbol: string, price: number): void {
    this.#fixed.add(symbol)
    this.#prices.set(symbol, price)
    this.#followers.get(symbol)?.({ price, at: Date.now() })
  }

  /** All prices are beyond the stops. */
  fall(): void {
    for (const symbol of this.#prices.keys()) this.#prices.set(symbol, 50)
  }

  /** Each symbol gets a price four times a second. @param tell default: those who follow it */
  feedAll(tell?: (quote: Quote) => void): { stop(): void } {
    const symbols = [...this.#prices.keys()]
    const perTick = (positions * pricesPerSecond * tickMs) / 1_000
    let at = 0
    const timer = setInterval(() => {
      for (let count = 0; count < perTick; count++) {
        const symbol = symbols[at++ % symbols.length]!
        if (this.#fixed.has(symbol)) continue
        const price = 100 + (((at * 7_919) % 1_000) - 500) / 1_000
        this.#prices.set(symbol, price)
        const quote = { price, at: 0 }
        if (tell === undefined) this.#followers.get(symbol)?.(quote)
        else tell(quote)
      }
    }, tickMs)
    return { stop: () => clearInterval(timer) }
  }
}

/** CPU time of this process for a second of prices, in turns: to a comparison with a number, and to the watch. */
async function cpuOfSeconds(
  database: Database,
  market: Prices,
  { rounds, ms }: { rounds: number; ms: number },
) {
  const times: { floor: number[]; ours: number[] } = { floor: [], ours: [] }
  let reached = 0
  const compare = ({ price }: Quote) => {
    if (price < 90) reached++
  }
  const cpuMs = async (tell?: (quote: Quote) => void) => {
    const before = process.cpuUsage()
    const feed = market.feedAll(tell)
    await sleep(ms)
    feed.stop()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / ms
  }
  for (let round = 0; round <= rounds; round++) {
    const floorMs = await cpuMs(compare)
    const watch = await startWatch(database, market)
    const oursMs = await cpuMs()
    await watch.stop()
    if (round === 0) continue
    times.floor.push(floorMs)
    times.ours.push(oursMs)
  }
  if (reached > 0) throw new Error('The prices have reached a stop.')
  return { floorMs: median(times.floor), oursMs: median(times.ours) }
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}

async function storeClose({ db }: Database): Promise<void> {
  // No worker follows it.
  const ofBot = { botId: 1, userId: 1, status: 'IGNORED', finishedAt: new Date() } as const
  await db.transaction(async (tx) => {
    const at = { createdAt: new Date(), price: 50, delivered: true }
    const [signal] = await tx
      .insert(signals)
      .values({ userId: 1, origin: 'stop_loss', action: 'EXIT', symbols: ['FLOOR'], options: {}, ...at })
      .returning({ id: signals.id })
    await tx
      .insert(botSignals)
      .values({ ...ofBot, signalId: signal!.id, symbol: 'FLOOR', queuedAt: new Date() })
  })
}

/** Longs of 1 since 100, spread over the bots. */
async function addPositions({ db }: Database): Promise<void> {
  const ofBot = JSON.stringify({ ...defaultSettings, startBalance: '10000' })
  await db.execute(sql`
    insert into bots (user_id, name, exchange_id, mode, status, settings)
    select (select min(id) from users), 'bot', 3, 'live', 'ACTIVE', ${ofBot}::jsonb from generate_series(1, ${botCount}::int)`)
  await db.execute(sql`
    insert into positions (bot_id, symbol, user_id, side, size, entry_price, realised, fees, opened_at, updated_at)
    select n % ${botCount}::int + 1, 'S' || n || '/USDT:USDT', (select min(id) from users), 'long', 1, 100, 0, 0,
      date_trunc('milliseconds', now()), now()
    from generate_series(0, ${positions}::int - 1) n`)
  await db.execute(sql`
    insert into position_protections (bot_id, symbol, opened_at, settings, opened_size)
    select bot_id, symbol, opened_at, ${settings}::jsonb, 1 from positions`)
  await db.execute(sql`analyze`)
}
