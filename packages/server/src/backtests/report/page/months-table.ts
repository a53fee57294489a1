import { numberText } from '../numbers.ts'
import type { Report } from '../report.ts'
import { html, type Markup } from './markup.ts'

const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** A month with such a return, in percent, has the strongest colour. */
const strongest = 15

/** The return of each month, a row for each year. */
export function monthsTable({ months }: Report): Markup {
  const years = new Map<string, Map<number, number | null>>()
  for (const { month, return_percent } of months) {
    const [year = '', number] = month.split('-')
    const row = years.get(year) ?? new Map()
    years.set(year, row.set(Number(number) - 1, return_percent.value))
  }
  return html`<div class="years">${[...years].map(([year, row]) => yearOf(year, row))}</div>`
}

function yearOf(year: string, row: ReadonlyMap<number, number | null>): Markup {
  const known = [...row.values()].every((value) => value !== null)
  const total = [...row.values()].reduce<number>((all, value) => all * (1 + (value ?? 0) / 100), 1)
  return html`<div class="year" role="list" aria-label="Months of ${year}">
<span class="total" role="listitem"><b>${year}</b>${percentOf(known ? 100 * (total - 1) : null)}</span>
${names.map((name, index) => monthOf(name, row.get(index)))}</div>`
}

/** @param value `undefined`: the backtest has no candle of this month */
function monthOf(name: string, value: number | null | undefined): Markup {
  if (value === undefined) return html`<span class="month none" role="listitem"><small>${name}</small></span>`
  const strength = Math.round(Math.min(1, Math.abs(value ?? 0) / strongest) * 100)
  const colour = (value ?? 0) < 0 ? 'loss' : 'profit'
  return html`<span class="month" role="listitem" style="--colour:var(--${colour});--strength:${strength}"><small>${name}</small>${percentOf(value)}</span>`
}

function percentOf(value: number | null): Markup {
  if (value === null) return html`<span>–</span>`
  const digits = Math.abs(value) >= 99.95 ? 0 : 1
  return html`<span>${value > 0 && '+'}${numberText(value, digits)}<small> %</small></span>`
}
