import type { Candle } from '@tickwright/sandbox'
import { textOf, widthOf } from './glyphs.ts'
import { numberText, type Scale, scaleOf } from './scale.ts'
import { nameOf, type Study, type StudyLine, studyOf } from './studies.ts'

/** In pixels. Models that count a picture in squares of 512 pixels take it for two. */
export const chartWidth = 1024
export const chartHeight = 512

/**
 * `title` may come from outside: it is written in strokes (`glyphs.ts`). The chart shows the last `shown` candles. Those
 * before are for the studies, which need some to begin with.
 */
export type Drawing = {
  title: string
  candles: readonly Candle[]
  shown: number
  studies: readonly Study[]
}

const left = 10
/** The labels of values are at the right of it. */
const right = chartWidth - 96
const titleHeight = 28
const bottom = chartHeight - 24
const paneGap = 10
const ownPaneHeight = 96
/** The names of its lines are above them. */
const legendHeight = 18
const textSize = 9
const longestTitle = 60
const timeLabels = 6

const colours = {
  ...{ background: '#ffffff', grid: '#e4e7eb', text: '#3f4751', up: '#15803d', down: '#c02626' },
  lines: ['#1d4ed8', '#c2410c', '#7e22ce', '#0f766e', '#a16207', '#be185d'],
} as const

/** The middles of the candles, and how wide one is. */
type Places = { xs: number[]; width: number }
type ColouredLine = StudyLine & { colour: string }
type DrawnStudy = {
  name: string
  lines: ColouredLine[]
  pane: 'price' | 'own'
  scale: readonly [number, number] | null
}
type Pane = { scale: Scale; content: string }

/** Draws candles and studies as an SVG without text elements; `undefined` if no scale fits their prices. */
export function svgOf({ title, candles, shown, studies }: Drawing): string | undefined {
  const drawable = candles.filter(isDrawable)
  const visible = drawable.slice(-shown)
  const places = placesOf(visible.length)
  const drawn = drawnStudies(studies, drawable, visible.length)
  const own = drawn.filter(({ pane }) => pane === 'own')
  const priceBottom = bottom - own.length * (ownPaneHeight + paneGap)
  const price = pricePane(visible, places, drawn, priceBottom)
  if (price === undefined) return undefined
  const panes = own.map((study, index) => {
    const top = priceBottom + paneGap + index * (ownPaneHeight + paneGap)
    return ownPane(study, places, top)
  })
  const all = [price, ...panes.filter((pane) => pane !== undefined)]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${chartWidth}" height="${chartHeight}">`,
    `<rect width="${chartWidth}" height="${chartHeight}" fill="${colours.background}"/>`,
    ...all.map(({ scale }) => gridOf(scale)),
    timesOf(visible, places),
    ...all.map(({ content }) => content),
    lastPriceOf(visible.at(-1)!, price.scale),
    titleOf(title, drawn),
    '</svg>',
  ].join('')
}

/** Exchanges send candles that make no sense, too. One of them would leave no room for the others. */
function isDrawable({ open, high, low, last }: Candle): boolean {
  return (
    [open, high, low, last].every(Number.isFinite) &&
    low <= Math.min(open, last) &&
    high >= Math.max(open, last)
  )
}

function placesOf(count: number): Places {
  const step = (right - left) / count
  const xs = Array.from({ length: count }, (_, index) => left + (index + 0.5) * step)
  return { xs, width: Math.max(1, Math.min(0.7 * step, 14)) }
}

function drawnStudies(studies: readonly Study[], candles: readonly Candle[], shown: number): DrawnStudy[] {
  let used = 0
  return studies.map((study) => {
    const { lines, pane, scale } = studyOf(study, candles)
    const coloured = lines.map(({ name, values }) => {
      const colour = colours.lines[used % colours.lines.length]!
      used += 1
      return { name, values: values.slice(-shown), colour }
    })
    return { name: nameOf(study), lines: coloured, pane, scale }
  })
}

function pricePane(
  candles: readonly Candle[],
  places: Places,
  drawn: readonly DrawnStudy[],
  paneBottom: number,
): Pane | undefined {
  const lines = drawn.filter(({ pane }) => pane === 'price').flatMap((study) => study.lines)
  const values = [...candles.flatMap(({ low, high }) => [low, high]), ...lines.flatMap(valuesOf)]
  const scale = scaleOf(values, { from: paneBottom, to: titleHeight, ticks: 6 })
  if (scale === undefined) return undefined
  return {
    scale,
    content: candlesOf(candles, places, scale) + lines.map((line) => lineOf(line, places, scale)).join(''),
  }
}

function ownPane({ name, lines, scale: fixed }: DrawnStudy, places: Places, top: number): Pane | undefined {
  const values = [...lines.flatMap(valuesOf), ...(lines.some(isBar) ? [0] : [])]
  const scale = scaleOf(values, { from: top + ownPaneHeight, to: top + legendHeight, ticks: 3 }, fixed)
  if (scale === undefined) return undefined
  const bars = lines.filter(isBar).map((line) => barsOf(line, places, scale))
  const others = lines.filter((line) => !isBar(line)).map((line) => lineOf(line, places, scale))
  return { scale, content: [...bars, ...others, legendOf(name, lines, left, top + 6)].join('') }
}

/** Amounts that begin at zero. */
function isBar({ name }: StudyLine): boolean {
  return name === 'histogram' || name === 'volume'
}

function valuesOf({ values }: StudyLine): number[] {
  return values.filter((value) => value !== null)
}

