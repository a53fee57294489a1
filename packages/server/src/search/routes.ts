import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, Nullable, withoutNul } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { type Hit, hitLimit, type Search } from './search.ts'

const Hits = Type.Array(
  Type.Object({
    id: Type.Integer(),
    type: Nullable(
      Type.String({
        description:
          'Of a strategy or folder: `code-strategy`, `code-reaction`, `llm-reaction` or `llm-session`; of a folder of bots: `signal-cex`, `signal-prediction` or `signal-dex`; of a bot: `paper` or `live`; of a bot without a venue: `signal-prediction` or `signal-dex`.',
      }),
    ),
    name: Type.String(),
    text: Nullable(
      Type.String({ description: 'The description of a webhook, or the model of an AI connection.' }),
    ),
  }),
  { description: `In order of id; at most ${hitLimit}.` },
)

const kinds = [
  ...(['strategies', 'data_webhooks', 'bot_webhooks', 'bots', 'bots_without_venue'] as const),
  ...(['variables', 'folders', 'exchange_connections', 'ai_connections'] as const),
  ...(['api_keys', 'notification_endpoints'] as const),
]

const Result = Type.Object({
  strategies: Hits,
  data_webhooks: Hits,
  bot_webhooks: Hits,
  bots: Hits,
  bots_without_venue: Hits,
  variables: Hits,
  folders: Hits,
  exchange_connections: Hits,
  ai_connections: Hits,
  api_keys: Hits,
  notification_endpoints: Hits,
  more: Type.Array(Type.String(), { description: 'The kinds with further hits.' }),
})

/** Finds what a user has. */
export function searchRoutes(search: Search): Routes {
  return (scope) => find(scope, search)
}

function find(scope: App, search: Search): void {
  scope.get(
    '/search',
    {
      schema: {
        tags: ['Search'],
        security: signedRequest,
        summary:
          'Find your strategies, webhooks, bots, variables, folders, connections, API keys and endpoints',
        description:
          'Looks for the text in names and descriptions, and for the whole text as an id. Upper and lower case are the same; every character stands for itself.',
        querystring: Type.Object({
          q: Type.String({
            minLength: 1,
            maxLength: 100,
            pattern: withoutNul,
            description: 'What to look for.',
          }),
        }),
        response: { 200: Result, ...errorResponses(400, 401, 500) },
      },
    },
    async ({ principal, query }) => {
      const found = await search.find(principal.userId, query.q)
      const shown = (hits: Hit[]) => hits.slice(0, hitLimit)
      return {
        strategies: shown(found.strategies),
        data_webhooks: shown(found.data_webhooks),
        bot_webhooks: shown(found.bot_webhooks),
        bots: shown(found.bots),
        bots_without_venue: shown(found.bots_without_venue),
        variables: shown(found.variables),
        folders: shown(found.folders),
        exchange_connections: shown(found.exchange_connections),
        ai_connections: shown(found.ai_connections),
        api_keys: shown(found.api_keys),
        notification_endpoints: shown(found.notification_endpoints),
        more: kinds.filter((kind) => found[kind].length > hitLimit),
      }
    },
  )
}
