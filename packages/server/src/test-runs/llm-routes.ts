import { Type } from 'typebox'
import { roundMs } from '../base/durations.ts'
import { signedRequest } from '../http/authentication.ts'
import { promptBodyLimit } from '../http/limits.ts'
import { allowMissingBody } from '../http/missing-body.ts'
import { errorResponses, Id, IdParameter, Nullable } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { RunErrorRecord, TranscriptEntryRecord, ViolationRecord } from '../runs/schemas.ts'
import { errorOf, lastWords, statusOf } from '../runs/thinking.ts'
import { llmReactions } from '../strategies/kinds.ts'
import { llmFields, Prompt } from '../strategies/llm-fields.ts'
import type { LlmPlan, LlmTrace, LlmTrials } from './llm-trials.ts'
import { Action, inputFields, readTestInput } from './test-input.ts'

const SavedTest = Type.Object(
  { ...inputFields, prompt: Type.Optional(Prompt('A prompt to test instead of the saved prompt.')) },
  { examples: [{ payload: { headline: 'Exchange lists a new coin' } }] },
)

const UnsavedTest = Type.Object(
  {
    ...inputFields,
    prompt: Prompt('The instructions to the model, with placeholders; at most 1 MB.'),
    connection_id: Id,
    actions: Type.Optional(llmFields.actions),
    max_size: Type.Optional(llmFields.max_size),
    send_signal: Type.Optional(Type.Boolean({ description: 'Default true.' })),
    needs_approval: Type.Optional(Type.Boolean({ description: 'Default false.' })),
    symbol: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
    folder_id: Type.Optional(Nullable(Id)),
  },
  {
    examples: [
      {
        prompt: 'Decide whether this news is good or bad for Bitcoin, and act on it: {{data}}',
        connection_id: 1,
        symbol: 'BTCUSDT',
        actions: ['LONG', 'EXIT'],
        payload: { headline: 'Exchange lists a new coin' },
      },
    ],
  },
)

const TraceRecord = Type.Object({
  status: Type.String({ description: 'SUCCEEDED, FAILED or VIOLATION.' }),
  duration_ms: Type.Number(),
  error: Nullable(RunErrorRecord),
  violation: Nullable(ViolationRecord),
  response: Nullable(Type.String({ description: 'The last reply of the model.' })),
  action: Nullable(
    Type.Object(
      {
        action: Action,
        symbols: Type.Array(Type.String()),
        options: Type.Object({}, { additionalProperties: true }),
        needs_approval: Type.Boolean({
          description: 'Whether the action would have waited for your approval.',
        }),
      },
      { description: 'The action that the run would have sent.' },
    ),
  ),
  storage: Type.Object({ before: Type.Unknown(), after: Type.Unknown() }),
  tokens: Type.Object({ input: Type.Integer(), output: Type.Integer() }),
  transcript: Type.Array(TranscriptEntryRecord, {
    description: 'The prompt as it was sent, and everything that followed.',
  }),
})

const tags = ['Test runs']
const { path } = llmReactions

/** Test runs of saved AI reactions, and of prompts that are not saved. */
export function llmTestRunRoutes(trials: LlmTrials): Routes {
  return (scope) => {
    // A model can take longer to answer than the service may take to close.
    scope.addHook('preClose', async () => trials.close())
    testSaved(scope, trials)
    testUnsaved(scope, trials)
  }
}

function testSaved(scope: App, trials: LlmTrials): void {
  scope.post(
    `${path}/:id/test`,
    {
      bodyLimit: promptBodyLimit,
      // Every field is optional, so the body is optional, too.
      preValidation: allowMissingBody,
      schema: {
        tags,
        security: signedRequest,
        summary: 'Test a saved AI reaction, without sending signals or storing anything',
        description:
          "Asks the model once and answers with the whole conversation. The tokens count towards the reaction's budget of the day, and the provider charges for them.",
        params: IdParameter,
        body: SavedTest,
        response: { 200: TraceRecord, ...errorResponses(400, 401, 404, 409, 413, 415, 429, 500) },
      },
    },
    async ({ principal, params, body }) =>
      present(await trials.ofReaction(principal.userId, params.id, body.prompt, readTestInput(body))),
  )
}

function testUnsaved(scope: App, trials: LlmTrials): void {
  scope.post(
    `${path}/test`,
    {
      bodyLimit: promptBodyLimit,
      schema: {
        tags,
        security: signedRequest,
        summary: 'Test a prompt that is not saved, without sending signals or storing anything',
        description:
          'Asks the model once and answers with the whole conversation. The provider charges for the tokens, but no budget counts them.',
        body: UnsavedTest,
        response: { 200: TraceRecord, ...errorResponses(400, 401, 409, 413, 415, 429, 500) },
      },
    },
    async ({ principal, body }) =>
      present(await trials.ofPrompt(principal.userId, readPlan(body), readTestInput(body))),
  )
}

function readPlan(body: Type.Static<typeof UnsavedTest>): LlmPlan {
  return {
    prompt: body.prompt,
    connectionId: body.connection_id,
    actions: body.actions ?? ['LONG', 'SHORT', 'EXIT'],
    maxSize: body.max_size ?? null,
    sendSignal: body.send_signal ?? true,
    needsApproval: body.needs_approval ?? false,
    symbol: body.symbol ?? null,
    folderId: body.folder_id ?? null,
  }
}

function present(trace: LlmTrace) {
  const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text))
  const { before, storage: after = before } = trace
  return {
    status: statusOf[trace.status],
    duration_ms: roundMs(trace.durationMs),
    error: errorOf(trace),
    violation: trace.violation,
    response: lastWords(trace.transcript),
    action: trace.acted && presentAction(trace.acted),
    storage: { before: parsed(before), after: parsed(after) },
    tokens: trace.tokens,
    transcript: [...trace.transcript],
  }
}

function presentAction({ needsApproval, ...action }: NonNullable<LlmTrace['acted']>) {
  return { ...action, needs_approval: needsApproval }
}
