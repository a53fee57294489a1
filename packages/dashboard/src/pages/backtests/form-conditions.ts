/** What the code of a new backtest begins with, and what its market is like, as the form has them. */
import type { NewBacktest } from './backtests.ts'

type Read = (name: string) => string

export const marketTexts = ['participation', 'size_step', 'min_size', 'min_notional', 'maintenance'] as const

/** A field that is left empty is as the service has it. */
export function readMarket(text: Read): Pick<NewBacktest, 'market'> {
  const latency = text('latency_ms')
  const figures = {
    ...filled(marketTexts, text),
    ...(latency !== '' && { latency_ms: Number(latency) }),
  }
  const funding = text('has_funding') === 'yes' ? { funding: fundingOf(text) } : {}
  const market = { ...figures, ...funding }
  return Object.keys(market).length === 0 ? {} : { market }
}

function fundingOf(text: Read) {
  const [series, every] = [text('funding_id'), text('every_hours')]
  return {
    ...(series !== '' && { candle_id: Number(series) }),
    ...(text('assume') !== '' && { assume: text('assume') }),
    ...(every !== '' && { every_hours: Number(every) }),
  }
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