/** All candles of one colour are one path, and so are their wicks. */
function candlesOf(candles: readonly Candle[], { xs, width }: Places, { at }: Scale): string {
  const paths = { up: { wicks: '', bodies: '' }, down: { wicks: '', bodies: '' } }
  for (const [index, { open, high, low, last }] of candles.entries()) {
    const path = paths[last >= open ? 'up' : 'down']
    const [x, top] = [xs[index]!, at(Math.max(open, last))]
    // Where the first and the last price are the same, there is a line.
    const height = Math.max(1, at(Math.min(open, last)) - top)
    path.wicks += `M${places1(x)} ${places1(at(high))}V${places1(at(low))}`
    path.bodies += `M${places1(x - width / 2)} ${places1(top)}h${places1(width)}v${places1(height)}h${places1(-width)}z`
  }
  return (['up', 'down'] as const)
    .map((way) => {
      const { wicks, bodies } = paths[way]
      return `<path d="${wicks}" stroke="${colours[way]}"/><path d="${bodies}" fill="${colours[way]}"/>`
    })
    .join('')
}

/** A line that is interrupted where there is no value. */
function lineOf({ values, colour }: ColouredLine, { xs }: Places, { at }: Scale): string {
  let path = ''
  let isOpen = false
  for (const [index, value] of values.entries()) {
    if (value !== null) path += `${isOpen ? 'L' : 'M'}${places1(xs[index]!)} ${places1(at(value))}`
    isOpen = value !== null
  }
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.5" stroke-linejoin="round"/>`
}

function barsOf({ values, colour }: ColouredLine, { xs, width }: Places, { at }: Scale): string {
  const zero = at(0)
  const bars = values.map((value, index) =>
    value === null ? '' : `M${places1(xs[index]!)} ${places1(zero)}V${places1(at(value))}`,
  )
  return `<path d="${bars.join('')}" stroke="${colour}" stroke-opacity="0.5" stroke-width="${places1(width)}"/>`
}

function gridOf({ at, ticks }: Scale): string {
  const lines = ticks.map(({ value }) => `M${left} ${places1(at(value))}H${right}`)
  const labels = ticks.map(({ value, label }) =>
    textOf(label, { x: right + 6, y: at(value), size: textSize }),
  )
  return `<path d="${lines.join('')}" stroke="${colours.grid}"/>${written(labels.join(''))}`
}

function timesOf(candles: readonly Candle[], { xs }: Places): string {
  const hasDays = candles.length > 1 && candles[1]!.time - candles[0]!.time >= 86_400_000
  const every = Math.ceil(candles.length / timeLabels)
  const labelled = candles.flatMap((candle, index) =>
    index % every === Math.floor(every / 2) ? [{ candle, x: xs[index]! }] : [],
  )
  const lines = labelled.map(({ x }) => `M${places1(x)} ${titleHeight}V${bottom}`)
  const labels = labelled.map(({ candle: { time }, x }) => {
    const text = new Date(time).toISOString()
    const label = hasDays ? text.slice(0, 10) : text.slice(5, 16).replace('T', ' ')
    return textOf(label, { x, y: bottom + 13, size: textSize, anchor: 'middle' })
  })
  return `<path d="${lines.join('')}" stroke="${colours.grid}"/>${written(labels.join(''))}`
}

/** The last price, with a label that stands out from those of the scale. */
function lastPriceOf({ last }: Candle, { at, ticks }: Scale): string {
  const step = ticks.length > 1 ? (ticks[1]!.value - ticks[0]!.value) / 100 : Math.abs(last) / 1e4 || 1
  const label = numberText(last, step)
  const y = at(last)
  const box = `<rect x="${right + 2}" y="${places1(y - 8)}" width="${places1(widthOf(label, textSize) + 9)}" height="16" rx="2" fill="${colours.text}"/>`
  const line = `<path d="M${left} ${places1(y)}H${right}" stroke="${colours.text}" stroke-dasharray="3 3"/>`
  return line + box + written(textOf(label, { x: right + 6, y, size: textSize }), colours.background)
}

function titleOf(title: string, drawn: readonly DrawnStudy[]): string {
  const text = title.length > longestTitle ? `${title.slice(0, longestTitle)}...` : title
  let x = left
  const parts = [written(textOf(text, { x, y: 13, size: 11 }), '#14181d')]
  x += widthOf(text, 11) + 24
  for (const { name, lines } of drawn.filter(({ pane }) => pane === 'price')) {
    parts.push(legendOf(name, lines, x, 13))
    x += widthOf(name, textSize) + 18
  }
  return parts.join('')
}

/** The name of a study and, if it has several lines, theirs, each in its colour. */
function legendOf(name: string, lines: readonly ColouredLine[], x: number, y: number): string {
  const words = [{ text: name, colour: lines.length === 1 ? lines[0]!.colour : colours.text }]
  if (lines.length > 1) words.push(...lines.map(({ name: text, colour }) => ({ text, colour })))
  let at = x
  return words
    .map(({ text, colour }) => {
      const path = written(textOf(text, { x: at, y, size: textSize }), colour)
      at += widthOf(text, textSize) + 12
      return path
    })
    .join('')
}

function written(paths: string, colour: string = colours.text): string {
  return `<g fill="none" stroke="${colour}" stroke-width="0.85" stroke-linecap="round" stroke-linejoin="round">${paths}</g>`
}

function places1(value: number): string {
  return value.toFixed(1)
}
