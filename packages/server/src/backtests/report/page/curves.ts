import { scaleOf } from '../../../market/chart/scale.ts'
import type { CandleColumns, Equity, Traded } from '../../traded.ts'
import { numberText } from '../numbers.ts'
import type { Report } from '../report.ts'
import { html, type Markup } from './markup.ts'
import { legend, lineThrough, placeOf, plot, plotWidth, type Span } from './plot.ts'

type Point = { timeMs: number; value: number }

const equityHeight = 280
const drawdownHeight = 110

/** The equity beside buying and holding, and below it how far it is under its peak. Empty without candles. */
export function curves(traded: Traded, report: Report): Markup {
  const span = { fromMs: traded.startMs, toMs: traded.endMs }
  const start = { timeMs: traded.startMs, value: traded.startEquity }
  const count = traded.equity.length + 1
  const equity = thinned(from(start, equityCurve(traded.equity)), count, span)
  const held = thinned(from(start, holdingCurve(traded)), count, span)
  const values = [...equity, ...held].map(({ value }) => value)
  const scale = scaleOf(values, { from: equityHeight, to: 0, ticks: 5 })
  if (traded.equity.length === 0 || scale === undefined) return html``
  const x = placeOf(span)
  const line = (points: readonly Point[]) =>
    lineThrough(points.map(({ timeMs, value }) => [x(timeMs), scale.at(value)] as const))
  const path = line(equity)
  const description = `The equity from ${report.start_equity} to ${report.end_equity} ${report.quote}.`
  return html`${legend([
    ['key equity', `Equity, ${report.quote}`],
    ['key held', 'Buy and hold'],
    ['key fall', 'Below the peak'],
    ['key worst', 'at the worst of each candle'],
  ])}
${plot({
  description,
  height: equityHeight,
  span,
  scale,
  content: html`<path class="area" d="${path}V${equityHeight}H0Z"/><path class="held" d="${line(held)}"/><path class="equity" d="${path}"/>`,
  hasTimes: false,
})}
${underwater(traded, span)}`
}

function* from(start: Point, points: Iterable<Point>): Generator<Point> {
  yield start
  yield* points
}

function* equityCurve(equity: Equity): Generator<Point> {
  for (const { timeMs, equity: value } of equity) yield { timeMs, value }
}

/** How far the equity is below the peak, in percent: at closes, and at the worst within candles. */
function* fallCurve({ startEquity, equity }: Traded, at: 'close' | 'worst'): Generator<Point> {
  let peak = startEquity
  for (const { timeMs, equity: value, worst } of equity) {
    if (at === 'worst') yield { timeMs, value: Math.min(0, percentOf(Math.min(value, worst), peak)) }
    peak = Math.max(peak, value)
    if (at === 'close') yield { timeMs, value: percentOf(value, peak) }
  }
}

function underwater(traded: Traded, span: Span): Markup {
  const start = { timeMs: span.fromMs, value: 0 }
  const count = traded.equity.length + 1
  const low = thinned(from(start, fallCurve(traded, 'close')), count, span)
  const deep = thinned(from(start, fallCurve(traded, 'worst')), count, span)
  const lowest = deep.reduce((least, { value }) => Math.min(least, value), 0)
  const scale = scaleOf([], { from: drawdownHeight, to: 0, ticks: 3 }, [lowest * 1.08 || -1, 0])
  if (scale === undefined) return html``
  const x = placeOf(span)
  const area = (points: readonly Point[]) =>
    `${lineThrough(points.map(({ timeMs, value }) => [x(timeMs), scale.at(value)] as const))}V0H0Z`
  return plot({
    description: `How far the equity was below its peak: at most ${numberText(-lowest, 2)} percent.`,
    height: drawdownHeight,
    span,
    scale,
    unit: '%',
    content: html`<path class="worst" d="${area(deep)}"/><path class="fall" d="${area(low)}"/>`,
  })
}

const percentOf = (value: number, peak: number) => (peak > 0 ? 100 * (value / peak - 1) : 0)

/** What the start equity would be worth, in equal parts in each symbol, at each point of the equity. */
export function* holdingCurve({ candles, equity, startEquity, endMs }: Traded): Generator<Point> {
  const held = candles.filter(({ close }) => close.length > 0)
  if (held.length === 0) return
  const next = held.map(() => 0)
  for (const { timeMs } of equity) {
    let worth = 0
    for (const [index, columns] of held.entries()) {
      while (next[index]! < columns.close.length && endOf(columns, next[index]!, endMs) <= timeMs)
        next[index]!++
      worth += next[index] === 0 ? 1 : columns.close[next[index]! - 1]! / columns.open[0]!
    }
    yield { timeMs, value: (startEquity * worth) / held.length }
  }
}

/** A candle ends where the next one begins, as far as its columns say. */
function endOf({ timeMs }: CandleColumns, index: number, endMs: number): number {
  return timeMs[index + 1] ?? endMs
}

/**
 * Of all points that share a column of the drawing, the first, the lowest, the highest and the last: the same picture. Only
 * those of one column are in memory at once.
 * @param count of the points
 */
export function thinned(points: Iterable<Point>, count: number, span: Span): Point[] {
  if (count <= 2 * plotWidth) return [...points]
  const x = placeOf(span)
  const kept: Point[] = []
  let some: Point[] = []
  let column = Number.NaN
  for (const point of points) {
    const place = Math.floor(x(point.timeMs))
    if (place !== column) {
      kept.push(...extremesOf(some))
      some = []
      column = place
    }
    some.push(point)
  }
  return [...kept, ...extremesOf(some)]
}

function extremesOf(points: readonly Point[]): Point[] {
  if (points.length === 0) return []
  let [lowest, highest] = [0, 0]
  for (const [index, { value }] of points.entries()) {
    if (value < points[lowest]!.value) lowest = index
    if (value > points[highest]!.value) highest = index
  }
  const places = [...new Set([0, lowest, highest, points.length - 1])].sort((a, b) => a - b)
  return places.map((place) => points[place]!)
}
