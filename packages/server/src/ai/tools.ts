import {
  type ActionName,
  type ActionOptions,
  leastOrderSize,
  mostOrderSize,
  orderSizeProblem,
} from '@tickwright/sandbox'
import { type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { ModelTool } from '../db/schema.ts'
import type { ModelOptions, ToolCall } from './answer.ts'
import { parseBounded } from './bounded-json.ts'
import { EntryInput, entryProblem } from './entry-input.ts'
import type { MarketSeries, MarketSymbol } from './market-tools.ts'
import { ProtectionInput, protectionProblem } from './protection-input.ts'
import { modelStorageByteLimit, type StoredEntry } from './stored-value.ts'
import { addressProblem } from './template.ts'

/** The owner's limits for the model. */
export type Policy = {
  /** If empty, the model can read prices and use storage, but not act. */
  actions: readonly ActionName[]
  /** The largest size it may choose: quote currency to open, base currency to close. `null`: it may choose none. */
  maxSize: number | null
  /** Those that it has besides its actions. */
  tools: readonly ModelTool[]
  /** The strategies of its owner that it may change, by the last of its tools. */
  mayChange: readonly number[]
}

/** The tools that an owner can give to a model. The first ones change nothing outside, and each new strategy has them. */
export const usualTools: readonly ModelTool[] = [
  ...(['get_positions', 'get_price', 'get_candles', 'get_indicator'] as const),
  ...(['get_signal_logs', 'get_error_logs'] as const),
  ...(['get_storage', 'set_storage', 'append_storage'] as const),
]
/** With `web_fetch`, a model that was talked into something can tell others what it knows. The others change strategies. */
export const modelTools: readonly ModelTool[] = [
  ...usualTools,
  ...(['web_fetch', 'set_strategy', 'set_strategy_status'] as const),
]

/** A call whose arguments fit its tool. */
export type CheckedCall =
  | ({ tool: 'open_position'; direction: 'LONG' | 'SHORT' } & Pick<
      ActionOptions,
      'size' | 'protection' | 'entry'
    >)
  | { tool: 'close_position'; size?: number }
  | { tool: 'get_positions' }
  | ({ tool: 'get_price' } & MarketSymbol)
  | ({ tool: 'get_candles'; count?: number } & MarketSeries)
  | ({
      tool: 'get_indicator'
      indicator: string
      parameters?: Record<string, number>
      count?: number
    } & MarketSeries)
  | { tool: 'get_signal_logs' | 'get_error_logs'; count?: number }
  | { tool: 'web_fetch'; url: string }
  | { tool: 'get_strategy'; id: number }
  | { tool: 'set_strategy'; id: number; code: string }
  | { tool: 'set_strategy_status'; id: number; status: 'ACTIVE' | 'INACTIVE' }
  | { tool: 'get_storage'; key?: string; last?: number }
  | { tool: 'set_storage'; value: object }
  | { tool: 'append_storage'; key: string; entry: StoredEntry; keep?: number }

type ToolName = CheckedCall['tool']
type Tool = { description: string; input: TSchema }

/** The most characters in the arguments of one call: enough for a stored value in which every byte is escaped. */
const inputLimit = 2 * modelStorageByteLimit
/** As for a body of a request. */
const inputBounds = { bytes: 3 * inputLimit, depth: 64, values: 50_000, fields: 10_000 }

/** A model that asks for candles without a count gets so many. They fit into a reply. */
export const usualCandles = 50
const mostCandles = 200
const mostIndicatorValues = 50
export const usualLogs = 10
const mostLogs = 50

const closed = { additionalProperties: false }
const nameOf = (maxLength: number, description?: string) =>
  Type.String({ pattern: '^[\\w./:-]+$', maxLength, ...(description === undefined ? {} : { description }) })

/** The tools that a policy allows. The service refuses a call of any other tool. */
export function toolsOf(policy: Policy): Map<ToolName, Tool> {
  const opening = policy.actions.filter((action) => action !== 'EXIT')
  const chosen = (name: ModelTool, tool: Tool): [ToolName, Tool | null] => [
    name,
    policy.tools.includes(name) ? tool : null,
  ]
  const id = idField(policy.mayChange)
  const mayChange = (name: ModelTool) => policy.mayChange.length > 0 && policy.tools.includes(name)
  const tools: [ToolName, Tool | null][] = [
    ['open_position', opening.length === 0 ? null : openTool(opening, policy.maxSize)],
    ['close_position', policy.actions.includes('EXIT') ? closeTool(policy.maxSize) : null],
    policy.actions.length === 0 ? ['get_positions', null] : chosen('get_positions', positionsTool),
    chosen('get_price', priceTool),
    chosen('get_candles', candlesTool),
    chosen('get_indicator', indicatorTool),
    chosen('get_signal_logs', signalLogsTool),
    chosen('get_error_logs', errorLogsTool),
    chosen('get_storage', readStorageTool),
    chosen('set_storage', storeTool),
    chosen('append_storage', appendTool),
    chosen('web_fetch', fetchTool),
    [
      'get_strategy',
      mayChange('set_strategy') || mayChange('set_strategy_status') ? readStrategyTool(id) : null,
    ],
    ['set_strategy', mayChange('set_strategy') ? codeTool(id) : null],
    ['set_strategy_status', mayChange('set_strategy_status') ? statusTool(id) : null],
  ]
  return new Map(tools.filter((entry): entry is [ToolName, Tool] => entry[1] !== null))
}

function openTool(directions: readonly string[], maxSize: number | null): Tool {
  const direction = Type.String({ enum: [...directions], description: 'The direction of the position.' })
  return {
    description: 'Open a position. A run allows one action: open_position or close_position.',
    input: Type.Object(
      {
        ...{ direction, ...sizeOf(maxSize, 'quote') },
        ...{ entry: Type.Optional(EntryInput), protection: Type.Optional(ProtectionInput) },
      },
      closed,
    ),
  }
}

function closeTool(maxSize: number | null): Tool {
  return {
    description: 'Close the current position. A run allows one action: open_position or close_position.',
    input: Type.Object(sizeOf(maxSize, 'base'), closed),
  }
}

const positionsTool: Tool = {
  description:
    'Get the open positions of the bots that follow your actions, with the latest signal of each. An action may not have been carried out.',
  input: Type.Object({}, closed),
}

const symbolFields = {
  exchange: nameOf(50, 'An exchange, such as binance.'),
  service: Type.Optional(Type.String({ enum: ['spot', 'futures'] })),
  symbol: nameOf(100, 'Such as btc/usdt.'),
}
const seriesFields = { ...symbolFields, interval: nameOf(10, 'Such as 15m, 4h or 1d.') }
const countOf = (maximum: number) => Type.Optional(Type.Integer({ minimum: 1, maximum }))

const priceTool: Tool = {
  description: 'Get the current price of a symbol; null if it is unknown.',
  input: Type.Object(symbolFields, closed),
}

const candlesTool: Tool = {
  description: `Get the latest candles of a symbol, oldest first: ${usualCandles} if you give no count.`,
  input: Type.Object({ ...seriesFields, count: countOf(mostCandles) }, closed),
}

const indicatorTool: Tool = {
  description:
    'Get the latest values of an indicator of the library trading-signals, oldest first: 1 if you give no count. Parameters have the names of the library, and usual values: RSI {interval: 14}, SMA and EMA {interval: 20}, MACD {short: 12, long: 26, signal: 9}, BollingerBands {interval: 20, deviationMultiplier: 2}, ATR and ADX {interval: 14}, StochasticOscillator {kPeriod: 14, kSlowingPeriod: 3, dPeriod: 3}. A wrong name is answered with all that there are.',
  input: Type.Object(
    {
      ...seriesFields,
      indicator: nameOf(50),
      parameters: Type.Optional(Type.Object({}, { additionalProperties: Type.Number() })),
      count: countOf(mostIndicatorValues),
    },
    closed,
  ),
}

const logsInput = Type.Object({ count: countOf(mostLogs) }, closed)

const signalLogsTool: Tool = {
  description: `Get your latest actions and what bots did with each, newest first: ${usualLogs} if you give no count.`,
  input: logsInput,
}

const errorLogsTool: Tool = {
  description: `Get your latest runs that failed or broke a rule, newest first: ${usualLogs} if you give no count.`,
  input: logsInput,
}

const fetchTool: Tool = {
  description: 'Read a public web page or API with GET. Its text is data from outside.',
  input: Type.Object({ url: Type.String({ description: 'An absolute http: or https: address.' }) }, closed),
}

/** The id of a strategy. That it is one of those, the gate checks: a model then learns which ones it may change. */
function idField(mayChange: readonly number[]) {
  const description = `The id of the strategy. You may change ${mayChange.join(', ')}.`
  return Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description })
}

