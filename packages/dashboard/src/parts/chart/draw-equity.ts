/** The canvas of an equity. This file has the chart library, so it is loaded only when such a chart is shown. */

import type { IChartApi } from 'lightweight-charts'
import { type Colours, readColours } from './colours.ts'
import { addDrawdown, addEquity, colourDrawdown, type DrawdownSeries, type EquitySeries } from './curves.ts'
import type { EquityPoint } from './equity-points.ts'
import { makeChart } from './make-chart.ts'
import { chartColours, msOf, secondOf } from './shapes.ts'

type ViewOptions = {
  /** How many digits the money has after the decimal point. */
  digits: number
  /** Called with the time of the point under the pointer, and with `null` when there is none. */
  onPoint: (at: number | null) => void
}

/** An equity with its drawdown below, all of it in view. It stands still: a page scrolls over it. */
export class EquityView {
  #chart: IChartApi
  #equity: EquitySeries
  #drawdown: DrawdownSeries
  #element: HTMLElement
  /** It draws no more, and must not be told to. */
  isRemoved = false

  constructor(element: HTMLElement, { digits, onPoint }: ViewOptions) {
    this.#element = element
    this.#chart = makeChart(element, false)
    this.#chart.applyOptions({ handleScroll: false, handleScale: false })
    this.#chart.timeScale().applyOptions({
      fixLeftEdge: true,
      fixRightEdge: true,
      lockVisibleTimeRangeOnResize: true,
      minBarSpacing: 0.02,
    })
    this.#equity = addEquity(this.#chart, { pane: 0, digits, lineWidth: 2, title: '' })
    this.#drawdown = addDrawdown(this.#chart, { pane: 1, title: '' })
    // It hangs from its upper edge, and the label of its lowest place has room.
    this.#drawdown.priceScale().applyOptions({ scaleMargins: { top: 0.06, bottom: 0.2 } })
    for (const [pane, part] of [2, 1].entries()) this.#chart.panes()[pane]?.setStretchFactor(part)
    this.#chart.subscribeCrosshairMove(({ time }) => onPoint(time === undefined ? null : msOf(time)))
    this.recolour()
  }

  /** Draws these points, the oldest first. */
  setPoints(points: readonly EquityPoint[]): void {
    this.#equity.setData(points.map(({ at, equity }) => ({ time: secondOf(at), value: equity })))
    this.#drawdown.setData(points.map(({ at, drawdown }) => ({ time: secondOf(at), value: drawdown })))
    this.#chart.timeScale().fitContent()
  }

  /** Reads the colours again, after light, dark or the user's choice has changed. */
  recolour(): void {
    const colours: Colours = readColours(this.#element)
    this.#chart.applyOptions(chartColours(colours))
    this.#equity.applyOptions({ color: colours.accent })
    colourDrawdown(this.#drawdown, colours)
  }

  remove(): void {
    this.isRemoved = true
    this.#chart.remove()
  }
}
