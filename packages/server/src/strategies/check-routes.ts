import type { SyntaxChecker } from '@tickwright/sandbox'
import { Type } from 'typebox'
import { parseTemplate } from '../ai/template.ts'
import { signedRequest } from '../http/authentication.ts'
import { codeBodyLimit, promptBodyLimit } from '../http/limits.ts'
import { errorResponses, Nullable } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { type CodeProblem, problemsOf } from './code-check.ts'
import { Code } from './fields.ts'
import { codeKinds, llmKinds, type StrategyKind, withArticle } from './kinds.ts'

type Syntax = Pick<SyntaxChecker, 'check'>

/** Hostile code can have a problem in each of its words. */
const mostProblems = 1000

const Check = Type.Object({
  ok: Type.Boolean({ description: 'Whether it can be saved.' }),
  problems: Type.Array(
    Type.Object({
      kind: Type.Union([
        Type.Literal('too_large'),
        Type.Literal('forbidden_identifier'),
        Type.Literal('syntax'),
        Type.Literal('placeholder'),
      ]),
      message: Type.String(),
      remedy: Nullable(Type.String({ description: 'What to do, if the message does not say it.' })),
      line: Type.Integer({ description: 'Counts from 1.' }),
      column: Type.Integer({ description: 'Counts UTF-16 units from 1, as in editors.' }),
    }),
    { description: `In the order of the text; at most ${mostProblems}.` },
  ),
  total: Type.Integer({ description: 'The number of all problems; the check of a prompt ends after 20.' }),
})

/** Checks code and prompts as a save does, without saving them. */
export function checkRoutes(syntax: Syntax): Routes {
  return (scope) => {
    for (const kind of codeKinds) checkCode(scope, kind, syntax)
    for (const kind of llmKinds) checkPrompt(scope, kind)
  }
}

const words = ({ one }: StrategyKind, text: string) => ({
  summary: `Check the ${text} of ${withArticle(one)} without saving it`,
  description:
    'Lists everything for which saving it would be refused, each with its place and a remedy. Nothing is stored, and nothing runs.',
})

function checkCode(scope: App, kind: StrategyKind, syntax: Syntax): void {
  scope.post(
    `${kind.path}/check`,
    {
      bodyLimit: codeBodyLimit,
      schema: {
        tags: [kind.tag],
        security: signedRequest,
        ...words(kind, 'code'),
        body: Type.Object(
          { code: Code('The body of an async function.') },
          { examples: [{ code: 'const candle = JSON.parse($.Request.data)\n$.log(candle.close)' }] },
        ),
        response: { 200: Check, ...errorResponses(400, 401, 413, 415, 429, 500) },
      },
    },
    async ({ principal, body }) => present(await problemsOf(body.code, principal.userId, syntax)),
  )
}

function checkPrompt(scope: App, kind: StrategyKind): void {
  scope.post(
    `${kind.path}/check`,
    {
      bodyLimit: promptBodyLimit,
      schema: {
        tags: [kind.tag],
        security: signedRequest,
        ...words(kind, 'prompt'),
        body: Type.Object(
          {
            prompt: Type.String({
              maxLength: promptBodyLimit,
              description: 'The instructions to the model.',
            }),
          },
          { examples: [{ prompt: (kind.examples.create as { prompt: string }).prompt }] },
        ),
        response: { 200: Check, ...errorResponses(400, 401, 413, 415, 500) },
      },
    },
    async ({ body }) => {
      const { problems = [] } = parseTemplate(body.prompt, { hasPayload: kind.type === 'llm-reaction' })
      return present(problems.map((problem) => ({ kind: 'placeholder', ...problem, remedy: null })))
    },
  )
}

type Problem = Omit<CodeProblem, 'kind' | 'remedy'> & {
  kind: CodeProblem['kind'] | 'placeholder'
  remedy: string | null
}

function present(problems: Problem[]) {
  return {
    ok: problems.length === 0,
    problems: problems.slice(0, mostProblems),
    total: problems.length,
  }
}