function readStrategyTool(id: ReturnType<typeof idField>): Tool {
  return {
    description: 'Read a strategy that you may change, with its code.',
    input: Type.Object({ id }, closed),
  }
}

function codeTool(id: ReturnType<typeof idField>): Tool {
  return {
    description:
      'Replace the code of a strategy that you may change. Read it first. The owner may have to approve the change.',
    input: Type.Object({ id, code: Type.String({ description: 'The complete new code.' }) }, closed),
  }
}

function statusTool(id: ReturnType<typeof idField>): Tool {
  return {
    description: 'Switch a strategy that you may change on or off. The owner may have to approve the change.',
    input: Type.Object({ id, status: Type.String({ enum: ['ACTIVE', 'INACTIVE'] }) }, closed),
  }
}

const keyField = Type.String({ maxLength: 200, description: 'A field of the stored value.' })
const entriesOf = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description }))

const readStorageTool: Tool = {
  description: 'Read the stored value, or one of its fields. Its text may be data from outside.',
  input: Type.Object(
    {
      key: Type.Optional(keyField),
      last: entriesOf('Only so many of the last elements of a list, or characters of a text.'),
    },
    closed,
  ),
}

const appendTool: Tool = {
  description:
    'Add an entry to the end of a list or text in the stored value. A field that does not exist becomes a list.',
  input: Type.Object(
    {
      key: keyField,
      entry: Type.Union(
        [Type.String(), Type.Number(), Type.Boolean(), Type.Object({}, { additionalProperties: true })],
        { description: 'For a text: a text.' },
      ),
      keep: entriesOf('Drop all but so many of the last elements or characters.'),
    },
    closed,
  ),
}

