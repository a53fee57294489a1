import { dayMs } from '../daily.ts'
import { type DefinitionName, definitionNames } from '../definitions/sets.ts'
import type { ShownMetric } from '../metric.ts'
import type { Report } from '../report.ts'
import { dateText, inUnit } from './amounts.ts'
import { foreign, html, type Markup } from './markup.ts'

const toolNames: Record<DefinitionName, string> = {
  'backtesting.py': 'backtesting.py',
  freqtrade: 'Freqtrade',
}

/** Every figure with its formula and source, then those of other tools. */
export function figures({ metrics, definitions, quote }: Report): Markup {
  return html`${tableOf(metrics, quote)}
${definitionNames.map((tool) => {
  const set = definitions[tool]
  return (
    set !== undefined &&
    html`<details><summary>As ${toolNames[tool]} defines them</summary>${tableOf(set, quote)}</details>`
  )
})}`
}

function tableOf(metrics: readonly ShownMetric[], quote: string): Markup {
  const rows = metrics.map(({ label, value, reason, unit, formula, source }) => {
    const shown = value === null ? html`<span class="soft">–</span>` : inUnit(value, unit, quote)
    const why = reason !== null && html`<br><em>${reason}</em>`
    return html`<tr><th scope="row">${label}</th><td class="number">${shown}</td><td class="words soft">${formula}${why}</td><td class="words soft source">${source}</td></tr>`
  })
  return html`<table class="figures"><thead><tr><th>Figure</th><th class="number">Value</th><th>How it is calculated</th><th class="source">Source</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** The few figures that decide whether one reads on. */
export function facts(report: Report): Markup {
  const shown = (name: string) => {
    const { value, unit, reason } = report.metrics.find((metric) => metric.name === name)!
    return value === null ? html`<span title="${reason}">–</span>` : inUnit(value, unit, report.quote)
  }
  const all: [string, Markup][] = [
    ['Largest drawdown', shown('max_drawdown_percent')],
    ['within candles', shown('max_drawdown_within_percent')],
    ['Sharpe ratio', shown('sharpe')],
    ['Sortino ratio', shown('sortino')],
    ['Profit factor', shown('profit_factor')],
    ['Trades', shown('trades')],
    ['Won', shown('win_rate_percent')],
    ['Average trade', shown('expectancy')],
    ['In the market', shown('exposure_percent')],
  ]
  return html`<dl class="facts">${all.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

export function drawdowns({ drawdowns: falls, quote }: Report): Markup {
  if (falls.length === 0) return html`<p class="soft">The equity never fell below an earlier close.</p>`
  const at = (time: string) => dateText(Date.parse(time))
  const rows = falls.map(({ from, until, depth_percent, amount, is_over }) => {
    const days = (Date.parse(until) - Date.parse(from)) / dayMs
    return html`<tr><td class="number">${inUnit(-depth_percent, 'percent', quote)}</td><td class="number wide">${inUnit(-amount, 'money', quote)}</td><td>${at(from)}</td><td>${is_over ? at(until) : 'not yet'}</td><td class="number">${inUnit(days, 'days', quote)}</td></tr>`
  })
  return html`<div class="scroller"><table><thead><tr><th class="number">Depth</th><th class="number wide">Amount</th><th>Peak</th><th>Reached again</th><th class="number">Duration</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

/** What was asked for, and how the bot was set. */
export function settings({ request, bot, assumptions }: Report): Markup {
  const rows = (values: object) =>
    Object.entries(values)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value)
        return html`<tr><th scope="row">${foreign(name)}</th><td class="words"><code>${foreign(text)}</code></td></tr>`
      })
  const groups = { Request: request, Bot: bot.settings, Assumptions: assumptions }
  return html`${Object.entries(groups).map(
    ([name, values]) =>
      Object.keys(values).length > 0 &&
      html`<details><summary>${name}</summary><table class="settings"><tbody>${rows(values)}</tbody></table></details>`,
  )}`
}
