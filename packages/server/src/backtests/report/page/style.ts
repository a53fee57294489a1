/**
 * The colours of the dashboard, so that a report looks like one of its pages. A test compares them with its `tokens.css`.
 */
export const tokens = {
  '--neutral-1': 'light-dark(oklch(0.992 0.002 265), oklch(0.178 0.008 265))',
  '--neutral-2': 'light-dark(oklch(0.977 0.003 265), oklch(0.207 0.009 265))',
  '--neutral-3': 'light-dark(oklch(0.958 0.004 265), oklch(0.238 0.01 265))',
  '--neutral-4': 'light-dark(oklch(0.936 0.005 265), oklch(0.268 0.011 265))',
  '--neutral-6': 'light-dark(oklch(0.898 0.006 265), oklch(0.312 0.012 265))',
  '--neutral-7': 'light-dark(oklch(0.86 0.008 265), oklch(0.37 0.014 265))',
  '--neutral-8': 'light-dark(oklch(0.66 0.012 265), oklch(0.52 0.016 265))',
  '--neutral-11': 'light-dark(oklch(0.46 0.015 265), oklch(0.75 0.013 265))',
  '--neutral-12': 'light-dark(oklch(0.22 0.012 265), oklch(0.945 0.004 265))',
  '--accent': 'light-dark(oklch(0.51 0.21 268), oklch(0.76 0.13 268))',
  '--accent-soft': 'light-dark(oklch(0.95 0.025 268), oklch(0.28 0.055 268))',
  '--profit': 'light-dark(oklch(0.48 0.1 185), oklch(0.78 0.12 182))',
  '--loss': 'light-dark(oklch(0.52 0.2 25), oklch(0.74 0.16 22))',
  '--loss-soft': 'light-dark(oklch(0.955 0.022 25), oklch(0.28 0.06 25))',
  '--warning': 'light-dark(oklch(0.48 0.1 75), oklch(0.83 0.13 85))',
  '--warning-soft': 'light-dark(oklch(0.96 0.045 90), oklch(0.29 0.045 80))',
  '--font': 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  '--font-code': 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
} as const

const named = Object.entries(tokens).map(([name, value]) => `${name}: ${value};`)

