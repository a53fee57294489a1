import type { Aliases, Line, OperationAlias, PathAlias } from './alias.ts'
import { messageBeside } from './answers.ts'

/** The paths of strategies, and what one of them is called. */
const kinds: [path: `/strategy/${string}`, one: string][] = [
  ['/strategy/code', 'a code strategy'],
  ['/strategy/reaction/code', 'a code reaction'],
  ['/strategy/reaction/llm', 'an AI reaction'],
]

export const strategies: Aliases = {
  operations: Object.fromEntries(
    kinds.flatMap(([path]): [Line, OperationAlias][] => [
      [`PUT ${path}/:id`, { answer: messageBeside }],
      [`PUT ${path}/folder/:id`, { answer: messageBeside }],
    ]),
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
