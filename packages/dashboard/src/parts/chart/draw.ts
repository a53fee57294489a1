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
  /** Called when the oldest candle comes into view. */
  onStart: () => void
  /** Called with the candle under the pointer, and with `null` when there is none. */
  onPoint: (candle: Candle | null) => void
}

/** With more marks than this, their words would only cover each other. */
const mostWords = 150
/** This many candles from the oldest one, older ones are asked for. */
const fromStart = 60
/** More new candles than this are set at once. */
const mostUpdates = 50

/** A chart in an element. It has the size of the element, and follows it. */
export class ChartView {
  #chart: IChartApi
  #price: ISeriesApi<'Candlestick'>
  #volume = new VolumeBars()
  #markers: ISeriesMarkersPluginApi<unknown>
  #curves: { equity: EquitySeries; balance: EquitySeries; drawdown: DrawdownSeries } | undefined
  #lines: IPriceLine[] = []
  #candles: readonly Candle[] = []
  #marks: readonly Mark[] = []
  #levels: readonly Level[] = []
  #points: Curves | undefined
  #colours: Colours
  #element: HTMLElement
  /** It draws no more, and must not be told to. */
  isRemoved = false
  #onStart: () => void

  constructor(element: HTMLElement, { isDaily, hasCurves, onStart, onPoint }: ViewOptions) {
    this.#element = element
    this.#onStart = onStart
    this.#colours = readColours(element)
    this.#chart = makeChart(element, isDaily)
    this.#chart.timeScale().applyOptions({
      rightOffset: 4,
      minBarSpacing: 0.02,
      // Candles that share a pixel are drawn as one. Without the factor, only those that share half a pixel.
      enableConflation: true,
      conflationThresholdFactor: 2,
    })
    this.#price = this.#chart.addSeries(CandlestickSeries, { borderVisible: false })
    this.#price.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.2 } })
    this.#price.attachPrimitive(this.#volume)
    this.#markers = createSeriesMarkers(this.#price, []) as ISeriesMarkersPluginApi<unknown>
    if (hasCurves) this.#addCurves()
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range !== null && range.from < fromStart && this.#candles.length > 0) this.#onStart()
    })
    this.#chart.subscribeCrosshairMove(({ time }) => {
      onPoint(time === undefined ? null : (this.#candles[candleAt(this.#candles, msOf(time))] ?? null))
    })
    this.#paint()
  }

  /** Draws these candles, the oldest first. New ones at the end are added to what is drawn. */
  setCandles(candles: readonly Candle[]): void {
    const before = this.#candles
    this.#candles = candles
    this.#volume.setCandles(candles)
    const added = candles.length - before.length
    const isLonger =
      before.length > 0 && before[0]!.time === candles[0]?.time && added >= 0 && added <= mostUpdates
    if (isLonger) {
      for (const candle of candles.slice(before.length - 1)) this.#price.update(barOf(candle))
      if (added === 0) return
    } else {
      const digits = digitsOf(candles)
      const formatter = formatterOf(digits)
      this.#price.applyOptions({ priceFormat: { type: 'custom', formatter, minMove: 10 ** -digits } })
      this.#price.setData(candles.map(barOf))
    }
    this.#drawMarks()
    this.#drawCurves()
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
    const width = Math.max(5, (range.to - range.from) * factor)
    this.#chart.timeScale().setVisibleLogicalRange({ from: range.to - width, to: range.to })
  }

  showLatest(): void {
    this.#chart.timeScale().scrollToRealTime()
  }

  showAll(): void {
    this.#chart.timeScale().fitContent()
  }

  remove(): void {
    this.isRemoved = true
    this.#chart.remove()
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
    const placed = placeMarks(this.#candles, this.#marks)
    const hasWords = placed.length <= mostWords
    this.#markers.setMarkers(
      placed.map((group) =>
        markerOf(group, secondOf(this.#candles[group.index]!.time), this.#colours, hasWords),
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
    const drawn = (points: readonly Point[]) =>
      curveOn(this.#candles, points).map(({ time, value }) => ({ time: secondOf(time), value }))
    this.#curves.equity.setData(drawn(equity))
    this.#curves.balance.setData(drawn(balance))
    this.#curves.drawdown.setData(drawn(drawdownOf(equity)))
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
