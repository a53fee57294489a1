import { parseArgs } from 'node:util'
import { highestSeed } from '@tickwright/sandbox'
import type { MarketRules } from '../../market/rules.ts'
import type { MarketConditions } from '../../trading/market-conditions.ts'
import type { BotSettings } from '../../trading/types.ts'
import { endingDrawdowns, objectives } from '../sweep/plan.ts'
import type { WalkPlan } from '../sweep/walk-forward.ts'
import type { AtEnd } from '../trade.ts'
import { readBotFile, readBots, withLeverage } from './bot-options.ts'
import {
  type FundingOptions,
  marketOptions,
  readConditions,
  readFundingOptions,
  readRules,
} from './market-options.ts'
import { readParameters, type SweptParameters } from './parameters.ts'
import { UsageError } from './usage-error.ts'
import { readWalk, walkOptions } from './walk-options.ts'

export const usage = `Usage: npm run backtest -- CODE.js CANDLES.csv [options]

  CODE.js                the code of a strategy, as you would save it
  CANDLES.csv            candles of the past, oldest first (header: time,open,high,low,close[,volume])

  --symbol SYMBOL        the market of the candles: BTC/USDT (the default) for spot, BTC/USDT:USDT for futures
  --from, --to TIME      trade only in this time, such as 2026-01-31 or 2026-01-31T12:00:00Z
  --warmup-from TIME     let the code run from this time on, but follow its signals only after --from
  --parameter NAME=VALUE a variable, which the code reads as $.Env.NAME. NAME=5,10,20 or NAME=5..50/5 runs each value
  --random NUMBER        tries so many of the combinations, which the seed chooses, instead of all
  --sets FILE            tries the sets of parameters of a JSON list: [{ "FAST": 5, "SLOW": 20 }]
  --walk-forward D:D     chooses the best parameters of so many days, and trades them on the next so many days: 90:30
  --anchored             each training of --walk-forward begins with the first candle
  --objective FIGURE     the figure by which a combination is the best, such as sharpe; default return_percent
  --end-at-drawdown PERCENT
                         a combination ends early when its equity is so far below its highest: 40
  --seed NUMBER          the seed of Math.random in the first run; default 1

  --bot FILE             settings of the bot, as a JSON object, as in "bots" of a request of the API. Options replace them
  --amount AMOUNT        how much an opening is for, in quote currency, or in percent of the equity: 500, 25%; default 100
  --balance AMOUNT       the balance at the start; default 10000
  --fee RATE             the fee of each fill, as a fraction of its value; default 0.001. 0,0.001 tries each rate,
                         and --amount, --slippage and --spread take lists, too
  --slippage RATE        the slippage of each market order, as a fraction of the price; default 0.0005
  --spread RATE          the distance between bid and ask, as a fraction of the price; a market order pays half; default 0
  --participation PART   how much of the volume of a candle the bot may trade, as a fraction; default: any amount
  --latency MS           how many milliseconds pass from a signal to its fill; default 0
  --leverage NUMBER      of futures: isolated margin, whose loss liquidates the position; default: no liquidation
  --maintenance RATE     the part of its value at which a position is liquidated; default 0.005
  --funding FILE         rates of a perpetual: CSV (header: time,rate[,price]) or a JSON list of { time, rate, price }
  --funding-assume RATE  the rate of moments that the file lacks, or of all: 0.0001
  --funding-every HOURS  the hours between two moments; default: as in the file, or else 8
  --perpetual            the market is a perpetual: a position that is held at a moment without a rate is an error
  --size-step, --min-size SIZE, --min-notional AMOUNT
                         the rules of the market for orders: sizes in base currency, the amount in quote currency
  --at-end hold|close    what happens to an open position at the end: it keeps its value, or it is closed; default hold
  --answers FILE         answers for requests of $.Http: a JSON list of { method, url, body, status, text }
  --storage FILE         what $.Storage has at the start: any JSON; default: nothing
  --last-trigger FILE    what $.Strategy.lastTrigger is at the start: { "action": "LONG", "price": 100, "at": "2026-01-01" }
  --report FILE          writes a page for people to a file: HTML that needs nothing else. The code runs again on other data,
                         to see whether it looks ahead, and whether it needs a longer warm-up
  --csv FOLDER           writes the trades, fills, equity and signals to CSV files
  --json FILE            writes everything to a file, as JSON

No service is needed, and nothing is sent. docs/backtests.md says what code finds in a backtest.`

export type BacktestOptions = {
  codeFile: string
  candleFile: string
  symbol: string
  /** Unix ms; `null`: the first candle, the last one. */
  fromMs: number | null
  toMs: number | null
  warmUpFromMs: number | null
  /** The variables of each backtest. One without variables if none are given. */
  parameters: SweptParameters
  /** Has the variables instead. */
  setsFile: string | null
  walk: WalkPlan | null
  objective: Objective
  /** A combination ends early at this fall of its equity, in percent; `null`: none does. */
  endAtDrawdown: number | null
  seed: number
  /** The bots that follow each of them. */
  settings: BotSettings[]
  rules: MarketRules
  conditions: MarketConditions
  funding: FundingOptions | null
  atEnd: AtEnd
  answersFile: string | null
  storageFile: string | null
  lastTriggerFile: string | null
  reportFile: string | null
  csvFolder: string | null
  jsonFile: string | null
}

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true } as const
const options = {
  ...{ symbol: text, from: text, to: text, 'warmup-from': text, parameter: texts, seed: text },
  ...{ random: text, sets: text, ...walkOptions, objective: text, 'end-at-drawdown': text },
  ...{
    bot: text,
    amount: text,
    balance: text,
    fee: text,
    slippage: text,
    'at-end': text,
    answers: text,
    storage: text,
    'last-trigger': text,
  },
  ...{ report: text, csv: text, json: text, ...marketOptions },
} as const

