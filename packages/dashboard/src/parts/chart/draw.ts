/** The canvas of a chart. This file has the chart library, so it is loaded only when a chart is shown. */

import {
  CandlestickSeries,
  createSeriesMarkers,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  LineStyle,
} from 'lightweight-charts'
import { type Colours, readColours } from './colours.ts'
import { addDrawdown, addEquity, colourDrawdown, type DrawdownSeries, type EquitySeries } from './curves.ts'
import {
  durationOf,
  groupingOf,
  type JoinedCandle,
  joinCandles,
  joinCurve,
  joinRange,
  partRange,
  single,
  sizeFor,
} from './join.ts'
import { makeChart } from './make-chart.ts'
import {
  type Candle,
  candleAt,
  curveOn,
  digitsOf,
  drawdownOf,
  type Level,
  type Mark,
  type Point,
  placeMarks,
} from './model.ts'
import { barOf, chartColours, formatterOf, markerOf, msOf, secondOf } from './shapes.ts'
import { VolumeBars } from './volume-bars.ts'

export type Curves = { equity: readonly Point[]; balance: readonly Point[] }

export type ViewOptions = {
  /** Candles of a day or longer. */
  isDaily: boolean
  /** Whether equity and drawdown are drawn below the price. */
  hasCurves: boolean
  /** Whether it begins with all candles in view, and not with the latest. */
  isWhole: boolean
  /** Called when the oldest candle comes into view. */
  onStart: () => void
  /** Called with what is drawn under the pointer, and with `null` when there is nothing. */
  onPoint: (candle: JoinedCandle | null) => void
  /** Called with how many candles are drawn as one, at first and whenever that changes. */
  onJoin: (size: number) => void
}

/** With more marks than this, their words would only cover each other. */
const mostWords = 150
/** This many candles from the oldest one, older ones are asked for. */
const fromStart = 60
/** More new candles than this are set at once. */
const mostUpdates = 50
/** A candle takes at least this part of a pixel. */
const leastWidth = 0.02

/**
 * A chart in an element. It has the size of the element, and follows it. Where too many candles share a pixel, it draws
 * several as one. The chart library knows only what is drawn, so its places count joined candles.
 */
export class ChartView {
  #chart: IChartApi
  #price: ISeriesApi<'Candlestick'>
  #volume = new VolumeBars()
  #markers: ISeriesMarkersPluginApi<unknown>
  #curves: { equity: EquitySeries; balance: EquitySeries; drawdown: DrawdownSeries } | undefined
  #lines: IPriceLine[] = []
  #candles: readonly Candle[] = []
  #grouping = single
  #joined: readonly JoinedCandle[] = []
  #marks: readonly Mark[] = []
  #levels: readonly Level[] = []
  #points: Curves | undefined
  #colours: Colours
  #element: HTMLElement
  /** It draws no more, and must not be told to. */
  isRemoved = false
  #isWhole: boolean
  #onStart: () => void
  #onJoin: (size: number) => void
  /** The library has yet to draw the range that was set: until then, the one in view is of other candles. */
  #isSettling = false
  /** A pointer may drag what is drawn, and the library remembers how wide it was at first. */
  #isHeld = false
  #end = new AbortController()

