/** The options of the command that say what the market of a backtest is like. */
import { decimal, plain } from '../../base/decimals.ts'
import type { MarketRules } from '../../market/rules.ts'
import type { MarketConditions } from '../../trading/market-conditions.ts'
import { baseOf, quoteOf } from '../../trading/symbols.ts'
import { UsageError } from './usage-error.ts'

const text = { type: 'string' } as const

export const marketOptions = {
  ...{ spread: text, participation: text, latency: text },
  ...{ 'size-step': text, 'min-size': text, 'min-notional': text },
} as const

type Values = { [Name in keyof typeof marketOptions]?: string | undefined }

/** Without an option, any order is possible that the books can count. */
const leastSize = '0.00000001'
const longestLatencyMs = 3_600_000

/** @throws {UsageError} */
export function readRules(symbol: string, values: Values): MarketRules {
  const sizeStep = readAmount('size-step', values) ?? leastSize
  if (decimal(sizeStep).eq('0')) throw new UsageError('--size-step must be above 0.')
  return {
    ...{ symbol, service: symbol.includes(':') ? 'futures' : 'spot' },
    ...{ base: baseOf(symbol)!, quote: quoteOf(symbol)!, sizeStep },
    minSize: readAmount('min-size', values) ?? sizeStep,
    minNotional: readAmount('min-notional', values) ?? '0',
  }
}

/** @throws {UsageError} */
export function readConditions(values: Values): MarketConditions {
  const { latency } = values
  const participation = readAmount('participation', values)
  if (participation !== undefined && !isShare(participation)) {
    throw new UsageError(`--participation must be above 0 and at most 1, got ${participation}.`)
  }
  const latencyMs = latency === undefined || !/^\d{1,7}$/.test(latency) ? Number.NaN : Number(latency)
  if (latency !== undefined && !(latencyMs <= longestLatencyMs)) {
    throw new UsageError(`--latency must be a whole number from 0 to ${longestLatencyMs}, got "${latency}".`)
  }
  return {
    ...(participation !== undefined && { participation }),
    ...(latency !== undefined && { latencyMs }),
  }
}

function isShare(amount: string): boolean {
  return decimal(amount).gt('0') && decimal(amount).lte('1')
}

/** A decimal number that is not negative. */
function readAmount(name: keyof Values, values: Values): string | undefined {
  const given = values[name]
  if (given === undefined) return undefined
  if (/^\d{1,18}(\.\d{1,18})?$/.test(given)) return plain(decimal(given))
  throw new UsageError(
    `--${name} must be a decimal number that is not negative, such as 0.01, got "${given}".`,
  )
}
