import { renderAsync } from '@resvg/resvg-js'
import { simulatedMarket } from '../packages/server/src/catalogue/entries.ts'
import { readChart } from '../packages/server/src/market/chart/chart-settings.ts'
import { svgOf } from '../packages/server/src/market/chart/chart-svg.ts'
import { Charts } from '../packages/server/src/market/chart/charts.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { inTurns, latenciesOf } from './in-turns.ts'
import { latenciesAgainstFloor, type Section } from './report.ts'
import { openSimulatedCandles } from './simulated-candles.ts'

const mostMs = 60
const settings = {
  ...{
    symbol: `${simulatedMarket.exchange}:btc/usdt`,
    interval: '1h',
    studies: ['ema:50', 'rsi'],
    range: null,
  },
}

/** A chart as a model gets it, of candles in the cache. The floor: the renderer alone, with the SVG of this chart. */
export const charts: Benchmark = { name: 'charts', run }

async function run({ quick }: BenchContext): Promise<Section> {
  await using resources = new AsyncDisposableStack()
  const { candles, market } = openSimulatedCandles(resources)
  const drawn = new Charts(candles, market)
  const plan = readChart(settings).plan!
  const { found } = await candles.latest(1, plan.venue, plan, plan.count + 100)
  const svg = svgOf({ title: 'BTC/USDT', candles: found, shown: plan.count, studies: plan.studies })!

  // The pixels are copied when they are read.
  const render = async () =>
    (await renderAsync(svg, { font: { loadSystemFonts: false }, logLevel: 'off' })).pixels
  const timed = (work: () => Promise<unknown>) => async () => {
    const began = performance.now()
    await work()
    return performance.now() - began
  }
  const draw = async () => {
    const chart = await drawn.draw(1, plan)
    if (!('picture' in chart) || !Buffer.isBuffer(chart.picture)) throw new Error(JSON.stringify(chart))
  }
  const [floorMs, ourMs] = await inTurns(quick ? 20 : 200, timed(render), timed(draw))
  const floor = latenciesOf('floor: the renderer alone, without the PNG', floorMs)
  const ours = latenciesOf(`chart of ${plan.count} candles with two studies`, ourMs)
  const target = { text: `p50 at most ${mostMs} ms`, met: ours.p50Ms <= mostMs }
  const rows = [floor, { ...latenciesAgainstFloor(ours, floor), target }]
  return { bench: 'charts', title: 'charts for models, one at a time', rows }
}
