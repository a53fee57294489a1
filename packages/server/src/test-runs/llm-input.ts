/** What tests and previews of AI strategies take alike. */

import { type Static, type TProperties, Type } from 'typebox'
import { modelStorageByteLimit } from '../ai/stored-value.ts'
import { usualTools } from '../ai/tools.ts'
import type { LlmType } from '../db/schema.ts'
import { chartFields, llmFields, Prompt, readChartFields } from '../strategies/llm-fields.ts'
import { payloadFields, readTestInput, stateFields, type TestInput } from './test-input.ts'

/** The fields for a saved strategy. */
const savedFields = {
  ...stateFields,
  prompt: Type.Optional(Prompt('A prompt to use instead of the saved prompt.')),
}

/** The fields for settings that are not saved. */
export const unsavedFields = {
  ...stateFields,
  prompt: Prompt('The instructions to the model, with placeholders; at most 1 MB.'),
  actions: Type.Optional(llmFields.actions),
  max_size: Type.Optional(llmFields.max_size),
  tools: Type.Optional(llmFields.tools),
  may_change: Type.Optional(llmFields.may_change),
  send_signal: Type.Optional(Type.Boolean({ description: 'Default true.' })),
  ...chartFields,
}
const Unsaved = Type.Object(unsavedFields)

/**
 * The bodies of each kind. Nothing triggers a session with a payload.
 * @param unsaved the fields for settings that are not saved
 * @param example what the examples of these have besides a prompt
 */
export function bodiesOf<Fields extends TProperties>(unsaved: Fields, example: object) {
  const payload = { headline: 'Exchange lists a new coin' }
  const news = 'Decide whether this news is good or bad for Bitcoin: {{data}}'
  const price = 'Bitcoin is at {{price:binance:spot:btc/usdt}}. Decide.'
  return {
    'llm-reaction': {
      Saved: Type.Object({ ...payloadFields, ...savedFields }, { examples: [{ payload }] }),
      Unsaved: Type.Object(
        { ...payloadFields, ...unsaved },
        { examples: [{ prompt: news, payload, ...example }] },
      ),
    },
    'llm-session': {
      Saved: Type.Object(savedFields, { examples: [{ storage: { trend: 'up' } }] }),
      Unsaved: Type.Object(unsaved, { examples: [{ prompt: price, ...example }] }),
    },
  }
}

/** The settings in {@link unsavedFields}, with their defaults. */
export function readUnsaved(type: LlmType, body: Static<typeof Unsaved>) {
  return {
    type,
    prompt: body.prompt,
    actions: body.actions ?? (['LONG', 'SHORT', 'EXIT'] as const),
    maxSize: body.max_size ?? null,
    tools: body.tools ?? usualTools,
    mayChange: body.may_change ?? [],
    sendSignal: body.send_signal ?? true,
    chart: readChartFields(body),
  }
}

/** @throws {AppError} 400 if the stored value is larger than a model may store */
export function readLlmInput(body: Parameters<typeof readTestInput>[0]): TestInput {
  return readTestInput(body, modelStorageByteLimit)
}
