/** What people read in the terminal after a backtest. */
import type { ShownMetric } from '../report/metric.ts'
import type { Axes } from '../sweep/combinations.ts'
import { neighbourhoodOf } from '../sweep/neighbours.ts'
import type { shownSteps } from '../sweep/walk-forward.ts'
import type { Result } from './result.ts'

/** The facts about the candles, which all backtests of a command share. */
export function describeMarket({ plan: { data, warmUp, first, end }, bot: { conditions } }: Result): string {
  const { times, periodMs } = data.candles
  const lines = [
    `${count(end - first, 'candle')} of ${data.symbol}, each ${durationOf(periodMs)}, from ${utc(times[first]!)} to ${utc(data.endOf(end - 1))} UTC.`,
  ]
  if (warmUp < first) lines.push(`${count(first - warmUp, 'candle')} before that warm the code up.`)
  const gaps = data.gaps(warmUp, end)
  if (gaps.length > 0) {
    const longest = gaps.reduce((most, gap) => (gap.toMs - gap.fromMs > most.toMs - most.fromMs ? gap : most))
    lines.push(
      `Candles are missing in ${count(gaps.length, 'place')}; the longest gap is ${durationOf(longest.toMs - longest.fromMs)} from ${utc(longest.fromMs)}. Nothing fills them: a gap is a market without a price.`,
    )
  }
  if (data.symbol.includes(':') && conditions?.funding === undefined)
    lines.push('Funding is not counted: no rates are given. See --funding.')
  return lines.join('\n')
}

/** One backtest in full. */
export function describe({ plan, bot, backtest, report }: Result): string {
  const { decisions, traded } = backtest
  const { runs, skipped, failed, violated, signals, stoppedMs, withheld } = decisions
  const skips = skipped === 0 ? '' : `, ${skipped} skipped`
  const lines = [
    '',
    `${count(runs, 'run')}${skips}: ${failed} failed, ${violated} broke a rule. ${count(signals.length, 'signal')}.`,
  ]
  for (const { atMs, error } of decisions.failures.slice(0, mostShown)) {
    const place = error.line === null ? '' : ` (line ${error.line}, column ${error.column})`
    lines.push(`  ${utc(atMs)}  ${error.name}: ${error.message}${place}`)
  }
  if (failed > mostShown) lines.push(`  … and ${failed - mostShown} more`)
  for (const { atMs, violation, suspendedUntilMs } of decisions.violations.slice(0, mostShown)) {
    lines.push(`  ${utc(atMs)}  broke the rule ${violation.rule}; suspended until ${utc(suspendedUntilMs)}`)
  }
  if (violated > mostShown) lines.push(`  … and ${violated - mostShown} more`)
  if (stoppedMs !== null) lines.push(`The code stopped its strategy at ${utc(stoppedMs)}.`)
  if (withheld > 0)
    lines.push(
      `${count(withheld, 'run')} sent a request that has no answer, and got the status 403. See --answers.`,
    )
  lines.push(...unfollowed(traded.signals))
  lines.push('', ...aligned(report.metrics.map((metric) => [metric.label, shownOf(metric, traded.quote)])))
  const doubts = report.checks.filter(({ verdict }) => verdict === 'doubt')
  if (doubts.length > 0)
    lines.push('', 'Reasons for doubt:', ...doubts.map(({ label, says }) => `  ${label}: ${says}`))
  lines.push(
    '',
    `The equity went from ${money(report.start_equity)} to ${money(report.end_equity)} ${report.quote}. ${costsOf(report)}`,
  )
  const liquidations = traded.closed.filter(({ reason }) => reason === 'liquidation').length
  if (liquidations > 0)
    lines.push(`Liquidations, each of which took the margin of a position: ${liquidations}.`)
  const { reordered } = backtest
  const reorderedEnd = reordered?.equity.at(-1)?.equity ?? report.end_equity
  if (money(reorderedEnd) !== money(report.end_equity)) {
    lines.push(
      `Candles do not say whether high or low came first. If each reached the better one for the position first, the equity would be ${money(reorderedEnd)} at the end.`,
    )
  }
  const held = traded.fills.at(-1)?.positionAfter ?? 0
  if (held !== 0) {
    lines.push(`A position of ${held} ${bot.rules.base} is open; it counts at its value at the last close.`)
  }
  lines.push(`Seed ${plan.seed}, digest ${report.digest}`)
  return lines.join('\n')
}

/** Only what the backtest counts: the spread and funding are 0 unless it was told otherwise. */
function costsOf({ costs: { fees, spread, slippage, funding } }: Result['report']): string {
  const others = [spread !== 0 && `the spread ${money(spread)}`, funding !== 0 && `funding ${money(funding)}`]
  return `${[`Fees took ${money(fees)}`, `slippage ${money(slippage)}`, ...others].filter(Boolean).join(', ')}.`
}

/** Settings of which several values may have been tried, by their titles. */
const varied = {
  Amount: 'amount',
  Fee: 'feeRate',
  Slippage: 'slippageRate',
  Spread: 'spreadRate',
} as const

/**
 * Several backtests as a table, a line for each, and how much the neighbours of the best lose.
 * @param axes the values of each parameter, in the order in which they are neighbours
 * @param objective the figure by which one is the best
 */
