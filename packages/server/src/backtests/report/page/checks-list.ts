import type { Check } from '../honesty/check.ts'
import type { Report } from '../report.ts'
import { foreign, html, type Markup } from './markup.ts'

const verdicts: Record<Check['verdict'], string> = {
  doubt: 'doubt',
  good: 'no doubt',
  unknown: 'not checked',
}
const order = Object.keys(verdicts)

/** Reasons for doubt first, and last the questions that nobody asked. */
export function checks({ checks }: Report): Markup {
  const sorted = checks.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))
  return html`<ul class="checks">${sorted.map(checkOf)}</ul>`
}

function checkOf({ label, verdict, says }: Check): Markup {
  return html`<li class="${verdict}"><b>${label}</b><small>${verdicts[verdict]}</small><span>${foreign(says)}</span></li>`
}
