import { type ActionName, leastOrderSize, mostOrderSize, orderSizeProblem } from '@tickwright/sandbox'
import { type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { ModelOptions, ToolCall } from './answer.ts'

/** What the owner leaves to the model. */
export type Policy = {
  /** Empty: it may look and remember, and not act. */
  actions: readonly ActionName[]
  /** The largest size that it may ask for, opening in quote currency, closing in base; `null`: it names none. */
  maxSize: number | null
}

/** A call that fits its tool, argument by argument. */
export type CheckedCall =
  | { tool: 'open_position'; direction: 'LONG' | 'SHORT'; size: number | undefined }
  | { tool: 'close_position'; size: number | undefined }
  | { tool: 'get_symbol_price'; exchange: string; service: string; pair: string }
  | { tool: 'get_storage' }
  | { tool: 'set_storage'; value: unknown }

type ToolName = CheckedCall['tool']
type Tool = { description: string; input: TSchema }

/** Most characters of the arguments of one call: storage, with escapes for each of its bytes. */
const inputLimit = 256 * 1024

const closed = { additionalProperties: false }
const nameOf = (description: string, maxLength: number) =>
  Type.String({ pattern: '^[\\w./:-]+$', maxLength, description })

/** The tools under a policy. What the policy excludes is not offered, and is refused when it is called all the same. */
export function toolsOf(policy: Policy): Map<ToolName, Tool> {
  const opening = policy.actions.filter((action) => action !== 'EXIT')
  const tools: [ToolName, Tool | null][] = [
    ['open_position', opening.length === 0 ? null : openTool(opening, policy.maxSize)],
    ['close_position', policy.actions.includes('EXIT') ? closeTool(policy.maxSize) : null],
    ['get_symbol_price', priceTool],
    ['get_storage', { description: 'Read the stored value.', input: Type.Object({}, closed) }],
    ['set_storage', storeTool],
  ]
  return new Map(tools.filter((entry): entry is [ToolName, Tool] => entry[1] !== null))
}

function openTool(directions: readonly string[], maxSize: number | null): Tool {
  const direction = Type.String({ enum: [...directions], description: 'The direction of the position.' })
  return {
    description: 'Open a position. A run allows one action: open_position or close_position.',
    input: Type.Object({ direction, ...sizeOf(maxSize, 'quote') }, closed),
  }
}

function closeTool(maxSize: number | null): Tool {
  return {
    description: 'Close the current position. A run allows one action: open_position or close_position.',
    input: Type.Object(sizeOf(maxSize, 'base'), closed),
  }
}

const priceTool: Tool = {
  description: 'Get the current price of a pair; null if it is unknown.',
  input: Type.Object(
    {
      exchange: nameOf('An exchange, such as binance.', 50),
      service: nameOf('spot or futures.', 50),
      pair: nameOf('A pair, such as btc/usdt.', 100),
    },
    closed,
  ),
}

const storeTool: Tool = {
  description: 'Replace the stored value for later runs; at most 24,576 bytes of JSON.',
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

/** As providers take them. */
export function describeTools(policy: Policy): NonNullable<ModelOptions['tools']> {
  return Array.from(toolsOf(policy), ([name, { description, input }]) => ({
    type: 'function',
    name,
    description,
    // Without what TypeBox keeps about a schema besides.
    inputSchema: JSON.parse(JSON.stringify(input)),
  }))
}

/** The call, or in one sentence what is wrong with it: nothing is guessed, converted or left out. */
export function readCall(call: ToolCall, policy: Policy): CheckedCall | { problem: string } {
  const tool = toolsOf(policy).get(call.name as ToolName)
  if (tool === undefined) return { problem: `There is no tool ${JSON.stringify(call.name.slice(0, 64))}.` }
  if (call.input.length > inputLimit) return { problem: 'The arguments are too long.' }
  let input: unknown
  try {
    // Some write nothing at all where there are no arguments.
    input = call.input.trim() === '' ? {} : JSON.parse(call.input)
  } catch {
    return { problem: 'The arguments are not JSON.' }
  }
  const [first] = Value.Errors(tool.input, input)
  if (first !== undefined) {
    const told =
      first.instancePath === '/size' ? sizeWords(input, policy) : `${first.instancePath} ${first.message}`
    return { problem: `The arguments do not fit ${call.name}: ${told}.` }
  }
  return { ...(input as object), tool: call.name } as CheckedCall
}

/** What is wrong with a size that does not fit, with the bounds and the value. */
function sizeWords(input: unknown, { maxSize }: Policy): string {
  const { size } = input as { size: unknown }
  return `size ${orderSizeProblem(size) ?? `must be at most ${maxSize}, got ${size}`}`
}
