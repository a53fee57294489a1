import { moneyText, numberText } from '../numbers.ts'
import type { Report } from '../report.ts'
import { result } from './amounts.ts'
import { html, type Markup } from './markup.ts'

const names = { fees: 'Fees', spread: 'Spread', slippage: 'Slippage', funding: 'Funding' } as const

/** From the result without costs, cost by cost, to the result. Each bar begins where the one before it ends. */
export function costsList({ costs, start_equity, end_equity, quote }: Report): Markup {
  const net = end_equity - start_equity
  const gross = net + costs.total
  let at = gross
  const steps = Object.entries(names).map(([key, name]) => {
    const from = at
    at -= costs[key as keyof typeof names]
    return { name, amount: at - from, from, to: at }
  })
  const rows = [
    { name: 'Before costs', amount: gross, from: 0, to: gross },
    ...steps,
    { name: 'Result', amount: net, from: 0, to: net },
  ]
  const ends = rows.flatMap(({ from, to }) => [from, to])
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)]
  const place = (value: number) => (high > low ? (100 * (value - low)) / (high - low) : 0)
  return html`<div class="scroller"><table class="costs">
<thead><tr><th>What</th><th class="number">${quote}</th><th class="number wide">of the start equity</th><th class="bars"></th></tr></thead>
<tbody>${rows.map(({ name, amount, from, to }, index) => {
    const [left, right] = [place(Math.min(from, to)), place(Math.max(from, to))]
    const bar = html`<i class="${amount < 0 ? 'loss' : 'profit'}" style="left:${left.toFixed(2)}%;width:${(right - left).toFixed(2)}%"></i>`
    const isEnd = index === 0 || index === rows.length - 1
    return html`<tr${isEnd && html` class="end"`}><td>${name}</td><td class="number">${result(amount, moneyText(amount))}</td><td class="number wide">${share(amount, start_equity)}</td><td class="bars"><span>${bar}</span></td></tr>`
  })}</tbody></table></div>`
}

function share(amount: number, whole: number): Markup {
  return whole > 0 ? html`${numberText((100 * amount) / whole, 2)} <small>%</small>` : html`–`
}
