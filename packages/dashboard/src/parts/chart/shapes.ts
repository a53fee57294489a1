/** The forms in which the chart library takes candles, marks and colours. */

import {
  ColorType,
  type DeepPartial,
  type SeriesMarker,
  type TimeChartOptions,
  type UTCTimestamp,
} from 'lightweight-charts'
import type { Colours } from './colours.ts'
import type { Candle, Placed } from './model.ts'

/** A place on the time axis: the chart library counts in seconds. */
export const secondOf = (ms: number) => (ms / 1000) as UTCTimestamp
export const msOf = (time: unknown) => (time as number) * 1000

export function chartColours(colours: Colours): DeepPartial<TimeChartOptions> {
  return {
    layout: {
      background: { type: ColorType.Solid, color: colours.background },
      textColor: colours['text-soft'],
      panes: { separatorColor: colours.hairline, separatorHoverColor: colours.line },
    },
    grid: { vertLines: { visible: false }, horzLines: { color: colours.hairline } },
    rightPriceScale: { borderColor: colours.hairline },
    timeScale: { borderColor: colours.hairline },
    crosshair: {
      vertLine: { color: colours['neutral-10'], labelBackgroundColor: colours['neutral-10'] },
      horzLine: { color: colours['neutral-10'], labelBackgroundColor: colours['neutral-10'] },
    },
  }
}

/** Writes numbers as the rest of the page does. The axis asks for many at once, so the form is made once. */
export function formatterOf(digits: number): (value: number) => string {
  const form = new Intl.NumberFormat(undefined, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return (value) => form.format(value).replace('-', '\u2212')
}

export function barOf({ time, open, high, low, last }: Candle) {
  return { time: secondOf(time), open, high, low, close: last }
}

/** Shape and place say what it is, so that nobody needs the colour. */
export function markerOf(
  { kind, side, marks }: Placed,
  time: UTCTimestamp,
  colours: Colours,
  hasWords: boolean,
): SeriesMarker<unknown> {
  const color = side === 'up' ? colours.profit : side === 'down' ? colours.loss : colours['neutral-10']
  const text = hasWords && marks.length > 1 ? `${marks.length}` : undefined
  const more = text === undefined ? {} : { text }
  if (kind === 'signal') {
    const word = { up: 'long', down: 'short', out: 'exit' }[side]
    const words = hasWords ? { text: marks.length > 1 ? `${marks.length} ${word}` : word } : {}
    return {
      time,
      color,
      shape: 'circle',
      position: side === 'up' ? 'belowBar' : 'aboveBar',
      size: 0.7,
      ...words,
    }
  }
  if (kind === 'order') return { time, color, shape: 'square', position: 'inBar', size: 0.5, ...more }
  return side === 'up'
    ? { time, color, shape: 'arrowUp', position: 'belowBar', size: 0.9, ...more }
    : { time, color, shape: 'arrowDown', position: 'aboveBar', size: 0.9, ...more }
}
