/** Routes that are the same for every kind of record: list the caller's records, read one, delete one. */

import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { signedRequest } from './authentication.ts'
import { answerPage } from './paging.ts'
import { errorResponses, IdParameter, ListOf, PageQuery, SuccessMessage } from './schemas.ts'
import type { App } from './types.ts'

type Described = { tags: string[]; summary: string; description?: string }
type Window = { limit: number; offset: number }

type Listed<Item extends TSchema, Query extends TSchema> = Described & {
  item: Item
  /** The filters of the list, with `page` and `limit`. Default: only these two. */
  query?: Query
  list(userId: number, window: Window, query: Static<Query>): Promise<Static<Item>[]>
  count(userId: number, query: Static<Query>): Promise<number>
}

/** `GET path`: the caller's records, as an array or a page. */
export function listRoute<Item extends TSchema, Query extends TSchema = typeof PageQuery>(
  scope: App,
  path: string,
  { item, query, list, count, ...described }: Listed<Item, Query>,
): void {
  scope.get(
    path,
    {
      schema: {
        ...described,
        security: signedRequest,
        querystring: query ?? PageQuery,
        response: { 200: ListOf(item), ...errorResponses(400, 401, 500) },
      },
    },
    async (request) => {
      const { userId } = request.principal
      const given = request.query as Static<Query> & Static<typeof PageQuery>
      return answerPage(given, {
        list: (window) => list(userId, window, given),
        count: () => count(userId, given),
      }) as never
    },
  )
}

type Read<Item extends TSchema> = Described & {
  item: Item
  /** Rejects with 404 if the caller has no such record. */
  get(userId: number, id: number): Promise<Static<Item>>
}

/** `GET path/:id`: one record of the caller's. */
export function getRoute<Item extends TSchema>(
  scope: App,
  path: string,
  { item, get, ...described }: Read<Item>,
): void {
  scope.get(
    `${path}/:id`,
    {
      schema: {
        ...described,
        security: signedRequest,
        params: IdParameter,
        response: { 200: item, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params }) => (await get(principal.userId, params.id)) as never,
  )
}

type Deleted = Described & {
  /** Whether something that uses the record can keep it from being deleted (409). */
  canConflict?: boolean
  /** Rejects with 404 if the caller has no such record. `request` is for the audit log. */
  delete(userId: number, id: number, request: FastifyRequest): Promise<unknown>
}

/** `DELETE path/:id`: deletes one record of the caller's. */
export function deleteRoute(
  scope: App,
  path: string,
  { canConflict = false, delete: remove, ...described }: Deleted,
): void {
  const conflict = canConflict ? errorResponses(409) : {}
  scope.delete(
    `${path}/:id`,
    {
      schema: {
        ...described,
        security: signedRequest,
        params: IdParameter,
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 500), ...conflict },
      },
    },
    async (request) => {
      await remove(request.principal.userId, request.params.id, request as unknown as FastifyRequest)
      return { message: 'Success' as const }
    },
  )
}
