import { Value } from 'typebox/value'
import type { Agent } from '../base/principal.ts'
import { unknownFieldMessage } from '../base/unknown-field.ts'
import { ApiRefusal, ToolRefusal } from './api.ts'
import { backtestTools } from './backtest-tools.ts'
import { checkingTools } from './checking-tools.ts'
import { docsTools } from './docs-tools.ts'
import { marketTools } from './market-tools.ts'
import { fittingJson, notice, resultLimit, type ToolResult } from './results.ts'
import { signalTools } from './signal-tools.ts'
import { strategyTools } from './strategy-tools.ts'
import type { Tool, ToolContext } from './tool.ts'
import { traceTools } from './trace-tools.ts'
import { tradingTools } from './trading-tools.ts'
import { versionTools } from './version-tools.ts'
import { webhookTools } from './webhook-tools.ts'

const tools = new Map(
  [
    ...strategyTools,
    ...versionTools,
    ...checkingTools,
    ...webhookTools,
    ...traceTools,
    ...signalTools,
    ...tradingTools,
    ...backtestTools,
    ...marketTools,
    ...docsTools,
  ].map((tool) => [tool.name, tool]),
)

/** The text for the agent, and whether it is an error that the agent can correct. */
export type CallOutcome = { text: string; isError: boolean }

/** The tools that this agent's key can use, as MCP describes them. */
export function toolsFor({ access, principal }: Agent) {
  return [...tools.values()]
    .filter((tool) => access === 'write' || !tool.writes)
    .filter((tool) => principal.role === 'admin' || !tool.forAdministrators)
    .map((tool) => described.get(tool)!)
}

const described = new Map(
  Array.from(tools.values(), (tool) => [
    tool,
    {
      name: tool.name,
      description: tool.description,
      inputSchema: describedInput(tool),
      annotations: tool.hints,
    },
  ]),
)

/**
 * Without the properties that TypeBox adds, and without what a refused call explains: unknown properties, and the greatest
 * numbers and lengths.
 */
function describedInput({ input }: Tool): { type: 'object' } {
  const explained = new Set(['additionalProperties', 'maximum', 'maxLength'])
  return JSON.parse(JSON.stringify(input, (name, value) => (explained.has(name) ? undefined : value)))
}

/** Whether the tool exists, for any key. */
export function isTool(name: string): boolean {
  return tools.has(name)
}

/**
 * Calls a tool and resolves with the text for the agent. Rejects only with unexpected errors.
 */
export async function callTool(name: string, input: unknown, context: ToolContext): Promise<CallOutcome> {
  const tool = tools.get(name)!
  const problem = problemOf(tool, input, context.agent)
  if (problem !== undefined) return { text: problem, isError: true }
  try {
    return { text: shown(tool, await tool.run(input as never, context)), isError: false }
  } catch (error) {
    if (error instanceof ApiRefusal) return { text: fittingJson(error.body), isError: true }
    if (error instanceof ToolRefusal) return { text: error.message, isError: true }
    throw error
  }
}

function problemOf(tool: Tool, input: unknown, agent: Agent): string | undefined {
  if (tool.writes && agent.access !== 'write') {
    return `This API key may only read, so nothing was done. Its owner can let it write: PUT /api/v2/api/key/${agent.apiKeyId} with {"mcp": "write"}.`
  }
  // An unknown property has an error of its own, which says less than the error of its object.
  const first = Value.Errors(tool.input, input).find(({ keyword }) => keyword !== 'boolean')
  if (first === undefined) return undefined
  const place = first.instancePath.slice(1).replaceAll('/', '.').slice(0, 200)
  const { additionalProperties, allowedValues } = first.params as Record<string, string[] | undefined>
  if (additionalProperties !== undefined) {
    const name = additionalProperties[0]!
    const message = unknownFieldMessage(name, Object.keys(tool.input.properties))
    return `The arguments do not fit ${tool.name}: \`${name.slice(0, 200)}\` ${message}`
  }
  const names = allowedValues === undefined ? '' : `: ${allowedValues.join(', ').slice(0, 500)}`
  return `The arguments do not fit ${tool.name}: ${place === '' ? '' : `${place} `}${first.message}${names}.`
}

function shown(tool: Tool, result: ToolResult): string {
  if ('text' in result) return result.text.slice(0, resultLimit)
  return (tool.foreign ? notice : '') + fittingJson(result.value)
}