/** @throws {UsageError} */
export function readOptions(args: readonly string[]): BacktestOptions {
  const { positionals, values: given } = parse(args)
  const [codeFile, candleFile, ...others] = positionals
  if (codeFile === undefined || candleFile === undefined || others.length > 0) throw new UsageError(usage)
  const symbol = readSymbol(given.symbol ?? 'BTC/USDT')
  const file = given.bot === undefined ? {} : readBotFile(given.bot)
  const values = withLeverage(symbol, given, file)
  const seed = readSeed(values.seed ?? '1')
  return {
    ...{ codeFile, candleFile, symbol },
    ...readTimes(values),
    parameters: readParameters(values.parameter ?? [], values.random, seed),
    setsFile: readSetsFile(values),
    walk: readWalk(values),
    ...readChoice(values),
    seed,
    settings: readBots(symbol, values, file),
    rules: readRules(symbol, values),
    conditions: readConditions(values),
    funding: readFundingOptions(symbol, values),
    atEnd: readAtEnd(values['at-end'] ?? 'hold'),
    answersFile: values.answers ?? null,
    storageFile: values.storage ?? null,
    lastTriggerFile: values['last-trigger'] ?? null,
    reportFile: values.report ?? null,
    csvFolder: values.csv ?? null,
    jsonFile: values.json ?? null,
  }
}

type Values = ReturnType<typeof parse>['values']

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage}`)
  }
}

function readSymbol(symbol: string): string {
  if (/^[A-Z\d]{1,12}\/[A-Z\d]{1,12}(:[A-Z\d]{1,12})?$/.test(symbol)) return symbol
  throw new UsageError(`--symbol must be like BTC/USDT, or BTC/USDT:USDT for futures, got "${symbol}".`)
}

function readTimes({ from, to, 'warmup-from': warmUpFrom }: Values) {
  const fromMs = readTime('--from', from)
  const toMs = readTime('--to', to)
  const warmUpFromMs = readTime('--warmup-from', warmUpFrom)
  if (fromMs !== null && toMs !== null && toMs <= fromMs) {
    throw new UsageError(`--to must be later than --from, got ${to} and ${from}.`)
  }
  if (warmUpFromMs !== null && (fromMs === null || warmUpFromMs > fromMs)) {
    throw new UsageError('--warmup-from needs a --from, and must not be later.')
  }
  return { fromMs, toMs, warmUpFromMs }
}

function readTime(name: string, given: string | undefined): number | null {
  if (given === undefined) return null
  const isDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(given)
  const ms = isDate ? Date.parse(given) : /^\d{12,13}$/.test(given) ? Number(given) : Number.NaN
  if (!Number.isNaN(ms)) return ms
  throw new UsageError(
    `${name} must be a day such as 2026-01-31, a time such as 2026-01-31T12:00:00Z, or Unix milliseconds, got "${given}".`,
  )
}

function readSetsFile({ sets, parameter, random }: Values): string | null {
  if (sets === undefined) return null
  if (parameter === undefined && random === undefined) return sets
  throw new UsageError('--sets names all parameters, so it goes without --parameter and --random.')
}

function readSeed(given: string): number {
  const seed = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
  if (seed <= highestSeed) return seed
  throw new UsageError(`--seed must be a whole number from 0 to ${highestSeed}, got "${given}".`)
}

function readAtEnd(given: string): AtEnd {
  if (given === 'hold' || given === 'close') return given
  throw new UsageError(`--at-end must be hold or close, got "${given}".`)
}

type Objective = (typeof objectives)[number]

function readChoice(values: Values): Pick<BacktestOptions, 'objective' | 'endAtDrawdown'> {
  const { objective: named = 'return_percent', 'end-at-drawdown': given } = values
  const objective = objectives.find((each) => each === named)
  if (objective === undefined)
    throw new UsageError(`--objective must be one of ${objectives.join(', ')}, got "${named}".`)
  const isWalk = values['walk-forward'] !== undefined
  if (isWalk && objective !== 'return_percent')
    throw new UsageError('--walk-forward chooses by return_percent, so it goes without another --objective.')
  if (given === undefined) return { objective, endAtDrawdown: null }
  if (isWalk) throw new UsageError('--walk-forward trades all candles, so it goes without --end-at-drawdown.')
  const percent = /^\d{1,2}(\.\d{1,4})?$/.test(given) ? Number(given) : Number.NaN
  const { least, most } = endingDrawdowns
  if (percent >= least && percent <= most) return { objective, endAtDrawdown: percent }
  throw new UsageError(
    `--end-at-drawdown must be a percentage from ${least} to ${most}, such as 40, got "${given}".`,
  )
}
