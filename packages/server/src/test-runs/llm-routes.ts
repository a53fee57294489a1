import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { codeBodyLimit } from '../http/limits.ts'
import { errorResponses, Id, IdParameter, Nullable } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { RunErrorRecord, TranscriptEntryRecord, ViolationRecord } from '../runs/schemas.ts'
import { errorOf, lastWords, statusOf } from '../runs/thinking.ts'
import { llmReactions } from '../strategies/kinds.ts'
import { llmFields, Prompt } from '../strategies/llm-fields.ts'
import { Action, circumstances, readCircumstances } from './circumstances.ts'
import type { LlmTrace, LlmTrials } from './llm-trials.ts'

const Saved = Type.Object({
  ...circumstances,
  prompt: Type.Optional(Prompt('A prompt to test instead of the saved prompt.')),
})

const Unsaved = Type.Object({
  ...circumstances,
  prompt: Prompt('What the model is asked, with placeholders; at most 16 KB.'),
  connection_id: Id,
  actions: Type.Optional(llmFields.actions),
  max_size: Type.Optional(llmFields.max_size),
  send_signal: Type.Optional(Type.Boolean({ description: 'Default true.' })),
  needs_approval: Type.Optional(Type.Boolean({ description: 'Default false.' })),
  symbol: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
  folder_id: Type.Optional(Nullable(Id)),
})

const TraceBody = Type.Object({
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

const common = { tags: ['Test runs'], security: signedRequest }

/** Test runs of AI reactions, saved and not. */
export function llmTestRunRoutes(trials: LlmTrials): Routes {
  const { path } = llmReactions
  return (scope) => {
    // A model may take longer to answer than the service has to end.
    scope.addHook('preClose', async () => trials.close())

    scope.post(
      `${path}/:id/test`,
      {
        bodyLimit: codeBodyLimit,
        // Everything may be left out, and then so may the body.
        preValidation: async (request) => {
          request.body ??= {}
        },
        schema: {
          ...common,
          summary: 'Test a saved AI reaction, without sending signals or storing anything',
          params: IdParameter,
          body: Saved,
          response: { 200: TraceBody, ...errorResponses(400, 401, 404, 409, 413, 415, 429, 500) },
        },
      },
      async ({ principal, params, body }) =>
        present(await trials.ofReaction(principal.userId, params.id, body.prompt, readCircumstances(body))),
    )

    scope.post(
      `${path}/test`,
      {
        bodyLimit: codeBodyLimit,
        schema: {
          ...common,
          summary: 'Test a prompt that is not saved, without sending signals or storing anything',
          body: Unsaved,
          response: { 200: TraceBody, ...errorResponses(400, 401, 409, 413, 415, 429, 500) },
        },
      },
      async ({ principal, body }) =>
        present(
          await trials.ofPrompt(
            principal.userId,
            {
              prompt: body.prompt,
              connectionId: body.connection_id,
              actions: body.actions ?? ['LONG', 'SHORT', 'EXIT'],
              maxSize: body.max_size ?? null,
              sendSignal: body.send_signal ?? true,
              needsApproval: body.needs_approval ?? false,
              symbol: body.symbol ?? null,
              folderId: body.folder_id ?? null,
            },
            readCircumstances(body),
          ),
        ),
    )
  }
}

function present(trace: LlmTrace) {
  const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text))
  const { before, storage: after = before } = trace
  return {
    status: statusOf[trace.status],
    duration_ms: trace.durationMs,
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
