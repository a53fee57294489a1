import type { Scale } from '../../../market/chart/scale.ts'
import { dayMs } from '../daily.ts'
import { html, type Markup } from './markup.ts'

/** Drawings have this width, and are stretched to that of the page. Lines keep their own. */
export const plotWidth = 1_000

export type Span = { fromMs: number; toMs: number }

/** Where a time is on a drawing. */
export function placeOf({ fromMs, toMs }: Span): (timeMs: number) => number {
  const factor = toMs > fromMs ? plotWidth / (toMs - fromMs) : 0
  return (timeMs) => round((timeMs - fromMs) * factor)
}

/** To a tenth of a pixel. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}

/**
 * A drawing over time. Its labels are text of the page, so they keep their size when the drawing is stretched.
 * @param description what a person sees who does not see it
 */
export function plot(given: {
  description: string
  height: number
  span: Span
  scale: Scale
  unit?: string
  content: Markup
  hasTimes?: boolean
}): Markup {
  const { description, height, span, scale, unit = '', content, hasTimes = true } = given
  const times = timeTicks(span)
  const x = placeOf(span)
  const rows = scale.ticks.map(({ value }) => `M0 ${round(scale.at(value))}H${plotWidth}`).join('')
  const columns = times.map(({ timeMs }) => `M${x(timeMs)} 0V${height}`).join('')
  return html`<div class="plot" role="img" aria-label="${description}">
<svg viewBox="0 0 ${plotWidth} ${height}" height="${height}" preserveAspectRatio="none" aria-hidden="true">
<path class="grid" d="${rows}${columns}"/>${content}</svg>
${scale.ticks.map(({ value, label }) => html`<span class="y" style="top:${round(scale.at(value))}px">${grouped(label)}${unit}</span>`)}
${hasTimes && html`<div class="times">${times.map(({ timeMs, label }) => html`<span style="left:${round(x(timeMs) / 10)}%">${label}</span>`)}</div>`}
</div>`
}

/** A label with thousands apart, unless it has an exponent. */
function grouped(label: string): string {
  return label.replace('-', '−').replace(/^(−?)(\d+)(?=\.|$)/, (_, sign: string, whole: string) => {
    return sign + whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  })
}

/** What the colours of a drawing mean. */
export function legend(items: readonly (readonly [mark: string, text: string, count?: string])[]): Markup {
  return html`<p class="legend">${items.map(([mark, text, count]) => html`<span><i class="${mark}"></i>${text}${count !== undefined && html` <b>${count}</b>`}</span>`)}</p>`
}

/** A line through points. */
export function lineThrough(points: readonly (readonly [x: number, y: number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${round(y)}`).join('')
}

const hourMs = dayMs / 24
/** From the finest to the coarsest; months have different lengths. */
const steps: { stepMs: number; months?: number; text: [from: number, to: number] }[] = [
  { stepMs: hourMs / 12, text: [11, 16] },
  { stepMs: hourMs / 2, text: [11, 16] },
  { stepMs: hourMs, text: [11, 16] },
  { stepMs: 6 * hourMs, text: [5, 16] },
  { stepMs: dayMs, text: [5, 10] },
  { stepMs: 7 * dayMs, text: [5, 10] },
  { stepMs: 30 * dayMs, months: 1, text: [0, 7] },
  { stepMs: 91 * dayMs, months: 3, text: [0, 7] },
  { stepMs: 182 * dayMs, months: 6, text: [0, 7] },
  { stepMs: 365 * dayMs, months: 12, text: [0, 4] },
  { stepMs: 1_826 * dayMs, months: 60, text: [0, 4] },
  { stepMs: 7_305 * dayMs, months: 240, text: [0, 4] },
]
const mostTicks = 8

/** At most eight round moments within a span. */
export function timeTicks({ fromMs, toMs }: Span): { timeMs: number; label: string }[] {
  const step = steps.find(({ stepMs }) => (toMs - fromMs) / stepMs <= mostTicks) ?? steps.at(-1)!
  return momentsOf(step, fromMs, toMs)
    .slice(0, mostTicks)
    .map((timeMs) => ({ timeMs, label: labelOf(timeMs, step.text) }))
}

function momentsOf({ stepMs, months }: (typeof steps)[number], fromMs: number, toMs: number): number[] {
  const moments: number[] = []
  const start = new Date(fromMs)
  const firstMonth = start.getUTCFullYear() * 12 + start.getUTCMonth()
  for (let index = 0; index <= 2 * mostTicks; index++) {
    const timeMs =
      months === undefined
        ? (Math.floor(fromMs / stepMs) + index) * stepMs
        : monthStart((Math.floor(firstMonth / months) + index) * months)
    if (timeMs >= fromMs && timeMs < toMs) moments.push(timeMs)
  }
  return moments
}

/** @param month counted from the year 0 */
function monthStart(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12)
}

function labelOf(timeMs: number, [from, to]: [number, number]): string {
  return new Date(timeMs).toISOString().slice(from, to).replace('T', ' ')
}
