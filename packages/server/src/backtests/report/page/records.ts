import type { ClosedTrade, FollowedSignal, Traded } from '../../traded.ts'
import { exactText, moneyText, numberText } from '../numbers.ts'
import { result, timeText } from './amounts.ts'
import { foreign, html, type Markup } from './markup.ts'
import { legend } from './plot.ts'

/** So many records of a kind are in the page. The CSV files have all. */
const mostRecords = 1_000
const mostReasons = 12

const outcomes: Record<FollowedSignal['outcome'], string> = {
  DONE: 'Followed',
  IGNORED: 'Nothing to do',
  REFUSED: 'Refused',
  FAILED: 'Failed',
  CLOSING: 'Close not executed',
  WAITING: 'Waits',
  RESTING: 'Order still rests',
  UNFOLLOWED: 'After the last candle',
}

/** How many signals ended in which way, why, and each of them. */
export function signals({ signals }: Traded): Markup {
  if (signals.length === 0) return html`<p class="soft">The bot got no signal.</p>`
  const counted = countsOf(signals.map(({ outcome }) => outcome))
  const why = countsOf(
    signals.flatMap(({ outcome, reason }) => (reason === null ? [] : [`${outcome} ${reason}`])),
  )
  return html`<div class="share" aria-hidden="true">${counted.map(([outcome, count]) => html`<i class="${outcome.toLowerCase()}" style="flex-grow:${count}"></i>`)}</div>
${legend(counted.map(([outcome, count]) => [`key ${outcome.toLowerCase()}`, outcomes[outcome], numberText(count, 0)] as const))}
${why.length > 0 && reasonsOf(why)}
${details(
  'signals',
  signals,
  ['Time (UTC)', 'Signal', 'Outcome', 'Reason'],
  ({ timeMs, action, outcome, reason }) =>
    html`<td>${timeText(timeMs)}</td><td>${action}</td><td>${outcomes[outcome]}</td><td class="words">${reason !== null && foreign(reason)}</td>`,
)}`
}

function reasonsOf(why: readonly [text: string, count: number][]): Markup {
  const rows = why.slice(0, mostReasons).map(([text, count]) => {
    const outcome = text.slice(0, text.indexOf(' ')) as FollowedSignal['outcome']
    const reason = text.slice(outcome.length + 1)
    return html`<tr><td class="number">${numberText(count, 0)} ×</td><td>${outcomes[outcome]}</td><td class="words">${foreign(reason)}</td></tr>`
  })
  const left = why.length - mostReasons
  return html`<div class="scroller"><table class="why"><tbody>${rows}</tbody></table></div>
${left > 0 && html`<p class="soft">${numberText(left, 0)} more reasons are in the list below.</p>`}`
}

/** The most frequent first. */
function countsOf<Key extends string>(keys: readonly Key[]): [Key, number][] {
  const counts = new Map<Key, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
}

const reasons: Partial<Record<ClosedTrade['reason'], string>> = {
  signal: 'signal',
  end: 'end of the backtest',
}

/** Every closed trade, in order of time. */
export function trades({ closed, quote }: Traded): Markup {
  if (closed.length === 0) return html`<p class="soft">No trade was closed.</p>`
  return details(
    'trades',
    closed,
    [
      'Opened (UTC)',
      'Closed',
      'Symbol',
      'Side',
      '#Size',
      '#Entry',
      '#Exit',
      '#Fees',
      `#Profit, ${quote}`,
      'Closed by',
    ],
    ({ openedMs, closedMs, symbol, side, size, entry, exit, fees, profit, reason }) =>
      html`<td>${timeText(openedMs)}</td><td>${timeText(closedMs)}</td><td>${foreign(symbol)}</td><td>${side === 'LONG' ? 'long' : 'short'}</td><td class="number">${exactText(size)}</td><td class="number">${exactText(entry)}</td><td class="number">${exactText(exit)}</td><td class="number">${moneyText(fees)}</td><td class="number">${result(profit, moneyText(profit))}</td><td>${reasons[reason] ?? reason.replaceAll('_', ' ')}</td>`,
  )
}

/** @param heads of columns; one of numbers begins with # */
function details<Row>(
  name: 'signals' | 'trades',
  rows: readonly Row[],
  heads: readonly string[],
  cells: (row: Row) => Markup,
): Markup {
  const shown = rows.slice(0, mostRecords)
  const head = heads.map((text) =>
    text.startsWith('#') ? html`<th class="number">${text.slice(1)}</th>` : html`<th>${text}</th>`,
  )
  return html`<details><summary>All ${numberText(rows.length, 0)} ${name}</summary>
<div class="scroller"><table><thead><tr>${head}</tr></thead><tbody>${shown.map((row) => html`<tr>${cells(row)}</tr>`)}</tbody></table></div>
${shown.length < rows.length && html`<p class="soft">These are the first ${numberText(mostRecords, 0)}; ${name}.csv has all.</p>`}</details>`
}