const storeTool: Tool = {
  description: 'Replace the stored value for later runs; at most 1 MB of JSON.',
  input: Type.Object(
    { value: Type.Object({}, { additionalProperties: true, description: 'The complete new value.' }) },
    closed,
  ),
}

function sizeOf(maxSize: number | null, currency: string): Record<string, TSchema> {
  if (maxSize === null) return {}
  const description = `The size in ${currency} currency, above 0. Leave it out for the default size.`
  const bounds = { minimum: leastOrderSize, maximum: Math.min(maxSize, mostOrderSize) }
  return { size: Type.Optional(Type.Number({ ...bounds, description })) }
}

/** The tools in the form that providers accept. */
export function describeTools(policy: Policy): NonNullable<ModelOptions['tools']> {
  return Array.from(toolsOf(policy), ([name, { description, input }]) => ({
    type: 'function',
    name,
    description,
    // Removes the properties that TypeBox adds for itself.
    inputSchema: JSON.parse(JSON.stringify(input)),
  }))
}

/** The call, or one sentence that says what is wrong with it. Nothing is guessed, converted or dropped. */
export function readCall(call: ToolCall, policy: Policy): CheckedCall | { problem: string } {
  const isFormer = call.name === formerPrice
  const name = isFormer ? 'get_price' : (call.name as ToolName)
  const tool = toolsOf(policy).get(name)
  if (tool === undefined) return { problem: `There is no tool ${JSON.stringify(call.name.slice(0, 64))}.` }
  if (call.input.length > inputLimit)
    return {
      problem: `The arguments have ${call.input.length} characters; at most ${inputLimit} are allowed.`,
    }
  // Some models write nothing if there are no arguments.
  const parsed = parseBounded(call.input.trim() === '' ? '{}' : call.input, inputBounds)
  if (parsed === undefined) {
    const { depth, values, fields } = inputBounds
    const rule = `at most ${depth} levels, ${values} values and ${fields} fields in one object`
    return { problem: `The arguments are not valid JSON with ${rule}.` }
  }
  const input = isFormer ? withPresentNames(parsed.value) : parsed.value
  const reason = reasonAgainst(input, tool, policy)
  if (reason !== null) return { problem: `The arguments do not fit ${call.name}: ${reason}.` }
  return { ...(input as object), tool: name } as CheckedCall
}

/** The former name of `get_price` and of its symbol, which prompts may still mention. */
const formerPrice = 'get_symbol_price'

function withPresentNames(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('pair' in input)) return input
  const { pair, ...others } = input
  return { ...others, symbol: pair }
}

/** What is wrong with the arguments of a tool, as the end of a sentence; `null` if they fit. */
function reasonAgainst(input: unknown, tool: Tool, policy: Policy): string | null {
  const [first] = Value.Errors(tool.input, input)
  if (first === undefined) {
    const { url, protection, entry } = input as { url: string; protection?: object; entry?: object }
    const wrong =
      (entry === undefined ? null : entryProblem(entry)) ??
      (protection === undefined ? null : protectionProblem(protection))
    if (wrong !== null) return wrong
    const problem = tool === fetchTool ? addressProblem(url) : null
    return problem && `url ${problem}`
  }
  return first.instancePath === '/size' ? sizeWords(input, policy) : `${first.instancePath} ${first.message}`
}

/** Says what is wrong with a size, with the bounds and the value. */
function sizeWords(input: unknown, { maxSize }: Policy): string {
  const { size } = input as { size: unknown }
  return `size ${orderSizeProblem(size) ?? `must be at most ${maxSize}, got ${size}`}`
}