export const style = `
:root { color-scheme: light dark; ${named.join(' ')} --text-soft: var(--neutral-11); --hairline: var(--neutral-6); }
* { box-sizing: border-box; }
html { background: var(--neutral-1); color: var(--neutral-12); font: 400 100%/1.45 var(--font); font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%; }
body { max-width: 1180px; margin: 0 auto; padding: 24px 24px 48px; font-size: 0.8125rem; }
h1, h2, h3, p, dl, dd, figure { margin: 0; }
h1 { font-size: 1.25rem; font-weight: 600; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin-bottom: 12px; font-size: 1rem; font-weight: 600; }
h3 { margin: 16px 0 4px; font-size: 0.8125rem; font-weight: 600; overflow-wrap: anywhere; }
small { color: var(--text-soft); font-size: 0.75rem; }
code { font-family: var(--font-code); font-size: 0.95em; }
.soft { color: var(--text-soft); }
p.soft { margin-top: 8px; }
.profit { color: var(--profit); }
.loss { color: var(--loss); }
header { display: flex; flex-wrap: wrap; gap: 16px 40px; align-items: end; padding-bottom: 20px; border-bottom: 1px solid var(--hairline); }
header > div:first-child { flex: 1 1 320px; min-width: 0; }
.brand { display: flex; gap: 8px; align-items: center; margin-bottom: 12px; color: var(--text-soft); font-size: 0.75rem; }
.brand svg { width: 20px; height: 20px; }
.result dt { color: var(--text-soft); font-size: 0.75rem; }
.result dd { font-size: 1.75rem; font-weight: 600; line-height: 1.2; overflow-wrap: anywhere; }
.result dd small { margin-left: 4px; font-size: 0.8125rem; font-weight: 400; }
.facts { display: flex; flex-wrap: wrap; gap: 12px 32px; padding: 16px 0; border-bottom: 1px solid var(--hairline); }
.facts dt { color: var(--text-soft); font-size: 0.75rem; }
.facts dd { margin-top: 4px; font-size: 0.875rem; overflow-wrap: anywhere; }
section { margin-top: 32px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-bottom: 8px; color: var(--text-soft); font-size: 0.75rem; }
.legend > span { display: inline-flex; gap: 6px; align-items: center; }
.legend b { color: var(--neutral-12); font-weight: 500; }
.key { width: 12px; height: 3px; border-radius: 2px; background: currentcolor; }
.dot { width: 8px; height: 8px; border-radius: 50%; background: var(--neutral-11); }
.dot.open { border: 2px solid var(--neutral-11); background: none; }
.key.equity { color: var(--accent); }
.key.held { color: var(--neutral-8); }
.key.fall { color: var(--loss); }
.key.worst { height: 8px; color: color-mix(in oklab, var(--loss) 30%, transparent); }
.plot { position: relative; margin: 0 64px 24px 0; }
.plot svg { display: block; width: 100%; overflow: hidden; }
.plot path { fill: none; vector-effect: non-scaling-stroke; }
.plot .grid { stroke: var(--neutral-4); }
.plot .area { fill: var(--accent-soft); opacity: 0.6; }
.plot .equity { stroke: var(--accent); stroke-width: 1.75; stroke-linejoin: round; }
.plot .held { stroke: var(--neutral-8); stroke-width: 1.25; stroke-linejoin: round; }
.plot .fall { fill: color-mix(in oklab, var(--loss) 45%, transparent); }
.plot .worst { fill: color-mix(in oklab, var(--loss) 20%, transparent); }
.plot .wick { stroke: var(--neutral-8); }
.plot .body { fill: var(--neutral-8); }
.plot .body.up { fill: var(--neutral-7); }
.plot .trade { stroke-width: 1.75; stroke: currentcolor; }
.plot .mark { stroke-width: 7; stroke-linecap: round; stroke: currentcolor; }
.plot .hole { stroke-width: 3; stroke-linecap: round; stroke: var(--neutral-1); }
.plot .y { position: absolute; left: 100%; padding-left: 8px; transform: translateY(-50%); color: var(--text-soft); font-size: 0.6875rem; line-height: 1; white-space: nowrap; }
.times { position: relative; height: 16px; }
.times span { position: absolute; top: 4px; transform: translateX(-50%); color: var(--text-soft); font-size: 0.6875rem; line-height: 1; white-space: nowrap; }
.times span[style="left:0%"] { transform: none; }
.year { display: grid; grid-template-columns: 1.4fr repeat(12, 1fr); gap: 3px; margin-bottom: 3px; }
.month, .total { display: grid; align-content: center; min-width: 0; height: 44px; padding: 0 6px; border-radius: 4px; font-size: 0.75rem; white-space: nowrap; }
.month small, .month span small, .total small { font-size: 0.625rem; }
.month { background: color-mix(in oklab, var(--colour) calc(8% + 0.34% * var(--strength)), var(--neutral-1)); }
.month.none { background: var(--neutral-2); }
.total b { font-weight: 600; }
.scroller { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { height: 32px; padding: 4px 16px 4px 0; border-bottom: 1px solid var(--neutral-4); text-align: left; white-space: nowrap; vertical-align: baseline; }
th { font-weight: 400; }
thead th { height: 28px; color: var(--text-soft); font-size: 0.75rem; vertical-align: bottom; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; }
.words { min-width: 120px; white-space: normal; overflow-wrap: anywhere; }
.figures th[scope] { min-width: 150px; white-space: normal; }
.figures em { color: var(--warning); font-style: normal; }
.figures .words { font-size: 0.75rem; }
.figures .source { width: 26%; }
.settings th { width: 30%; color: var(--text-soft); white-space: normal; overflow-wrap: anywhere; }
.costs td.bars { width: 50%; vertical-align: middle; min-width: 120px; }
.costs .bars span { position: relative; display: block; height: 12px; }
.costs .bars i { position: absolute; top: 0; bottom: 0; min-width: 1px; border-radius: 2px; background: currentcolor; opacity: 0.75; }
.costs .end td { font-weight: 600; }
.share { display: flex; gap: 2px; height: 12px; margin-bottom: 8px; overflow: hidden; border-radius: 4px; }
.share i { min-width: 2px; background: currentcolor; }
.key.done, .share .done { color: var(--profit); }
.key.ignored, .share .ignored { color: var(--neutral-7); }
.key.refused, .share .refused { color: var(--warning); }
.key.failed, .share .failed { color: var(--loss); }
.key.closing, .key.waiting, .key.resting, .share .closing, .share .waiting, .share .resting { color: var(--accent); }
.key.unfollowed, .share .unfollowed { color: var(--neutral-8); }
.why td:first-child { width: 64px; color: var(--text-soft); }
.checks { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(340px, 100%), 1fr)); gap: 8px; margin: 0; padding: 0; list-style: none; }
.checks li { display: grid; grid-template-columns: 1fr auto; gap: 2px 12px; align-content: start; padding: 10px 12px; border-left: 3px solid var(--neutral-7); border-radius: 4px; background: var(--neutral-2); }
.checks b { font-weight: 600; }
.checks span { grid-column: 1 / -1; }
.checks .doubt { border-color: var(--warning); background: var(--warning-soft); }
.checks .doubt small { color: var(--warning); }
.checks .good { border-color: var(--profit); }
.checks .unknown { color: var(--text-soft); }
details { margin-top: 8px; }
summary { padding: 6px 0; color: var(--accent); cursor: pointer; }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 32px 40px; }
.columns { margin-top: 32px; }
.columns section { min-width: 0; margin: 0; }
footer { margin-top: 40px; padding-top: 16px; border-top: 1px solid var(--hairline); color: var(--text-soft); font-size: 0.75rem; overflow-wrap: anywhere; }
footer p + p { margin-top: 4px; }
@media (max-width: 640px) {
  body { padding: 16px 16px 40px; }
  .plot { margin-right: 52px; }
  .times span:nth-child(even) { display: none; }
  .year { grid-template-columns: repeat(6, 1fr); margin-bottom: 12px; }
  .total { display: flex; grid-column: 1 / -1; gap: 8px; align-items: center; height: 24px; padding: 0; }
  .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(104px, 1fr)); gap: 12px 16px; }
  .figures thead { display: none; }
  .figures tr { display: grid; grid-template-columns: 1fr auto; padding: 8px 0; border-bottom: 1px solid var(--neutral-4); }
  .figures th, .figures td { height: auto; padding: 0; border: 0; }
  .figures .words { grid-column: 1 / -1; width: auto; }
  .wide { display: none; }
  .costs td.bars { min-width: 80px; }
}
@media print {
  body { max-width: none; padding: 0; }
  section { break-inside: avoid; }
}
`
