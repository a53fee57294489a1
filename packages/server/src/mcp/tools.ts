import { Value } from 'typebox/value'
import type { Agent } from '../base/principal.ts'
import { unknownFieldMessage } from '../http/validation-problems.ts'
import { answerLimit, fittingJson, notice, type ToolResult } from './answers.ts'
import { ApiRefusal, ToolRefusal } from './api.ts'
import { docsTools } from './docs-tools.ts'
import { strategyTools } from './strategy-tools.ts'
import type { Tool, ToolContext } from './tool.ts'
import { tradingTools } from './trading-tools.ts'
import { webhookTools } from './webhook-tools.ts'

const tools = new Map(
  [...strategyTools, ...webhookTools, ...tradingTools, ...docsTools].map((tool) => [tool.name, tool]),
)

/** What a call comes to: text for the agent, and whether it is of an error that the agent may mend. */
export type CallOutcome = { text: string; isError: boolean }

/** The tools that an agent is told of, as MCP describes them: what its key cannot use is left out. */
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

/** Without what TypeBox keeps about a schema besides, and without what a refusal tells soon enough. */
function describedInput({ input }: Tool): { type: 'object' } {
  const { additionalProperties: _closed, ...schema } = JSON.parse(JSON.stringify(input))
  return schema
}

/** Whether there is such a tool, for anybody. */
export function isTool(name: string): boolean {
  return tools.has(name)
}

/**
 * Calls a tool.
 * @returns what the agent is told; throws only what nobody foresaw
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
  // A property too many is an error of itself, which says less than that of the object that it is in.
  const first = Value.Errors(tool.input, input).find(({ keyword }) => keyword !== 'boolean')
  if (first === undefined) return undefined
  const place = first.instancePath.slice(1).replaceAll('/', '.').slice(0, 200)
  const { additionalProperties, allowedValues } = first.params as Record<string, string[] | undefined>
  if (additionalProperties !== undefined) {
    const name = additionalProperties[0]!
    const message = unknownFieldMessage(name, Object.keys(tool.input.properties))
    return `The arguments do not fit ${tool.name}: \`${name.slice(0, 200)}\` ${message}`
  }
  const more = allowedValues === undefined ? '' : `: ${allowedValues.join(', ').slice(0, 500)}`
  return `The arguments do not fit ${tool.name}: ${place === '' ? '' : `${place} `}${first.message}${more}.`
}

function shown(tool: Tool, answer: ToolResult): string {
  if ('text' in answer) return answer.text.slice(0, answerLimit)
  return (tool.foreign ? notice : '') + fittingJson(answer.value)
}
