import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, IdParameter } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { type StrategyKind, withArticle } from './kinds.ts'
import type { ManualRuns } from './manual-runs.ts'

/** Has strategies of one kind run now. @param kind one that a schedule triggers */
export function triggerRoutes(manualRuns: ManualRuns, kind: StrategyKind): Routes {
  return (scope) => {
    scope.post(
      `${kind.path}/:id/trigger`,
      {
        schema: {
          tags: [kind.tag],
          security: signedRequest,
          summary: `Run ${withArticle(kind.one)} now`,
          description:
            'The service queues a run, as the schedule would: its signal reaches bots. The schedule stays as it is. Refused with 409 if the strategy is INACTIVE or SUSPENDED, or if a run still waits for its turn. For a run without consequences, use a test run.',
          params: IdParameter,
          response: {
            202: Type.Object(
              { id: Type.Integer(), run_id: Type.Integer() },
              { examples: [{ id: 4, run_id: 120 }] },
            ),
            ...errorResponses(400, 401, 404, 409, 429, 500),
          },
        },
      },
      async ({ principal, params: { id } }, reply) => {
        const runId = await manualRuns.queue(principal.userId, kind.type, id)
        return reply.code(202).send({ id, run_id: runId })
      },
    )
  }
}
