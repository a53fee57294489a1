/**
 * The volume of each candle, as bars at the bottom of the price. A series of the chart library would keep all candles a
 * second time, and bring them onto the time axis again: for many of them, a third of the time until a chart is drawn.
 */

import type {
  IChartApiBase,
  IPrimitivePaneRenderer,
  ISeriesPrimitive,
  Logical,
  SeriesAttachedParameter,
  Time,
} from 'lightweight-charts'
import { barsOf } from './bars.ts'
import type { Candle } from './model.ts'

/** The highest visible bar takes this part of the height. */
const highest = 0.15

/** Where a drawing goes to: the canvas, its size in its own pixels, and how many of these a pixel of the page has. */
type Scope = {
  context: CanvasRenderingContext2D
  bitmapSize: { width: number; height: number }
  horizontalPixelRatio: number
}

/** Attach it to the series of the candles. Its candles are those of the series, in the same order. */
export class VolumeBars implements ISeriesPrimitive<Time> {
  #chart: IChartApiBase<Time> | undefined
  #requestUpdate: (() => void) | undefined
  #candles: readonly Candle[] = []
  #colour = ''
  #renderer: IPrimitivePaneRenderer = {
    draw: (target) => target.useBitmapCoordinateSpace((scope) => this.#draw(scope)),
  }
  #views = [{ zOrder: () => 'bottom' as const, renderer: () => this.#renderer }]

  attached({ chart, requestUpdate }: SeriesAttachedParameter<Time>): void {
    this.#chart = chart
    this.#requestUpdate = requestUpdate
  }

  detached(): void {
    this.#chart = undefined
    this.#requestUpdate = undefined
  }

  paneViews() {
    return this.#views
  }

  setCandles(candles: readonly Candle[]): void {
    this.#candles = candles
    this.#requestUpdate?.()
  }

  setColour(colour: string): void {
    this.#colour = colour
    this.#requestUpdate?.()
  }

  #draw({ context, bitmapSize, horizontalPixelRatio }: Scope): void {
    const scale = this.#chart?.timeScale()
    const range = scale?.getVisibleLogicalRange()
    const first = scale?.logicalToCoordinate(0 as Logical)
    const second = scale?.logicalToCoordinate(1 as Logical)
    if (range == null || first == null || second == null) return
    const bars = barsOf(this.#candles, range, {
      middle: first * horizontalPixelRatio,
      width: (second - first) * horizontalPixelRatio,
    })
    const { height } = bitmapSize
    context.fillStyle = this.#colour
    for (const { left, width, part } of bars) {
      const high = Math.max(1, Math.round(part * highest * height))
      context.fillRect(left, height - high, width, high)
    }
  }
}
