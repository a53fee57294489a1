import { leastOrderSize, mostOrderSize } from '@tickwright/sandbox'
import { Type } from 'typebox'
import { promptByteLimit } from '../ai/template.ts'
import { modelTools, usualTools } from '../ai/tools.ts'
import { given } from '../base/given.ts'
import type { ModelTool } from '../db/schema.ts'
import { orNull, wholeNumber } from './fields.ts'
import type { ListedLlm, LlmSettings } from './strategy.ts'

/** `checkPrompt` then limits the bytes. */
export const Prompt = (description: string) => Type.String({ maxLength: promptByteLimit, description })

/** Those that a model has only if its owner says so. */
const optionalTools = modelTools.filter((tool) => !usualTools.includes(tool))

const Action = Type.Union([Type.Literal('LONG'), Type.Literal('SHORT'), Type.Literal('EXIT')])

/** The settings of AI reactions, except the prompt. */
export const llmFields = {
  connection_id: orNull(
    Type.Integer({
      ...wholeNumber,
      description: 'The AI connection that the reaction asks. It must be yours.',
    }),
  ),
  actions: Type.Array(Action, {
    maxItems: 3,
    uniqueItems: true,
    description: 'The actions that the model may take. Default: all. Without `send_signal` it may take none.',
  }),
  max_size: orNull(
    Type.Number({
      minimum: leastOrderSize,
      maximum: mostOrderSize,
      description: 'The largest size that the model may choose. null: it cannot choose a size.',
    }),
  ),
  tools: Type.Array(Type.Enum([...modelTools]), {
    maxItems: modelTools.length,
    uniqueItems: true,
    description: `The tools that the model has besides its actions. Default: all except ${optionalTools.join(', ')}.`,
  }),
  tokens_per_day: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'The most tokens, of prompts and answers together, per day (UTC). Default 500,000.',
  }),
  actions_per_day: Type.Integer({
    minimum: 0,
    maximum: 100_000,
    description: 'The most actions per day (UTC). Default 100.',
  }),
  needs_approval: Type.Boolean({
    description: 'Whether actions wait for your approval. Default false.',
  }),
  approval_minutes: Type.Integer({
    minimum: 1,
    maximum: 1_440,
    description: 'How many minutes an action waits for approval. Default 15.',
  }),
}

type Body = {
  prompt?: string
  connection_id?: number | null
  actions?: ('LONG' | 'SHORT' | 'EXIT')[]
  max_size?: number | null
  tools?: ModelTool[]
  tokens_per_day?: number
  actions_per_day?: number
  needs_approval?: boolean
  approval_minutes?: number
}

export function readLlmFields(body: Body): LlmSettings {
  const { prompt, connection_id: connectionId, actions, max_size: maxSize, tools } = body
  const { tokens_per_day: tokensPerDay, actions_per_day: actionsPerDay } = body
  const { needs_approval: needsApproval, approval_minutes: approvalMinutes } = body
  return given({
    prompt,
    connectionId,
    actions,
    maxSize,
    tools,
    tokensPerDay,
    actionsPerDay,
    needsApproval,
    approvalMinutes,
  })
}

export function presentLlm(llm: ListedLlm) {
  return {
    connection_id: llm.connectionId,
    actions: llm.actions,
    max_size: llm.maxSize,
    tools: llm.tools,
    tokens_per_day: llm.tokensPerDay,
    actions_per_day: llm.actionsPerDay,
    needs_approval: llm.needsApproval,
    approval_minutes: llm.approvalMinutes,
  }
}
