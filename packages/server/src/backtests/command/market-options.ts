/** The options of the command that say what the market of a backtest is like. */
import { decimal } from '../../base/decimals.ts'
import type { MarketRules } from '../../market/rules.ts'
import { tooMuchMaintenance } from '../../trading/isolated-margin.ts'
import { longestLatencyMs, type MarketConditions } from '../../trading/market-conditions.ts'
import { quoteOf } from '../../trading/symbols.ts'
import {
  isShare,
  leastSize,
  mostFundingHours,
  readAmount as readDecimalAmount,
  usualMaintenance,
} from '../market-model.ts'
import { rulesOf } from '../rules.ts'
import { readDecimal } from './funding-file.ts'
import { UsageError } from './usage-error.ts'

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

export const marketOptions = {
  ...{ spread: text, participation: text, latency: text },
  ...{ funding: text, 'funding-assume': text, 'funding-every': text, perpetual: flag },
  ...{ leverage: text, maintenance: text },
  ...{ 'size-step': text, 'min-size': text, 'min-notional': text },
} as const

type Values = { [Name in Exclude<keyof typeof marketOptions, 'perpetual'>]?: string | undefined } & {
  perpetual?: boolean | undefined
}

/**
 * How many times its margin a position is worth; `null` without the option.
 * @throws {UsageError}
 */
export function readLeverage(symbol: string, { leverage }: Values): number | null {
  if (leverage === undefined) return null
  if (!symbol.includes(':')) {
    throw new UsageError(
      `On spot, there is no leverage. Name a future with --symbol, such as ${symbol}:${quoteOf(symbol)}.`,
    )
  }
  if (/^[1-9]\d{0,2}$/.test(leverage) && Number(leverage) <= mostLeverage) return Number(leverage)
  throw new UsageError(`--leverage must be a whole number from 1 to ${mostLeverage}, got "${leverage}".`)
}

/** What is said about the funding of a perpetual; `null`: the market is none, or nobody counts its funding. */
export type FundingOptions = {
  file: string | null
  /** The rate of moments that the file lacks; `null`: they are an error. */
  assumed: string | null
  everyMs: number | null
}

/** Above that of any exchange. */
const mostLeverage = 500

/** @throws {UsageError} */
export function readRules(symbol: string, values: Values): MarketRules {
  const sizeStep = readAmount('size-step', values) ?? leastSize
  if (decimal(sizeStep).eq('0')) throw new UsageError('--size-step must be above 0.')
  return rulesOf(symbol, {
    sizeStep,
    minSize: readAmount('min-size', values) ?? sizeStep,
    minNotional: readAmount('min-notional', values) ?? '0',
  })
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
  const maintenanceRate = readMaintenance(values)
  return {
    ...(maintenanceRate !== undefined && { maintenanceRate }),
    ...(participation !== undefined && { participation }),
    ...(latency !== undefined && { latencyMs }),
  }
}

/** @throws {UsageError} */
export function readFundingOptions(symbol: string, values: Values): FundingOptions | null {
  const { funding, perpetual = false } = values
  const [assume, every] = [values['funding-assume'], values['funding-every']]
  if (funding === undefined && assume === undefined && every === undefined && !perpetual) return null
  if (!symbol.includes(':')) {
    throw new UsageError(
      `Only a perpetual has funding. Name it with --symbol, such as ${symbol}:${quoteOf(symbol)}.`,
    )
  }
  const assumed = assume === undefined ? null : readDecimal(assume)
  if (assume !== undefined && (assumed === null || decimal(assumed).abs().gt('1'))) {
    throw new UsageError(`--funding-assume must be a fraction from -1 to 1, such as 0.0001, got "${assume}".`)
  }
  const hours = every === undefined ? null : /^\d{1,3}$/.test(every) ? Number(every) : 0
  if (hours !== null && (hours < 1 || hours > mostFundingHours)) {
    throw new UsageError(
      `--funding-every must be a whole number of hours from 1 to ${mostFundingHours}, got "${every}".`,
    )
  }
  return { file: funding ?? null, assumed, everyMs: hours === null ? null : hours * 3_600_000 }
}

function readMaintenance(values: Values): string | undefined {
  const { leverage } = values
  const rate = readAmount('maintenance', values)
  if (leverage === undefined) {
    if (rate !== undefined) throw new UsageError('--maintenance needs a --leverage.')
    return undefined
  }
  const kept = rate ?? usualMaintenance
  const limit = tooMuchMaintenance(Number(leverage), kept)
  if (limit === null) return kept
  throw new UsageError(
    `At a leverage of ${leverage}, --maintenance must be below ${limit}, got ${kept}: a position would be liquidated at once.`,
  )
}

/** A decimal number that is not negative. */
function readAmount(name: Exclude<keyof Values, 'perpetual'>, values: Values): string | undefined {
  const given = values[name]
  if (given === undefined) return undefined
  const amount = readDecimalAmount(given)
  if (amount !== null) return amount
  throw new UsageError(
    `--${name} must be a decimal number that is not negative, such as 0.01, got "${given}".`,
  )
}
