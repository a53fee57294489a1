import type { Unit } from '../metric.ts'
import { html, type Markup } from './markup.ts'

/** A number with so many digits after the point: `−1,234.50`. */
export function numberText(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits)
  const isZero = Number(text) === 0
  const [whole = '', fraction] = text.split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return `${value < 0 && !isZero ? '−' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`
}

/** Money as people read it: to the cent, and small amounts to four digits. */
export function moneyText(value: number): string {
  const size = Math.abs(value)
  const digits = size >= 1 || size < 1e-12 ? 2 : Math.min(12, 3 - Math.floor(Math.log10(size)))
  return numberText(value, digits)
}

/** A price or a size, which may need all its digits. */
export function exactText(value: number): string {
  if (value === 0) return '0'
  const digits = Math.max(0, Math.min(12, 7 - Math.floor(Math.log10(Math.abs(value)))))
  const text = numberText(value, digits)
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

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
