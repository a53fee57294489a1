/** The lines of equity and drawdown, which look alike in every chart. */

import {
  AreaSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  LineType,
  type LineWidth,
} from 'lightweight-charts'
import type { Colours } from './colours.ts'
import { formatterOf } from './shapes.ts'

export type EquitySeries = ISeriesApi<'Line'>
export type DrawdownSeries = ISeriesApi<'Area'>

// A value holds until the next.
const own = { lastValueVisible: true, priceLineVisible: false, lineType: LineType.WithSteps } as const

/** A line of money. `digits`: after the decimal point. */
export function addEquity(
  chart: IChartApi,
  { pane, digits, lineWidth, title }: { pane: number; digits: number; lineWidth: LineWidth; title: string },
): EquitySeries {
  const priceFormat = { type: 'custom' as const, minMove: 10 ** -digits, formatter: formatterOf(digits) }
  return chart.addSeries(LineSeries, { ...own, priceFormat, lineWidth, title }, pane)
}

/** An area that hangs from zero, in percent. */
export function addDrawdown(
  chart: IChartApi,
  { pane, title }: { pane: number; title: string },
): DrawdownSeries {
  const format = formatterOf(2)
  const priceFormat = {
    ...{ type: 'custom' as const, minMove: 0.01 },
    formatter: (value: number) => `${format(value)} %`,
  }
  const options = { ...own, priceFormat, lineWidth: 1 as const, title, invertFilledArea: true }
  return chart.addSeries(AreaSeries, options, pane)
}

export function colourDrawdown(series: DrawdownSeries, colours: Colours): void {
  series.applyOptions({
    lineColor: colours.loss,
    topColor: colours['loss-soft'],
    bottomColor: colours['loss-soft'],
  })
}
