import { Type } from 'typebox'
import { orNull, wholeNumber } from './fields.ts'
import type { ListedLlm, LlmWish } from './strategy.ts'

const Action = Type.Union([Type.Literal('LONG'), Type.Literal('SHORT'), Type.Literal('EXIT')])

/** What reactions that ask a model have, besides their prompt. */
export const llmFields = {
  connection_id: orNull(
    Type.Integer({ ...wholeNumber, description: 'The AI connection that is asked; one of yours.' }),
  ),
  actions: Type.Array(Action, {
    maxItems: 3,
    uniqueItems: true,
    description: 'What the model may do; all by default. Without `send_signal` it may do nothing.',
  }),
  max_size: orNull(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1e15,
      description: 'The largest size that the model may name; null: it names none.',
    }),
  ),
  tokens_per_day: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'Of prompts and answers together, on a day in UTC. Default 500,000.',
  }),
  actions_per_day: Type.Integer({
    minimum: 0,
    maximum: 100_000,
    description: 'On a day in UTC. Default 100.',
  }),
}

type Body = {
  prompt?: string
  connection_id?: number | null
  actions?: ('LONG' | 'SHORT' | 'EXIT')[]
  max_size?: number | null
  tokens_per_day?: number
  actions_per_day?: number
}

export function readLlmFields(body: Body): LlmWish {
  const { prompt, connection_id: connectionId, actions, max_size: maxSize } = body
  const { tokens_per_day: tokensPerDay, actions_per_day: actionsPerDay } = body
  return {
    ...(prompt === undefined ? {} : { prompt }),
    ...(connectionId === undefined ? {} : { connectionId }),
    ...(actions === undefined ? {} : { actions }),
    ...(maxSize === undefined ? {} : { maxSize }),
    ...(tokensPerDay === undefined ? {} : { tokensPerDay }),
    ...(actionsPerDay === undefined ? {} : { actionsPerDay }),
  }
}

export function presentLlm({ connectionId, actions, maxSize, tokensPerDay, actionsPerDay }: ListedLlm) {
  return {
    connection_id: connectionId,
    actions,
    max_size: maxSize,
    tokens_per_day: tokensPerDay,
    actions_per_day: actionsPerDay,
  }
}
