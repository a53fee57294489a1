import { type Static, Type } from 'typebox'
import type { Message } from '../ai/answer.ts'
import type { Preview } from '../ai/preview.ts'
import { signedRequest } from '../http/authentication.ts'
import { promptBodyLimit } from '../http/limits.ts'
import { allowMissingBody } from '../http/missing-body.ts'
import { errorResponses, IdParameter, Nullable } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { llmKinds } from '../strategies/kinds.ts'
import { bodiesOf, readLlmInput, readUnsaved, unsavedFields } from './llm-input.ts'
import type { LlmTrials } from './llm-trials.ts'

const chartExample = {
  use_chart: true,
  chart_symbol: 'binance:btc/usdt',
  chart_studies: ['ema:50', 'rsi'],
}

const bodies = bodiesOf(unsavedFields, chartExample)

const Part = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({
    type: Type.Literal('image'),
    media_type: Type.String({ description: 'image/png' }),
    data: Type.String({ description: 'Base64.' }),
  }),
])

const PreviewRecord = Type.Object({
  messages: Type.Array(
    Type.Object({
      role: Type.String({ description: 'system: the rules of the service; user: your prompt.' }),
      content: Type.Array(Part),
    }),
    { description: 'The first question, as the model would get it.' },
  ),
  chart: Nullable(
    Type.String({ description: 'What the chart shows, or why there is none; null without `use_chart`.' }),
  ),
  tools: Type.Array(Type.String(), { description: 'The names of the tools that the model would have.' }),
  tokens: Type.Object({
    estimated: Type.Integer({ description: 'About how many the question has.' }),
    reserved: Type.Integer({
      description: 'The most that it and its answer can cost, which the budget must have left.',
    }),
  }),
})

const tags = ['Test runs']

/** Previews of prompts with all values filled in. No model is asked. */
export function promptPreviewRoutes(trials: LlmTrials): Routes {
  return (scope) => {
    for (const kind of llmKinds) {
      previewSaved(scope, trials, kind)
      previewUnsaved(scope, trials, kind)
    }
  }
}

type LlmKind = (typeof llmKinds)[number]

const description =
  'Fills in the values, asks for the pages, and draws the chart. No model is asked, and no budget is spent. The limits are those of test runs.'

function previewSaved(scope: App, trials: LlmTrials, { type, path, one }: LlmKind): void {
  scope.post(
    `${path}/:id/preview`,
    {
      bodyLimit: promptBodyLimit,
      // Every field is optional, so the body is optional, too.
      preValidation: allowMissingBody,
      schema: {
        tags,
        security: signedRequest,
        summary: `Show the first question of an ${one} to its model, without asking it`,
        description,
        params: IdParameter,
        body: bodies[type].Saved,
        response: { 200: PreviewRecord, ...errorResponses(400, 401, 404, 413, 415, 429, 500) },
      },
    },
    async ({ principal: { userId }, params: { id }, body }) =>
      present(await trials.previewOfStrategy({ userId, type, id }, body.prompt, readLlmInput(body))),
  )
}

function previewUnsaved(scope: App, trials: LlmTrials, { type, path, one }: LlmKind): void {
  scope.post(
    `${path}/preview`,
    {
      bodyLimit: promptBodyLimit,
      schema: {
        tags,
        security: signedRequest,
        summary: `Show the first question of an ${one} that is not saved, without asking a model`,
        description,
        body: bodies[type].Unsaved,
        response: { 200: PreviewRecord, ...errorResponses(400, 401, 413, 415, 429, 500) },
      },
    },
    async ({ principal, body }) => {
      const plan = readUnsaved(type, body)
      return present(await trials.preview(principal.userId, plan, readLlmInput(body)))
    },
  )
}

function present({ messages, chart, tools, tokens }: Preview): Static<typeof PreviewRecord> {
  return {
    messages: messages.map(({ role, content }) => ({ role, content: partsOf(content) })),
    chart,
    tools,
    tokens,
  }
}

function partsOf(content: Message['content']): Static<typeof Part>[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.flatMap((part): Static<typeof Part>[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type !== 'file') return []
    const { mediaType, data } = part
    const bytes = data.type === 'data' && typeof data.data === 'string' ? data.data : ''
    return [{ type: 'image', media_type: mediaType, data: bytes }]
  })
}
