/** What the code of a new backtest begins with, and what its market is like, as the form has them. */
import type { Given, NewBacktest } from './backtests.ts'

type Read = (name: string) => string

export const marketTexts = ['participation', 'size_step', 'min_size', 'min_notional', 'maintenance'] as const

/**
 * A field that is left empty is as the service has it.
 * @returns `problem`: what is wrong with the rates of its funding
 */
export function readMarket(text: Read): { given: Pick<NewBacktest, 'market'>; problem: string | null } {
  const latency = text('latency_ms')
  const figures = {
    ...filled(marketTexts, text),
    ...(latency !== '' && { latency_ms: Number(latency) }),
  }
  const { funding, problem } = text('has_funding') === 'yes' ? fundingOf(text) : { problem: null }
  const market = { ...figures, ...(funding !== undefined && { funding }) }
  return { problem, given: Object.keys(market).length === 0 ? {} : { market } }
}

/** The choice of rates that are written into the form, instead of a stored series. */
export const ownRates = 'own'

function fundingOf(text: Read) {
  const [series, every] = [text('funding_id'), text('every_hours')]
  const { rates, problem } = series === ownRates ? ratesOf(text('funding_rates')) : { problem: null }
  const funding = {
    ...(series !== '' && series !== ownRates && { candle_id: Number(series) }),
    ...(rates !== undefined && { rates }),
    ...(text('assume') !== '' && { assume: text('assume') }),
    ...(every !== '' && { every_hours: Number(every) }),
  }
  return { funding, problem }
}

/** A line for each rate, as in a CSV file, whose header may come with them. */
function ratesOf(text: string): { rates?: string[][]; problem: string | null } {
  const lines = text.split('\n')
  const rates: string[][] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || (index === 0 && /^time\b/i.test(line))) continue
    const cells = line.split(',').map((cell) => cell.trim())
    if (cells.length < 2 || cells.length > 3)
      return { problem: `Line ${index + 1} must be a time, a rate and, if you know it, a price.` }
    rates.push(cells.at(-1) === '' ? cells.slice(0, 2) : cells)
  }
  return rates.length === 0 ? { problem: 'Write at least one rate.' } : { rates, problem: null }
}

/** As {@link readMarket} reads them. */
export function textOfRates(rates: Given['funding_rates']): string {
  return (rates ?? []).map((row) => row.join(', ')).join('\n')
}

/** @returns `problem`: what is wrong with the storage */
export function readStart(text: Read): {
  start: Pick<NewBacktest, 'storage' | 'last_trigger' | 'http'>
  problem: string | null
} {
  const { storage, problem } = storageOf(text)
  return {
    problem,
    start: {
      ...(storage !== undefined && { storage }),
      ...lastTriggerOf(text),
      ...(text('http') === 'read' && { http: 'read' as const }),
    },
  }
}

function storageOf(text: Read): { storage?: NewBacktest['storage']; problem: string | null } {
  const kind = text('storage')
  if (kind === 'saved') return { storage: kind, problem: null }
  if (kind !== 'given') return { problem: null }
  try {
    const storage = JSON.parse(text('storage_json'))
    if (typeof storage === 'object' && storage !== null && !Array.isArray(storage))
      return { storage, problem: null }
  } catch {}
  return { problem: 'Must be a JSON object, such as {"count": 1}.' }
}

function lastTriggerOf(text: Read): Pick<NewBacktest, 'last_trigger'> {
  const kind = text('last_trigger')
  if (kind === 'saved') return { last_trigger: kind }
  if (kind !== 'LONG' && kind !== 'SHORT' && kind !== 'EXIT') return {}
  const [price, at] = [text('last_price'), text('last_at')]
  return {
    last_trigger: {
      action: kind,
      ...(price !== '' && { price: Number(price) }),
      ...(at !== '' && { at }),
    },
  }
}

/** Those of the texts that are not empty, by their names. */
export function filled<Name extends string>(names: readonly Name[], text: Read): { [Key in Name]?: string } {
  return Object.fromEntries(names.map((name) => [name, text(name)]).filter(([, value]) => value !== '')) as {
    [Key in Name]?: string
  }
}
