import { openSandbox, type SeriesEvent } from '@tickwright/sandbox'
import * as Ta from 'trading-signals'
import { tradeRows } from './backtest-trades.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { candlePayload } from './payload.ts'
import { againstFloor, type Rate, type Row, type Section } from './report.ts'
import { requestOf } from './run-request.ts'
import { spread } from './statistics.ts'
import { typicalCode } from './typical-reaction.ts'

/** Two averages of the price, in a few bytes of storage. */
const smallCode = `
  const { price } = $.Price
  const { fast, slow } = (await $.Storage.get()) ?? { fast: price, slow: price }
  await $.Storage.set({ fast: fast + (price - fast) / 5, slow: slow + (price - slow) / 20 })`

const leastRuns = 50_000
const leastOfFloor = 0.6

/** Runs of a strategy one after the other, as a backtest needs them, beside the same code without a sandbox. */
export const backtest: Benchmark = { name: 'backtest', run }

async function run({ quick }: BenchContext): Promise<Section> {
  const [rounds, scale] = quick ? [2, 1] : [5, 5]
  const small = await race(smallCode, pricesOf(20_000 * scale), null, rounds)
  const typical = await race(typicalCode, payloadsOf(2_000 * scale), storedPrices(), rounds)
  const rows: Row[] = [
    small.floor,
    { ...againstFloor(small.ours, small.floor), target: reached(small.ours) },
    typical.floor,
    againstFloor(typical.ours, typical.floor, { ratio: leastOfFloor }),
    ...(await tradeRows({ quick })),
  ]
  return { bench: 'backtest', title: 'Runs of one strategy in a row, and the trades of its bot', rows }
}

function reached({ perSecond }: Rate): NonNullable<Row['target']> {
  const text = `at least ${leastRuns.toLocaleString('en')} runs a second`
  return { text, met: perSecond.median >= leastRuns }
}

const firstMs = Date.UTC(2025, 0, 1)

function pricesOf(count: number): SeriesEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ startMs: firstMs + 60_000 * index, data: null, price: 100 + 10 * Math.sin(index / 50) },
  }))
}

function payloadsOf(count: number): SeriesEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ startMs: firstMs + 60_000 * index, data: candlePayload(index), price: null },
  }))
}

function storedPrices(): string {
  const prices = Array.from({ length: 200 }, (_, index) => 100 + 3 * Math.sin(index / 7))
  return JSON.stringify({ prices, rsi: 50, ema: 100 })
}

/** Executes the same events on both sides in turn. The first round warms up. Both must store the same in the end. */
async function race(
  code: string,
  events: SeriesEvent[],
  storage: string | null,
  rounds: number,
): Promise<{ floor: Rate; ours: Rate }> {
  await using resources = new AsyncDisposableStack()
  const sandbox = await openSandbox({ executors: 1, seriesExecutors: 1 })
  resources.defer(() => sandbox.close())
  const inline = inlineOf(code)
  let strategyId = 0
  const inSandbox = async () => {
    strategyId += 1
    let stored = storage
    const { input, host } = requestOf({ strategyId, code, data: '', ...(storage && { storage }) })
    const price = { symbol: 'BTCUSDT', price: 0, exchange: 'simulated', service: 'spot' }
    await sandbox.series({
      ...{ strategyId, code, events, seed: 1, hostOf: () => host },
      input: { ...input, price },
      ended(step) {
        if (step.outcome !== null || step.failures.length > 0) throw new Error('A run did not just compute.')
        stored = step.storage
        return { next: step.to, lastTrigger: { action: null, price: null, at: null } }
      },
    })
    return stored
  }
  const rates = { floor: [] as number[], ours: [] as number[] }
  for (let round = 0; round <= rounds; round += 1) {
    const [theirs, theirPerSecond] = await timed(events.length, () => inline(events, storage))
    const [ours, perSecond] = await timed(events.length, inSandbox)
    if (ours !== theirs) throw new Error('The sandbox stored something else than the code without it.')
    if (round === 0) continue
    rates.floor.push(theirPerSecond)
    rates.ours.push(perSecond)
  }
  const what = code === smallCode ? 'small strategy on prices' : 'RSI and EMA over 200 stored prices'
  return {
    floor: { name: `floor: inline, ${what}`, perSecond: spread(rates.floor), perCpuSecond: null },
    ours: { name: `series, ${what}`, perSecond: spread(rates.ours), perCpuSecond: null },
  }
}

async function timed<T>(count: number, work: () => Promise<T>): Promise<[T, perSecond: number]> {
  const startedAt = performance.now()
  const result = await work()
  return [result, (1_000 * count) / (performance.now() - startedAt)]
}

type Guest = (dollar: object) => Promise<unknown>

const AsyncFunction = (async () => {}).constructor as new (...texts: string[]) => Guest

/** The code as a function of this process, with the members of `$` that it needs. */
function inlineOf(code: string) {
  const guest = new AsyncFunction('$', `"use strict";\n${code}\n`)
  return async (events: SeriesEvent[], storage: string | null) => {
    let stored = storage
    const Storage = {
      get: async () => (stored === null ? null : JSON.parse(stored)),
      set: async (value: unknown) => {
        stored = JSON.stringify(value)
      },
    }
    for (const { data, price } of events) {
      await guest({ Ta, Storage, Request: { data }, Price: { price }, log: () => {} })
    }
    return stored
  }
}
