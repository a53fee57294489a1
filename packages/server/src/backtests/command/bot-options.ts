/** The options of the command that say how its bots trade, and the file with settings that no option has. */
import { readFileSync } from 'node:fs'
import type { Static } from 'typebox'
import { Value } from 'typebox/value'
import { AppError } from '../../base/errors.ts'
import { unknownFieldMessage } from '../../base/unknown-field.ts'
import { defaultSettings, readSettings } from '../../bots/settings.ts'
import { isContract, quoteOf } from '../../trading/symbols.ts'
import type { BotSettings } from '../../trading/types.ts'
import { BotSettingsBody } from '../jobs/bot-fields.ts'
import { everyCombination } from '../sweep/combinations.ts'
import { readLeverage } from './market-options.ts'
import { UsageError } from './usage-error.ts'

export type BotFile = Omit<Static<typeof BotSettingsBody>, 'id' | 'name'>

type Values = {
  [Name in 'amount' | 'balance' | 'fee' | 'slippage' | 'spread' | 'leverage']?: string | undefined
}

/** Each takes a list, and then every combination is tried. */
const sweptOptions = {
  amount: 'amount',
  fee: 'fee_rate',
  slippage: 'slippage_rate',
  spread: 'spread_rate',
} as const

/**
 * Reads an object as in `bots` of a request. {@link readBots} checks the values of its fields.
 * @throws {UsageError} if it is no such object
 */
export function readBotFile(file: string): BotFile {
  const value = parsed(file)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${file} must be a JSON object, such as { "max_position": "1000" }.`)
  const known = Object.keys(BotSettingsBody.properties).filter((name) => name !== 'id')
  const unknown = Object.keys(value).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`${file}: \`${unknown.slice(0, 64)}\` ${unknownFieldMessage(unknown, known)}`)
  if (!Value.Check(BotSettingsBody, value)) {
    const [first] = Value.Errors(BotSettingsBody, value)
    throw new UsageError(`${file}: ${first!.instancePath.slice(1).replaceAll('/', '.')} ${first!.message}.`)
  }
  const { name: _name, ...settings } = value
  return settings
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const what = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
    throw new UsageError(`${file} ${what}: ${(error as Error).message}`)
  }
}

/** With the leverage of the file as an option, if it means isolated margin, as in the service. */
export function withLeverage<Given extends Values>(symbol: string, values: Given, file: BotFile): Given {
  const { leverage, margin_mode: mode } = file
  if (values.leverage !== undefined || leverage == null || mode === 'cross' || !isContract(symbol))
    return values
  return { ...values, leverage: String(leverage) }
}

/**
 * A new bot for the symbol, once for each combination of the values of its options.
 * @throws {UsageError}
 */
export function readBots(symbol: string, values: Values, file: BotFile): BotSettings[] {
  const { balance } = values
  const leverage = readLeverage(symbol, values)
  const lists = Object.entries(sweptOptions).flatMap(([option, field]) => {
    const given = values[option as keyof Values]
    return given === undefined ? [] : [[field, given.split(',').map((value) => value.trim())] as const]
  })
  return everyCombination(Object.fromEntries(lists)).map((swept) => ({
    ...defaultSettings,
    amountCurrency: quoteOf(symbol)!,
    ...checked({
      ...file,
      ...(balance !== undefined && { start_balance: balance }),
      ...swept,
      ...amountOf(swept.amount),
    }),
    ...(leverage !== null && { leverage, marginMode: 'isolated' as const }),
    // It trades the candles, whichever symbols it has otherwise.
    symbols: [],
  }))
}

/** In percent of the equity, or in the unit of the file. */
function amountOf(given: string | undefined) {
  if (given === undefined) return {}
  if (given.endsWith('%')) return { amount: given.slice(0, -1), amount_unit: 'equity_percent' as const }
  return { amount: given }
}

const optionOf: Record<string, string> = {
  amount: '--amount',
  start_balance: '--balance',
  slippage_rate: '--slippage',
  spread_rate: '--spread',
  fee_rate: '--fee',
}

function checked(body: Parameters<typeof readSettings>[0]): Partial<BotSettings> {
  try {
    return readSettings(body)
  } catch (error) {
    const [problem] = error instanceof AppError ? (error.details ?? []) : []
    if (problem === undefined) throw error
    const field = problem.field?.replace('body.', '') ?? ''
    throw new UsageError(`${optionOf[field] ?? field} ${problem.message}.`)
  }
}