export function describeAll(results: readonly Result[], axes: Axes, objective: string): string {
  const names = Object.keys(results[0]!.plan.env)
  const settings = Object.entries(varied).filter(
    ([, setting]) => new Set(results.map(({ bot }) => bot.settings[setting])).size > 1,
  )
  const usual = ['return_percent', 'max_drawdown_within_percent', 'sharpe', 'trades', 'win_rate_percent']
  const shown = [...new Set([objective, ...usual])]
  const labels = shown.map((name) => metricOf(results[0]!, name).label)
  const hasEnded = results.some(({ backtest }) => backtest.traded.gaveUp !== undefined)
  const head = [
    ...[...names, ...settings.map(([title]) => title), ...labels, 'Failed', 'Broke a rule'],
    ...(hasEnded ? ['Ended early'] : []),
  ]
  const rows = results.map((result) => {
    const { plan, bot, backtest } = result
    const { gaveUp } = backtest.traded
    return [
      ...names.map((name) => plan.env[name]!),
      ...settings.map(([, setting]) => bot.settings[setting] ?? '0'),
      ...shown.map((name) => shownOf(metricOf(result, name), backtest.traded.quote, false)),
      String(backtest.decisions.failed),
      String(backtest.decisions.violated),
      ...(hasEnded ? [gaveUp === undefined ? '' : utc(gaveUp.atMs)] : []),
    ]
  })
  return ['', ...aligned([head, ...rows]), ...describeBest(results, axes, objective)].join('\n')
}

function describeBest(results: readonly Result[], axes: Axes, objective: string): string[] {
  const trials = results.map((result) => {
    const { plan, bot, backtest } = result
    const settings = Object.values(varied).map((setting) => bot.settings[setting])
    // One that ended early is never the best.
    const value = backtest.traded.gaveUp === undefined ? metricOf(result, objective).value : null
    return {
      parameters: { ...plan.env, [ofBot]: settings.join() },
      result: value ?? Number.NEGATIVE_INFINITY,
    }
  })
  if (results.every(({ backtest }) => backtest.traded.gaveUp !== undefined))
    return ['', 'Every combination ended early.']
  const found = neighbourhoodOf(trials, axes)
  if (found === null || found.mean === null) return []
  const { best, neighbours, mean } = found
  const { label, unit } = metricOf(results[0]!, objective)
  const { quote } = results[0]!.backtest.traded
  const figure = (value: number) =>
    Number.isFinite(value) ? shownOf({ value, reason: null, unit } as ShownMetric, quote) : 'none'
  const change = (value: number) =>
    !Number.isFinite(value) ? '' : unit === 'percent' ? `${value.toFixed(2)} points` : figure(value)
  const own = Object.keys(axes).map((name) => `${name}=${best.parameters[name]}`)
  const title = /^(Sharpe|Sortino|Calmar)/.test(label)
    ? label
    : label.charAt(0).toLowerCase() + label.slice(1)
  return [
    '',
    `The best ${title} has ${own.join(', ')}: ${figure(best.result)}. Its neighbours have ${figure(mean)} on average:`,
    ...aligned(
      neighbours.map(({ parameter, value, trial, change: by }) => {
        return [`  ${parameter}=${value}`, figure(trial.result), change(by)]
      }),
    ),
  ]
}

/** What walk-forward chose in each window, and what became of it. */
export function describeWindows(windows: ReturnType<typeof shownSteps>): string {
  const names = Object.keys(windows[0]?.parameters ?? {})
  const head = ['Training from', 'Test from', 'Test until', ...names, 'Training', 'Test']
  const rows = windows.map((each) => [
    ...[each.train_from, each.test_from, each.test_to].map((time) => utc(Date.parse(time))),
    ...names.map((name) => each.parameters[name]!),
    ...[each.train_return_percent, each.test_return_percent].map((value) => `${value.toFixed(2)} %`),
  ])
  return ['', ...aligned([head, ...rows]), '', 'All tests together:'].join('\n')
}

/** No parameter of the code has such a name. A neighbour has the settings of the best. */
const ofBot = 'settings of the bot'

function metricOf({ report }: Result, name: string): ShownMetric {
  return report.metrics.find((metric) => metric.name === name)!
}

const mostShown = 5

/** Signals that did nothing, by the reason. */
function unfollowed(signals: Result['backtest']['traded']['signals']): string[] {
  const reasons = new Map<string, number>()
  for (const { outcome, reason } of signals) {
    if (outcome === 'DONE') continue
    const text = `${outcome}: ${reason ?? ''}`
    reasons.set(text, (reasons.get(text) ?? 0) + 1)
  }
  const sorted = [...reasons].sort(([, a], [, b]) => b - a)
  const lines = sorted.slice(0, mostShown).map(([text, times]) => `  ${times} × ${text}`)
  const others = sorted.slice(mostShown).reduce((sum, [, times]) => sum + times, 0)
  if (others > 0) lines.push(`  … and ${others} more`)
  return lines.length === 0 ? [] : ['Signals that were not followed:', ...lines]
}

function shownOf({ value, reason, unit }: ShownMetric, quote: string, isAlone = true): string {
  if (value === null) return isAlone ? `none: ${reason}` : 'none'
  switch (unit) {
    case 'percent':
      return `${value.toFixed(2).replace(/^-(0\.00)$/, '$1')} %`
    case 'money':
      return `${money(value)} ${quote}`
    case 'days':
      return `${value.toFixed(1)} days`
    case 'count':
      return String(value)
    case 'ratio':
      return value.toFixed(3)
  }
}

/** Cents, or as many digits as a small amount needs. */
function money(value: number): string {
  return value !== 0 && Math.abs(value) < 1 ? value.toPrecision(4) : value.toFixed(2)
}

/** Rows whose columns stand below one another. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

function utc(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

function durationOf(ms: number): string {
  const [name, unitMs] = units.find(([, unitMs]) => ms >= unitMs && ms % unitMs === 0) ?? ['second', 1_000]
  return count(ms / unitMs, name)
}
