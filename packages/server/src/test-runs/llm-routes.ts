import { type TObject, Type } from 'typebox'
import { roundMs } from '../base/durations.ts'
import type { LlmType } from '../db/schema.ts'
import { signedRequest } from '../http/authentication.ts'
import { promptBodyLimit } from '../http/limits.ts'
import { allowMissingBody } from '../http/missing-body.ts'
import { errorResponses, Id, IdParameter, Nullable } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { presentTranscript } from '../runs/present-transcript.ts'
import { RunErrorRecord, TranscriptEntryRecord, ViolationRecord } from '../runs/schemas.ts'
import { errorOf, lastWords, statusOf } from '../runs/thinking.ts'
import { llmKinds } from '../strategies/kinds.ts'
import { llmFields } from '../strategies/llm-fields.ts'
import { bodiesOf, readLlmInput, readUnsaved, unsavedFields } from './llm-input.ts'
import type { LlmPlan, LlmTrace, LlmTrials, WouldChange } from './llm-trials.ts'
import { Action } from './test-input.ts'

const testFields = {
  ...unsavedFields,
  connection_id: Id,
  fallback_id: Type.Optional(llmFields.fallback_id),
  change_needs_approval: Type.Optional(llmFields.change_needs_approval),
  needs_approval: Type.Optional(Type.Boolean({ description: 'Default false.' })),
  symbol: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
  folder_id: Type.Optional(Nullable(Id)),
}

const example = { connection_id: 1, symbol: 'BTCUSDT', actions: ['LONG', 'EXIT'] }

const bodies = bodiesOf(testFields, example)

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
  changes: Type.Array(
    Type.Object({
      strategy_id: Type.Integer(),
      code: Nullable(Type.String({ description: 'The new code; null for a change of the status.' })),
      status: Nullable(Type.Enum(['ACTIVE', 'INACTIVE'])),
      needs_approval: Type.Boolean({
        description: 'Whether the change would have waited for your approval.',
      }),
    }),
    { description: 'The changes of strategies that the run would have made or asked for.' },
  ),
  storage: Type.Object({ before: Type.Unknown(), after: Type.Unknown() }),
  tokens: Type.Object({ input: Type.Integer(), output: Type.Integer() }),
  transcript: Type.Array(TranscriptEntryRecord, {
    description: 'The prompt as it was sent, and everything that followed.',
  }),
})

const tags = ['Test runs']

type LlmKind = (typeof llmKinds)[number]

/** Test runs of saved AI strategies, and of prompts that are not saved. */
export function llmTestRunRoutes(trials: LlmTrials): Routes {
  return (scope) => {
    // A model can take longer to answer than the service may take to close.
    scope.addHook('preClose', async () => trials.close())
    for (const kind of llmKinds) {
      testSaved(scope, trials, kind)
      testUnsaved(scope, trials, kind)
    }
  }
}

function testSaved(scope: App, trials: LlmTrials, { type, path, one }: LlmKind): void {
  scope.post(
    `${path}/:id/test`,
    {
      bodyLimit: promptBodyLimit,
      // Every field is optional, so the body is optional, too.
      preValidation: allowMissingBody,
      schema: {
        tags,
        security: signedRequest,
        summary: `Test a saved ${one}, without sending signals or storing anything`,
        description:
          "Asks the model once and answers with the whole conversation. The tokens count towards the strategy's budget of the day, and the provider charges for them.",
        params: IdParameter,
        body: bodies[type].Saved,
        response: { 200: TraceRecord, ...errorResponses(400, 401, 404, 409, 413, 415, 429, 500) },
      },
    },
    async ({ principal, params, body }) =>
      present(
        await trials.ofStrategy(
          { userId: principal.userId, type, id: params.id },
          body.prompt,
          readLlmInput(body),
        ),
      ),
  )
}

function testUnsaved(scope: App, trials: LlmTrials, { type, path, one }: LlmKind): void {
  scope.post(
    `${path}/test`,
    {
      bodyLimit: promptBodyLimit,
      schema: {
        tags,
        security: signedRequest,
        summary: `Test the prompt of an ${one} that is not saved, without sending signals or storing anything`,
        description:
          'Asks the model once and answers with the whole conversation. The provider charges for the tokens, but no budget counts them.',
        body: bodies[type].Unsaved,
        response: { 200: TraceRecord, ...errorResponses(400, 401, 409, 413, 415, 429, 500) },
      },
    },
    async ({ principal, body }) =>
      present(await trials.ofPrompt(principal.userId, readPlan(type, body), readLlmInput(body))),
  )
}

function readPlan(type: LlmType, body: Type.Static<TObject<typeof testFields>>): LlmPlan {
  return {
    ...readUnsaved(type, body),
    connectionId: body.connection_id,
    fallbackId: body.fallback_id ?? null,
    changeNeedsApproval: body.change_needs_approval ?? true,
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
    changes: trace.changed.map(presentChange),
    storage: { before: parsed(before), after: parsed(after) },
    tokens: trace.tokens,
    transcript: presentTranscript(trace.transcript, trace.picture),
  }
}

function presentChange(change: WouldChange) {
  return {
    strategy_id: change.targetId,
    code: change.kind === 'code' ? change.code : null,
    status: change.kind === 'status' ? change.status : null,
    needs_approval: change.needsApproval,
  }
}

function presentAction({ needsApproval, ...action }: NonNullable<LlmTrace['acted']>) {
  return { ...action, needs_approval: needsApproval }
}
