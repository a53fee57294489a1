import { Type } from 'typebox'
import { given } from '../base/given.ts'
import type { LlmType } from '../db/schema.ts'
import { signedRequest } from '../http/authentication.ts'
import { listRoute } from '../http/crud.ts'
import { errorResponses, Id, IdParameter, Nullable, PageQuery, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { Spend } from './budget.ts'
import type { SpentBudget, SpentBudgets } from './spent-budgets.ts'

const Use = Type.Object({
  limit: Type.Integer(),
  spent: Type.Integer({
    description:
      'With what is reserved for questions without an answer yet. Above `limit` if the limit was lowered, or a provider reported more than was requested.',
  }),
  left: Type.Integer(),
})

const Budget = Type.Object({
  strategy_id: Type.Integer(),
  name: Type.String(),
  connection_id: Nullable(Type.Integer()),
  day: Type.String({ description: 'Today, in UTC.' }),
  renews_at: Timestamp,
  tokens: Use,
  actions: Use,
})

/** A kind of strategies that ask a model, in the API. */
type Kind = { type: LlmType; path: string; tag: string; one: string; many: string }

/** How much of their budgets the AI strategies of one kind have spent today. */
export function aiBudgetRoutes(budgets: SpentBudgets, kind: Kind): Routes {
  return (scope) => {
    listBudgets(scope, budgets, kind)
    readBudget(scope, budgets, kind)
  }
}

function listBudgets(scope: App, budgets: SpentBudgets, { type, path, tag, many }: Kind): void {
  listRoute(scope, `${path}/budget`, {
    tags: [tag],
    summary: `List how much of their budgets your ${many} have spent today`,
    description: `In order of id. \`connection_id\` selects the ${many} that ask this AI connection.`,
    item: Budget,
    query: Type.Object({
      ...PageQuery.properties,
      connection_id: Type.Optional({ ...Id, description: `Only ${many} with this AI connection.` }),
    }),
    list: async (userId, window, { connection_id: connectionId }) =>
      (await budgets.list(userId, type, window, given({ connectionId }))).map(present),
    count: (userId, { connection_id: connectionId }) => budgets.count(userId, type, given({ connectionId })),
  })
}

function readBudget(scope: App, budgets: SpentBudgets, { type, path, tag, one }: Kind): void {
  scope.get(
    `${path}/:id/budget`,
    {
      schema: {
        tags: [tag],
        security: signedRequest,
        summary: `Read how much of its budget an ${one} has spent today`,
        description: 'The budget is for a day in UTC, and renews at midnight.',
        params: IdParameter,
        response: { 200: Budget, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params }) => present(await budgets.get(principal.userId, type, params.id)),
  )
}

function present({ strategyId, name, connectionId, day, limits, spent }: SpentBudget) {
  const use = (what: keyof Spend) => ({
    limit: limits[what],
    spent: spent[what],
    left: Math.max(0, limits[what] - spent[what]),
  })
  return {
    strategy_id: strategyId,
    name,
    connection_id: connectionId,
    day,
    renews_at: new Date(Date.parse(day) + 86_400_000).toISOString(),
    tokens: use('tokens'),
    actions: use('actions'),
  }
}
