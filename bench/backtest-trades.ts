/** The trade pass of a backtest: how fast a paper bot follows what a strategy decided. */
import { openSandbox } from '@tickwright/sandbox'
import { type BotPlan, backtest as runBacktest } from '../packages/server/src/backtests/backtest.ts'
import { noTrigger } from '../packages/server/src/backtests/decide.ts'
import { MarketData } from '../packages/server/src/backtests/market-data.ts'
import { TradePass } from '../packages/server/src/backtests/trade.ts'
import { defaultSettings } from '../packages/server/src/bots/settings.ts'
import { againstFloor, type Rate, type Row } from './report.ts'
import { spread } from './statistics.ts'

const leastFlips = 4_000
const mostGrowth = 1.3
const fees = 100

const rules: BotPlan['rules'] = {
  ...{ symbol: 'BTC/USDT:USDT', service: 'futures', base: 'BTC', quote: 'USDT' },
  ...{ sizeStep: '0.001', minSize: '0.001', minNotional: '5' },
}

const bot: BotPlan = { name: 'bench', rules, settings: defaultSettings, atEnd: 'hold' }

/** The rows of the trade pass. Both sides make the same flips: a close and an opening, each with slippage and fee. */
export async function tradeRows({ quick }: { quick: boolean }): Promise<Row[]> {
  const [rounds, count] = quick ? [2, 4_000] : [5, 20_000]
  const data = marketOf(count)
  const rates = { floor: [] as number[], ours: [] as number[] }
  for (let round = 0; round <= rounds; round += 1) {
    const [equity, floor] = timed(count, () => inlineFlips(data, count))
    const [traded, ours] = await timedAsync(count, () => flips(data, count))
    if (Math.abs(traded - equity) > 1e-6 * equity) throw new Error('The books differ from the floor.')
    if (round === 0) continue
    rates.floor.push(floor)
    rates.ours.push(ours)
  }
  const floor: Rate = rateOf('floor: inline, flips in numbers', rates.floor)
  const ours: Rate = rateOf('trade pass, flips', rates.ours)
  const met = ours.perSecond.median >= leastFlips
  const target = { text: `at least ${leastFlips.toLocaleString('en')} flips a second`, met }
  return [floor, { ...againstFloor(ours, floor), target }, await growthRow(quick), await feesRow()]
}

/** How much longer a late flip takes than an early one. */
async function growthRow(quick: boolean): Promise<Row> {
  const [early, late, around] = quick ? [500, 5_000, 250] : [1_000, 100_000, 500]
  const data = marketOf(late + around)
  const pass = passOf(data, late + around)
  const block = async (at: number) => {
    await pass.goTo(at - around)
    const [, perSecond] = await timedAsync(2 * around, () => pass.goTo(at + around))
    return perSecond
  }
  // Before that, it warms up.
  const [first, last] = [await block(early), await block(late)]
  const times = first / last
  const name = `flip ${late.toLocaleString('en')} beside flip ${early.toLocaleString('en')}`
  return { name, times, target: { text: `at most ${mostGrowth} times`, met: times <= mostGrowth } }
}

/** How often the code runs for a hundred fees, beside one fee. */
async function feesRow(): Promise<Row> {
  await using resources = new AsyncDisposableStack()
  const sandbox = await openSandbox({ executors: 1, seriesExecutors: 1, seriesPriority: 'normal' })
  resources.defer(() => sandbox.close())
  let runs = 0
  const data = marketOf(100)
  const counted: Pick<typeof sandbox, 'series'> = {
    series(options) {
      runs += 1
      return sandbox.series(options)
    },
  }
  const bots = Array.from({ length: fees }, (_, fee) => {
    return { ...bot, settings: { ...defaultSettings, feeRate: String(fee / 100_000) } }
  })
  let seriesId = 0
  await runBacktest(
    { sandbox: counted, nextSeriesId: () => ++seriesId },
    {
      ...{ code: `await $.Strategy.action('LONG')`, data, warmUp: 0, first: 0, end: data.length, env: {} },
      ...{ seed: 1, storage: null, lastTrigger: noTrigger, answers: [] },
    },
    bots,
  )
  return { name: `series of code for ${fees} fees`, times: runs, target: { text: 'once', met: runs === 1 } }
}

function passOf(data: MarketData, count: number): TradePass {
  const pass = new TradePass({ ...bot, data, first: 0, end: count })
  for (let index = 0; index < count; index += 1) {
    const action = index % 2 === 0 ? 'LONG' : 'SHORT'
    pass.follow({ index, atMs: data.endOf(index), action, price: 0, options: {} })
  }
  return pass
}

async function flips(data: MarketData, count: number): Promise<number> {
  const { equity } = await passOf(data, count).finish()
  return equity.at(-1)!.equity
}

/** The least that the same flips take: numbers instead of decimals, and no orders, books or limits. */
function inlineFlips({ candles: { opens, closes } }: MarketData, count: number): number {
  const [fee, slippage] = [Number(defaultSettings.feeRate), Number(defaultSettings.slippageRate)]
  const amount = Number(defaultSettings.amount)
  let [cash, held] = [Number(defaultSettings.startBalance), 0]
  const trade = (size: number, open: number) => {
    const value = size * open * (1 + Math.sign(size) * slippage)
    cash -= value + Math.abs(value) * fee
    held += size
  }
  for (let index = 1; index < count; index += 1) {
    const open = opens[index]!
    if (held !== 0) trade(-held, open)
    const size = Math.floor((1_000 * amount) / open + 1e-9) / 1_000
    trade(index % 2 === 1 ? size : -size, open)
    if (Math.abs(held) < 1e-9) held = 0
  }
  return cash + held * closes[count - 1]!
}

/** Candles of a minute, each with one price of whole cents. */
function marketOf(count: number): MarketData {
  const column = (of: (index: number) => number) =>
    Float64Array.from({ length: count }, (_, index) => of(index))
  const prices = column((index) => Math.round(10_000 + 1_000 * Math.sin(index / 50)) / 100)
  return new MarketData(rules.symbol, {
    ...{ times: column((index) => Date.UTC(2025, 0, 1) + 60_000 * index), volumes: column(() => 1) },
    ...{ opens: prices, highs: prices, lows: prices, closes: prices, periodMs: 60_000, decimals: 2 },
  })
}

function rateOf(name: string, perSecond: number[]): Rate {
  return { name, perSecond: spread(perSecond), perCpuSecond: null }
}

function timed<T>(count: number, work: () => T): [T, perSecond: number] {
  const startedAt = performance.now()
  const result = work()
  return [result, (1_000 * count) / (performance.now() - startedAt)]
}

async function timedAsync<T>(count: number, work: () => Promise<T>): Promise<[T, perSecond: number]> {
  const startedAt = performance.now()
  const result = await work()
  return [result, (1_000 * count) / (performance.now() - startedAt)]
}