  constructor(element: HTMLElement, options: ViewOptions) {
    const { isDaily, hasCurves, isWhole, onStart, onPoint, onJoin } = options
    this.#element = element
    this.#isWhole = isWhole
    this.#onStart = onStart
    this.#onJoin = onJoin
    this.#colours = readColours(element)
    this.#chart = makeChart(element, isDaily)
    this.#chart.timeScale().applyOptions({ rightOffset: 4, minBarSpacing: leastWidth })
    this.#price = this.#chart.addSeries(CandlestickSeries, { borderVisible: false })
    this.#price.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.2 } })
    this.#price.attachPrimitive(this.#volume)
    this.#markers = createSeriesMarkers(this.#price, []) as ISeriesMarkersPluginApi<unknown>
    if (hasCurves) this.#addCurves()
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange(() => this.#onRange())
    this.#chart.subscribeCrosshairMove(({ time }) => {
      onPoint(time === undefined ? null : (this.#joined[candleAt(this.#joined, msOf(time))] ?? null))
    })
    this.#followPointer()
    this.#paint()
  }

  /** Draws these candles, the oldest first. New ones at the end are added to what is drawn. */
  setCandles(candles: readonly Candle[]): void {
    const before = this.#candles
    const isFirst = before.length === 0
    this.#candles = candles
    const added = candles.length - before.length
    if (!isFirst && before[0]!.time === candles[0]?.time && added >= 0 && added <= mostUpdates) {
      const changed = this.#joined.length - 1
      this.#join()
      for (const candle of this.#joined.slice(changed)) this.#price.update(barOf(candle))
      if (added === 0) return
      this.#drawMarks()
      this.#drawCurves()
      return
    }
    const digits = digitsOf(candles)
    const formatter = formatterOf(digits)
    this.#price.applyOptions({ priceFormat: { type: 'custom', formatter, minMove: 10 ** -digits } })
    const size = isFirst && this.#isWhole ? this.#sizeFor(candles.length) : this.#grouping.size
    this.#setSize(size)
    if (isFirst && this.#isWhole) {
      this.#chart.timeScale().fitContent()
      this.#settle()
    }
  }

  setMarks(marks: readonly Mark[]): void {
    this.#marks = marks
    this.#drawMarks()
  }

  setLevels(levels: readonly Level[]): void {
    this.#levels = levels
    this.#drawLevels()
  }

  setCurves(points: Curves): void {
    this.#points = points
    this.#drawCurves()
  }

  /** Reads the colours again, after light, dark or the user's choice has changed. */
  recolour(): void {
    this.#colours = readColours(this.#element)
    this.#paint()
    this.#drawMarks()
    this.#drawLevels()
  }

  /** Moves by a part of what is visible: below zero to older candles. */
  move(part: number): void {
    const range = this.#chart.timeScale().getVisibleLogicalRange()
    if (range === null) return
    const by = (range.to - range.from) * part
    this.#chart.timeScale().setVisibleLogicalRange({ from: range.from + by, to: range.to + by })
  }

  /** Shows more or less at once, with the newest visible candle in its place. */
  zoom(factor: number): void {
    const range = this.#chart.timeScale().getVisibleLogicalRange()
    if (range === null) return
    const width = Math.max(5 / this.#grouping.size, (range.to - range.from) * factor)
    this.#chart.timeScale().setVisibleLogicalRange({ from: range.to - width, to: range.to })
  }

  showLatest(): void {
    this.#chart.timeScale().scrollToRealTime()
  }

  remove(): void {
    this.isRemoved = true
    this.#end.abort()
    this.#chart.remove()
  }

  #onRange(): void {
    if (this.#isSettling || this.#candles.length === 0) return
    const range = this.#chart.timeScale().getVisibleLogicalRange()
    if (range === null) return
    if (partRange(range, this.#grouping).from < fromStart) this.#onStart()
    // Not while the library tells of its change.
    queueMicrotask(() => this.#fit())
  }

  /** Joins or parts candles, if too many or too few of what is drawn share a pixel. What is in view stays in its place. */
  #fit(): void {
    if (this.isRemoved || this.#isSettling || this.#isHeld) return
    const drawn = this.#chart.timeScale().getVisibleLogicalRange()
    if (drawn === null) return
    const range = partRange(drawn, this.#grouping)
    const size = this.#sizeFor(range.to - range.from + 1)
    if (size === this.#grouping.size) return
    this.#setSize(size)
    this.#chart.timeScale().setVisibleLogicalRange(joinRange(range, this.#grouping))
    this.#settle()
  }

  /** @param inView how many candles are in view */
  #sizeFor(inView: number): number {
    const perPixel = inView / Math.max(1, this.#element.clientWidth * devicePixelRatio)
    return sizeFor(this.#grouping.size, perPixel, durationOf(this.#candles))
  }

  /** Draws all candles, so many as one. */
  #setSize(size: number): void {
    this.#grouping = groupingOf(this.#candles, size)
    this.#join()
    this.#chart.timeScale().applyOptions({ minBarSpacing: Math.min(0.5, leastWidth * size) })
    // Times of the former candles would stay on the axis.
    for (const series of Object.values(this.#curves ?? {})) series.setData([])
    this.#price.setData(this.#joined.map(barOf))
    this.#drawMarks()
    this.#drawCurves()
    this.#onJoin(size)
  }

  #join(): void {
    this.#joined = joinCandles(this.#candles, this.#grouping)
    this.#volume.setCandles(this.#joined)
  }

  /** The library applies a range with its next frame, which it has asked for before this. */
  #settle(): void {
    this.#isSettling = true
    requestAnimationFrame(() => {
      this.#isSettling = false
      if (!this.isRemoved) this.#onRange()
    })
  }

  #followPointer(): void {
    const { signal } = this.#end
    this.#element.addEventListener('pointerdown', () => (this.#isHeld = true), { signal, capture: true })
    for (const end of ['pointerup', 'pointercancel']) {
      const release = () => {
        this.#isHeld = false
        this.#fit()
      }
      addEventListener(end, release, { signal })
    }
  }

  #addCurves(): void {
    this.#curves = {
      balance: addEquity(this.#chart, { pane: 1, digits: 2, lineWidth: 1, title: 'Balance' }),
      equity: addEquity(this.#chart, { pane: 1, digits: 2, lineWidth: 2, title: 'Equity' }),
      drawdown: addDrawdown(this.#chart, { pane: 2, title: 'Drawdown' }),
    }
    for (const [pane, part] of [5, 2, 1.4].entries()) this.#chart.panes()[pane]?.setStretchFactor(part)
  }

  #drawMarks(): void {
    const placed = placeMarks(this.#joined, this.#marks)
    const hasWords = placed.length <= mostWords
    this.#markers.setMarkers(
      placed.map((group) =>
        markerOf(group, secondOf(this.#joined[group.index]!.time), this.#colours, hasWords),
      ),
    )
  }

  #drawLevels(): void {
    for (const line of this.#lines) this.#price.removePriceLine(line)
    const tones = {
      profit: this.#colours.profit,
      loss: this.#colours.loss,
      soft: this.#colours['neutral-10'],
    }
    this.#lines = this.#levels.map(({ price, text, tone }) =>
      this.#price.createPriceLine({
        price,
        title: text,
        color: tones[tone],
        lineWidth: 1,
        lineStyle: LineStyle.Dashed,
        axisLabelVisible: true,
      }),
    )
  }

  #drawCurves(): void {
    if (this.#curves === undefined || this.#points === undefined) return
    const { equity, balance } = this.#points
    const drawn = (points: readonly Point[], pick = (_earlier: number, later: number) => later) =>
      joinCurve(this.#joined, curveOn(this.#candles, points), pick).map(({ time, value }) => ({
        time: secondOf(time),
        value,
      }))
    this.#curves.equity.setData(drawn(equity))
    this.#curves.balance.setData(drawn(balance))
    this.#curves.drawdown.setData(drawn(drawdownOf(equity), Math.min))
  }

  #paint(): void {
    const colours = this.#colours
    this.#chart.applyOptions(chartColours(colours))
    this.#price.applyOptions({
      upColor: colours.profit,
      wickUpColor: colours.profit,
      downColor: colours.loss,
      wickDownColor: colours.loss,
    })
    this.#volume.setColour(colours['neutral-5'])
    this.#curves?.equity.applyOptions({ color: colours.accent })
    this.#curves?.balance.applyOptions({ color: colours['neutral-10'] })
    if (this.#curves !== undefined) colourDrawdown(this.#curves.drawdown, colours)
  }
}
