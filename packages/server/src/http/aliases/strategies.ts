import type { Aliases, Line, OperationAlias, PathAlias } from './alias.ts'
import { messageBeside } from './answers.ts'
import { renamed } from './names.ts'

/** The paths of strategies, and what one of them is called. */
const kinds: [path: `/strategy/${string}`, one: string][] = [
  ['/strategy/code', 'a code strategy'],
  ['/strategy/reaction/code', 'a code reaction'],
  ['/strategy/reaction/llm', 'an AI reaction'],
  ['/strategy/llm-session', 'an AI session'],
]

/** The settings of what asks a model. */
const ofModels = [
  renamed('llm_api_id', 'connection_id'),
  renamed('fallback_api_id', 'fallback_id'),
  renamed('signal_symbol', 'symbol'),
  renamed('chart_data_range', 'chart_range'),
]

export const strategies: Aliases = {
  operations: Object.fromEntries(
    kinds.flatMap(([path]): [Line, OperationAlias][] => {
      const body = path.includes('llm') ? ofModels : []
      return [
        [`POST ${path}`, { body }],
        [`PUT ${path}/:id`, { body, answer: messageBeside }],
        [`PUT ${path}/folder/:id`, { answer: messageBeside }],
      ]
    }),
  ),
  paths: Object.fromEntries(
    kinds.map(([path, one]): [Line, PathAlias] => [
      `PUT ${path}/:id/public`,
      {
        of: `PUT ${path}/:id`,
        summary: `Publish ${one}, or no longer`,
        description: `Changes \`visibility\`, as \`PUT /api/v2${path}/{id}\` does.`,
        body: {
          schema: {
            type: 'object',
            required: ['isPublic'],
            additionalProperties: false,
            properties: { isPublic: { type: 'boolean' } },
            examples: [{ isPublic: true }],
          },
          read: ({ isPublic }) => ({ visibility: isPublic === true ? 'PUBLIC' : 'PRIVATE' }),
        },
        answer: messageBeside,
      },
    ]),
  ),
}
