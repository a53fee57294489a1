import type { Unit } from '../metric.ts'
import { moneyText, numberText } from '../numbers.ts'
import { html, type Markup } from './markup.ts'

/** In the colour of profit or loss. */
export function result(value: number, text: string): Markup {
  if (/^−?[0.,]+$/.test(text.replaceAll(/[^\d.,−]/g, ''))) return html`<span>${text}</span>`
  return html`<span class="${value < 0 ? 'loss' : 'profit'}">${text}</span>`
}

/** With a unit, or none. */
export function inUnit(value: number, unit: Unit, quote: string): Markup {
  switch (unit) {
    case 'percent':
      return html`${numberText(value, 2)} <small>%</small>`
    case 'money':
      return html`${moneyText(value)} <small>${quote}</small>`
    case 'days':
      return html`${numberText(value, value < 10 ? 1 : 0)} <small>${value === 1 ? 'day' : 'days'}</small>`
    case 'count':
      return html`${numberText(value, 0)}`
    case 'ratio':
      return html`${numberText(value, 2)}`
  }
}

/** In UTC: `2026-01-05 12:00`. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')
}

export function dateText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}
