import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import { errorResponses, IdParameter, ListOf, PageQuery } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { DataWebhooks } from '../webhooks/data-webhooks.ts'
import { reactionKinds, type StrategyKind } from './kinds.ts'
import { presentListed, recordsOf } from './records.ts'
import type { Strategies } from './strategies.ts'

/** The reactions of a data webhook. */
export function webhookReactionRoutes(strategies: Strategies, webhooks: DataWebhooks): Routes {
  return (scope) => {
    for (const [name, kind] of Object.entries(reactionKinds)) {
      listReactions(scope, { strategies, webhooks, kind, path: `/webhook/data/:id/${name}` })
    }
  }
}

type On = { strategies: Strategies; webhooks: DataWebhooks; kind: StrategyKind; path: string }

function listReactions(scope: App, { strategies, webhooks, kind, path }: On): void {
  scope.get(
    path,
    {
      schema: {
        tags: [kind.tag],
        security: signedRequest,
        summary: `List the ${kind.many} of a data webhook`,
        description:
          'Lists your own reactions only. Users who share your webhook have reactions that you cannot see.',
        params: IdParameter,
        querystring: PageQuery,
        response: { 200: ListOf(recordsOf(kind).Listed), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal: { userId }, params, query }) => {
      const filter = { dataWebhookId: (await webhooks.get(userId, params.id)).id }
      return answerPage(query, {
        list: async (window) => {
          const found = await strategies.list(userId, kind.type, window, filter)
          return found.map((strategy) => presentListed(kind, strategy))
        },
        count: () => strategies.count(userId, kind.type, filter),
      })
    },
  )
}
