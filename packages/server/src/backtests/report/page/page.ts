import type { Traded } from '../../traded.ts'
import { moneyText, numberText } from '../numbers.ts'
import type { Report } from '../report.ts'
import { dateText, result } from './amounts.ts'
import { checks } from './checks-list.ts'
import { costsList } from './costs-list.ts'
import { curves } from './curves.ts'
import { drawdowns, facts, figures, settings } from './figures.ts'
import { foreign, html, Markup } from './markup.ts'
import { monthsTable } from './months-table.ts'
import { prices } from './prices.ts'
import { signals, trades } from './records.ts'
import { style } from './style.ts'

/** Nothing of a report may run or be loaded, whatever is written in it. */
const policy = "default-src 'none'; style-src 'unsafe-inline'"

/** The report as one file of HTML, without scripts and without anything from elsewhere. */
export function reportPage(report: Report, traded: Traded): string {
  const title = `Backtest of ${report.bot.name}, ${dateText(traded.startMs)} to ${dateText(traded.endMs)}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
${header(report, traded)}
${facts(report)}
<main>
${section('Whether to believe it', checks(report))}
${section('Equity', curves(traded, report))}
${section('Months', monthsTable(report))}
${section('Trades on the price', html`${prices(traded)}${trades(traded)}`)}
<div class="columns">
${section('What trading took', costsList(report))}
${section('Deepest drawdowns', drawdowns(report))}
</div>
${section('Signals and what became of them', signals(traded))}
${section('Figures', figures(report))}
${section('What was asked for', settings(report))}
</main>
<footer><p>A backtest shows what would have happened. It promises nothing.</p>
<p>Digest <code>${report.digest}</code></p></footer>
</body>
</html>
`.text
}

function section(title: string, content: Markup): Markup {
  return html`<section><h2>${title}</h2>${content}</section>`
}

const logo = html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#3d5afe"/><path d="M7 10h18M16 10v14" stroke="#fff" stroke-width="3.2" stroke-linecap="round" fill="none"/><path d="M9.5 17v6M9.5 15v-1.5M22.5 19.5v3.5M22.5 17v-2.5" stroke="#b9c4ff" stroke-width="2.2" stroke-linecap="round" fill="none"/></svg>`

function header(report: Report, traded: Traded): Markup {
  const { metrics, end_equity, start_equity, quote, symbols, candles, request } = report
  const percent = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? null
  const period = `${dateText(traded.startMs)} to ${dateText(traded.endMs)}`
  const facts: [string, number | null][] = [
    ['Return', percent('return_percent')],
    ['Buy and hold', percent('holding_return_percent')],
  ]
  return html`<header><div>
<p class="brand">${logo}Tickwright backtest</p>
<h1>${foreign(report.bot.name)}</h1>
<p class="soft">${parametersOf(report)}${symbols.length === 0 ? 'no symbol' : foreign(shortList(symbols))} · ${period} · ${numberText(candles, 0)} candles · ${moneyText(start_equity)} to ${moneyText(end_equity)} ${quote}</p>
${request.repeatable === false ? html`<p class="soft">This backtest sent requests. Repeated, it may come to another result.</p>` : ''}</div>
${facts.map(([name, value]) => html`<dl class="result"><dt>${name}</dt><dd>${value === null ? '–' : result(value, `${value > 0 ? '+' : ''}${numberText(value, 2)}`)}<small>%</small></dd></dl>`)}
</header>`
}

/** The parameters of the code, if it has some. */
function parametersOf({ request: { parameters } }: Report): Markup {
  const entries = typeof parameters === 'object' && parameters !== null ? Object.entries(parameters) : []
  return html`${entries.map(([name, value]) => html`${foreign(`${name} = ${value}`)} · `)}`
}

function shortList(names: readonly string[]): string {
  const left = names.length - 4
  return left > 1 ? `${names.slice(0, 4).join(', ')} and ${left} more` : names.join(', ')
}
