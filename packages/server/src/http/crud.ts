/** Routes that are the same for every kind of record: list the caller's records or events, count them, read one, delete one. */

import type { FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import type { Found, Window } from '../base/window.ts'
import { signedRequest } from './authentication.ts'
import { answerEvents, answerPage, answerSearch } from './paging.ts'
import {
  EventQuery,
  EventsOf,
  errorResponses,
  IdParameter,
  ListOf,
  PageQuery,
  SuccessMessage,
} from './schemas.ts'
import type { App } from './types.ts'

type Described = { tags: string[]; summary: string; description?: string }

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
  listed: Listed<Item, Query>,
): void {
  listAs(scope, path, listed, { query: PageQuery, schema: ListOf(listed.item), answer: answerPage })
}

/** `GET path`: the caller's events, the newest first. The default of `query` is pages and cursors. */
export function eventsRoute<Item extends TSchema, Query extends TSchema = typeof EventQuery>(
  scope: App,
  path: string,
  listed: Listed<Item, Query>,
): void {
  listAs(scope, path, listed, { query: EventQuery, schema: EventsOf(listed.item), answer: answerEvents })
}

/** How a kind of list is asked for, and what it answers. */
type ListForm = { query: TSchema; schema: TSchema; answer: typeof answerEvents }

function listAs<Item extends TSchema, Query extends TSchema>(
  scope: App,
  path: string,
  { item: _, query, list, count, ...described }: Listed<Item, Query>,
  form: ListForm,
): void {
  scope.get(
    path,
    {
      schema: {
        ...described,
        security: signedRequest,
        querystring: query ?? form.query,
        response: { 200: form.schema, ...errorResponses(400, 401, 500) },
      },
    },
    async (request) => {
      const { userId } = request.principal
      const given = request.query as Static<Query> & Static<typeof EventQuery>
      return form.answer(given, {
        list: (window) => list(userId, window, given) as Promise<{ id: number }[]>,
        count: () => count(userId, given),
      }) as never
    },
  )
}

type Searched<Item extends TSchema, Query extends TSchema> = Described & {
  item: Item
  /** The filters, with pages and cursors. */
  query: Query
  find(userId: number, window: Window, query: Static<Query>): Promise<Found<Static<Item>>>
}

/** `GET path`: events that a search over many owners finds, the newest first. `description` says how far it looks. */
export function searchRoute<Item extends TSchema, Query extends TSchema>(
  scope: App,
  path: string,
  { item, query, find, description, ...described }: Searched<Item, Query>,
): void {
  scope.get(
    path,
    {
      schema: {
        ...described,
        description: `${description} \`next\` says where they ended: go on with it, even if there are fewer items than \`limit\`. \`total\` is then what they have found.`,
        security: signedRequest,
        querystring: query,
        response: { 200: EventsOf(item), ...errorResponses(400, 401, 500) },
      },
    },
    async (request) => {
      const { userId } = request.principal
      const asked = request.query as Static<Query> & Static<typeof EventQuery>
      return answerSearch(asked, (window) => find(userId, window, asked)) as never
    },
  )
}

/** `GET path/total`: how many records the caller has. */
export function countRoute(
  scope: App,
  path: string,
  { count, ...described }: Described & { count(userId: number): Promise<number> },
): void {
  scope.get(
    `${path}/total`,
    {
      schema: {
        ...described,
        security: signedRequest,
        response: { 200: Type.Object({ total: Type.Integer() }), ...errorResponses(401, 500) },
      },
    },
    async ({ principal }) => ({ total: await count(principal.userId) }),
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
