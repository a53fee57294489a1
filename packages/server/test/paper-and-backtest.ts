/** The same signals at the same prices, through a running paper bot and through a backtest. */
import assert from 'node:assert/strict'
import { asc, eq, inArray } from 'drizzle-orm'
import { given } from '../src/base/given.ts'
import { Delays } from '../src/bots/delays.ts'
import { Liquidations } from '../src/bots/paper/liquidations.ts'
import { BotVenues } from '../src/bots/venues.ts'
import type { Database } from '../src/db/database.ts'
import { type BotSettings, botSignals, fills, payments, positions } from '../src/db/schema.ts'
import { Market } from '../src/market/market.ts'
import type { MarketVenue } from '../src/market/price-source.ts'
import type { MarketRules } from '../src/market/rules.ts'
import type { MarketConditions } from '../src/trading/market-conditions.ts'
import { ReplayBot } from '../src/trading/replay-bot.ts'
import type { Action } from '../src/trading/types.ts'
import type { TestDatabase } from './databases.ts'
import { ManualPrices } from './manual-prices.ts'
import { openProcessor } from './signal-processor.ts'
import { futuresRules, minuteCandle, plainSettings } from './trading.ts'
import { until } from './until.ts'

/** One price of the market, and the signal that comes then. `volume`: what others trade meanwhile. */
export type Step = { price: string; signal?: Action; options?: Record<string, unknown>; volume?: number }

/** What books are compared by: each fill, each payment, and the position with its profit, to the last digit. */
export type ComparedBooks = { fills: string[]; payments: string[]; position: string }

/** A place of the catalogue, for a market whose only symbol is that of {@link futuresRules}. */
export const place = { id: 2, exchange: 'binance', service: 'futures', name: 'Test', enabled: true } as never

class OnePrice extends ManualPrices {
  override async resolve() {
    return futuresRules.symbol
  }

  override async rules(_venue: MarketVenue): Promise<MarketRules> {
    return futuresRules
  }
}

/** The market, and what opens the venues of bots in it. `setPrice` also says what was traded in the minute before. */
export function openMarket(database: Pick<Database, 'db'>) {
  const minute = { time: 0, volume: 0 }
  const prices = new OnePrice()
  const market = new Market({ source: prices, onError: (error) => assert.fail(`${error}`) })
  const venues = new BotVenues({
    ...{ database, market, catalogue: { find: () => place }, endpoints: {} as never },
    connections: undefined as never,
    candles: {
      range: async () => ({ found: [] }) as never,
      latest: async () => ({ found: [{ ...minute, done: true }] }) as never,
    },
  })
  const unfollow = market.follow(place, futuresRules.symbol, () => undefined)
  /** Resolves when every bot sees this price. */
  const setPrice = async (price: string, volume = 0) => {
    Object.assign(minute, { time: Date.now() - 60_000, volume })
    await prices.send(Number(price), `futures ${futuresRules.symbol}`)
    const isSeen = () => String(market.latest(place, futuresRules.symbol)?.price) === String(Number(price))
    await until(`the price ${price}`, async () => isSeen())
  }
  const close = async () => {
    unfollow()
    await venues.close()
    await market.close()
  }
  return { market, venues, setPrice, close }
}

/** What the books of a bot in the database have. */
export async function readBooks({ db }: Pick<Database, 'db'>, botId: number): Promise<ComparedBooks> {
  const filled = await db.select().from(fills).where(eq(fills.botId, botId)).orderBy(asc(fills.id))
  const paid = await db.select().from(payments).where(eq(payments.botId, botId)).orderBy(asc(payments.id))
  const [held] = await db.select().from(positions).where(eq(positions.botId, botId))
  return {
    fills: filled.map(lineOf),
    payments: paid.map(({ value }) => number(value)),
    position: positionText(held),
  }
}

/**
 * Goes along the steps with a paper bot of the database: the code of the service, from the stored signal to the books.
 * With a latency, a signal waits until the next step.
 */
export async function onPaper(
  database: TestDatabase,
  settings: Partial<BotSettings>,
  steps: readonly Step[],
): Promise<ComparedBooks> {
  const { market, venues, setPrice, close } = openMarket({
    get db() {
      return test.database.db
    },
  })
  await using test = await openProcessor(database, {
    ...{ mode: 'paper', settings },
    parts: {
      settleMargin: (bot, symbol) => liquidations.settle(bot, symbol),
      openVenue: (bot) => venues.open(bot, test.parts.openBooks(bot)),
    },
  })
  const onError = (error: unknown) => assert.fail(`${error}`)
  const liquidations = new Liquidations({
    ...{ database: test.database, market, catalogue: { find: () => place }, candles: null, onError },
  })
  const isLate = (settings.latencyMs ?? 0) > 0
  const delays = new Delays({
    ...{ database: test.database, sweepMs: 60_000, onError },
    onReleased: () => test.processor.wake(),
  })
  delays.start()
  try {
    let [sent, waiting] = [0, [] as number[]]
    for (const { price, signal, options, volume } of steps) {
      await setPrice(price, volume)
      await liquidations.look()
      if (waiting.length > 0) {
        await passLatency(test.database, waiting)
        delays.expect(0)
        await test.ended(sent)
        waiting = []
      }
      if (signal === undefined) continue
      const id = await test.send(futuresRules.symbol, signal, options)
      sent += 1
      if (isLate) {
        await test.database.db
          .update(botSignals)
          .set({ status: 'DELAYED', dueAt: new Date(Date.now() + 3_600_000) })
          .where(eq(botSignals.id, id))
        waiting.push(id)
        continue
      }
      test.processor.wake()
      await test.ended(sent)
    }
    assert.deepEqual(test.errors, [])
    return await readBooks(test.database, test.botId)
  } finally {
    await delays.stop()
    await liquidations.stop()
    await test.processor.stop()
    await close()
  }
}

async function passLatency({ db }: Database, ids: number[]): Promise<void> {
  await db.update(botSignals).set({ dueAt: new Date() }).where(inArray(botSignals.id, ids))
}

/** Goes along the steps with a backtest, in which each price is a candle. */
export async function inBacktest(
  settings: Partial<BotSettings>,
  steps: readonly Step[],
  { rules = {}, ...conditions }: MarketConditions & { rules?: Partial<MarketRules> } = {},
): Promise<ComparedBooks> {
  const bot = new ReplayBot({ ...futuresRules, ...rules }, { ...plainSettings, ...settings }, conditions)
  for (const [index, { price, signal, options = {}, volume }] of steps.entries()) {
    const candle = { ...minuteCandle(index, { open: price }), ...given({ volume }) }
    if (signal !== undefined) bot.add({ action: signal, at: candle.openedAt, options })
    await bot.along(candle)
  }
  return {
    fills: bot.fills.map(lineOf),
    payments: bot.payments.map(({ value }) => number(value)),
    position: positionText(bot.position),
  }
}

type ComparedFill = { side: string; size: string; price: string; fee: string; realised: string }

function lineOf({ side, size, price, fee, realised }: ComparedFill): string {
  return `${side} ${[size, price, fee, realised].map(number).join(' ')}`
}

type ComparedPosition = {
  side: string | null
  size: string
  entryPrice: string | null
  realised: string
  fees: string
}

function positionText(held: ComparedPosition | undefined): string {
  if (held === undefined) return 'none'
  const { side, size, entryPrice, realised, fees } = held
  return [side, ...[size, entryPrice ?? '0', realised, fees].map(number)].join(' ')
}

/** The database writes zeros at the end. */
function number(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
