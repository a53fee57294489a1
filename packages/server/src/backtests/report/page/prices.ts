import { scaleOf } from '../../../market/chart/scale.ts'
import type { CandleColumns, ClosedTrade, Traded } from '../../traded.ts'
import { numberText } from '../numbers.ts'
import { foreign, html, type Markup } from './markup.ts'
import { legend, placeOf, plot, round, type Span } from './plot.ts'

const height = 300
const mostCandles = 200
const mostTrades = 1_000
const mostSymbols = 8

/** The trades on the price of each symbol: a line from the entry to the exit of each. */
export function prices(traded: Traded): Markup {
  const span = { fromMs: traded.startMs, toMs: traded.endMs }
  const drawn = traded.candles.filter(({ timeMs }) => timeMs.length > 0)
  const left = drawn.length - mostSymbols
  return html`${legend([
    ['dot open', 'Entry'],
    ['dot', 'Exit'],
    ['key profit', 'won'],
    ['key loss', 'lost'],
  ])}
${drawn.slice(0, mostSymbols).map((columns) => pricesOf(columns, traded.closed, span))}
${left > 0 && html`<p class="soft">${left} more symbols are not drawn.</p>`}`
}

function pricesOf(columns: CandleColumns, closed: readonly ClosedTrade[], span: Span): Markup {
  const { symbol } = columns
  const trades = closed.filter((trade) => trade.symbol === symbol)
  const shown = largest(trades)
  const bars = barsOf(columns, span)
  const values = [
    ...bars.flatMap(({ high, low }) => [high, low]),
    ...shown.flatMap(({ entry, exit }) => [entry, exit]),
  ]
  const scale = scaleOf(values, { from: height, to: 0, ticks: 5 })
  if (scale === undefined) return html``
  const x = placeOf(span)
  const dots = (points: (trade: ClosedTrade) => readonly [number, number], of: readonly ClosedTrade[]) =>
    of.map((trade) => `M${x(points(trade)[0])} ${round(scale.at(points(trade)[1]))}h0`).join('')
  const entry = ({ openedMs, entry }: ClosedTrade) => [openedMs, entry] as const
  const exit = ({ closedMs, exit }: ClosedTrade) => [closedMs, exit] as const
  const marks = (name: 'profit' | 'loss', of: readonly ClosedTrade[]) => {
    const lines = of.map((trade) => {
      const [[t1, p1], [t2, p2]] = [entry(trade), exit(trade)]
      return `M${x(t1)} ${round(scale.at(p1))}L${x(t2)} ${round(scale.at(p2))}`
    })
    return html`<path class="trade ${name}" d="${lines.join('')}"/><path class="mark ${name}" d="${dots(entry, of)}${dots(exit, of)}"/><path class="hole" d="${dots(entry, of)}"/>`
  }
  return html`<h3>${foreign(symbol)}</h3>
${plot({
  description: `The price of ${symbol} with ${trades.length} trades.`,
  height,
  span,
  scale,
  content: html`${candles(bars, span, scale.at)}${marks(
    'loss',
    shown.filter(({ profit }) => profit <= 0),
  )}${marks(
    'profit',
    shown.filter(({ profit }) => profit > 0),
  )}`,
})}
${shown.length < trades.length && html`<p class="soft">Drawn are the ${numberText(mostTrades, 0)} trades with the largest results, of ${numberText(trades.length, 0)}.</p>`}`
}

function largest(trades: readonly ClosedTrade[]): readonly ClosedTrade[] {
  if (trades.length <= mostTrades) return trades
  return trades.toSorted((a, b) => Math.abs(b.profit) - Math.abs(a.profit)).slice(0, mostTrades)
}

type Bar = { fromMs: number; toMs: number; open: number; high: number; low: number; close: number }

/** Candles of a period that leaves room for each: those that share a place become one. */
function barsOf({ timeMs, open, high, low, close }: CandleColumns, { fromMs, toMs }: Span): Bar[] {
  const every = Math.max(1, Math.ceil(timeMs.length / mostCandles))
  const bars: Bar[] = []
  for (let index = 0; index < timeMs.length; index += every) {
    const last = Math.min(index + every, timeMs.length) - 1
    const bar = { open: open[index]!, high: high[index]!, low: low[index]!, close: close[last]! }
    for (let each = index; each <= last; each++) {
      bar.high = Math.max(bar.high, high[each]!)
      bar.low = Math.min(bar.low, low[each]!)
    }
    bars.push({ ...bar, fromMs: Math.max(fromMs, timeMs[index]!), toMs: timeMs[last + 1] ?? toMs })
  }
  return bars
}

function candles(bars: readonly Bar[], span: Span, y: (price: number) => number): Markup {
  const x = placeOf(span)
  const drawn = (isUp: boolean) => {
    const of = bars.filter(({ open, close }) => close >= open === isUp)
    const wicks = of.map(({ fromMs, toMs, high, low }) => {
      return `M${round((x(fromMs) + x(toMs)) / 2)} ${round(y(high))}V${round(y(low))}`
    })
    const bodies = of.map(({ fromMs, toMs, open, close }) => {
      const [left, right] = [x(fromMs), x(toMs)]
      const gap = (right - left) * 0.15
      const [top, bottom] = [y(Math.max(open, close)), y(Math.min(open, close))]
      const tall = Math.max(1, round(bottom - top))
      return `M${round(left + gap)} ${round(top)}H${round(right - gap)}v${tall}H${round(left + gap)}Z`
    })
    const name = isUp ? 'up' : 'down'
    return html`<path class="wick ${name}" d="${wicks.join('')}"/><path class="body ${name}" d="${bodies.join('')}"/>`
  }
  return html`${drawn(true)}${drawn(false)}`
}
