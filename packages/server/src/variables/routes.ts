import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerPage } from '../http/paging.ts'
import {
  errorResponses,
  FolderQuery,
  Id,
  IdParameter,
  ListOf,
  Nullable,
  SuccessMessage,
  Timestamp,
} from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { Variable, Variables } from './variables.ts'

const settable = {
  name: Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: '^[A-Za-z0-9_]+$',
    description: 'Letters, digits and _. Identifiers that are forbidden in code are refused.',
  }),
  folder_id: Nullable({
    ...Id,
    description:
      'null: the variable applies to all your strategies. Otherwise it applies to strategies in this folder and ' +
      'its subfolders, and overrides variables of the same name from outer folders.',
  }),
}

const value = Type.String({
  maxLength: 16 * 1024,
  description: 'At most 16 KB of UTF-8, and 256 KB for all your variables together.',
})

const VariableRecord = Type.Object({
  id: Type.Integer(),
  ...settable,
  created_at: Timestamp,
  updated_at: Timestamp,
})

const common = { tags: ['Environment variables'], security: signedRequest }
const path = '/env'

export function variableRoutes(variables: Variables, audit: AuditLog): Routes {
  return (scope) => {
    scope.get(
      path,
      {
        schema: {
          ...common,
          summary: 'List your environment variables, without their values',
          querystring: FolderQuery,
          response: { 200: ListOf(VariableRecord), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, query }) => {
        const filter = query.folder_id === undefined ? {} : { folderId: query.folder_id }
        return answerPage(query, {
          list: async (window) => (await variables.list(userId, window, filter)).map(present),
          count: () => variables.count(userId, filter),
        })
      },
    )

    scope.post(
      path,
      {
        schema: {
          ...common,
          summary: 'Create an environment variable, which code reads from `$.Env`',
          body: Type.Object({ name: settable.name, value, folder_id: Type.Optional(settable.folder_id) }),
          response: { 201: VariableRecord, ...errorResponses(400, 401, 409, 413, 415, 500) },
        },
      },
      async (request, reply) => {
        const { name, value, folder_id: folderId = null } = request.body
        const note = audit.note(request, 'variable_made')
        const made = await variables.create(request.principal.userId, { name, value, folderId }, note)
        return reply.code(201).send(present(made))
      },
    )

    scope.get(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Read an environment variable, without its value',
          params: IdParameter,
          response: { 200: VariableRecord, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async ({ principal, params }) => present(await variables.get(principal.userId, params.id)),
    )

    scope.put(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Change an environment variable; only the given fields change',
          params: IdParameter,
          body: Type.Partial(Type.Object({ ...settable, value })),
          response: { 200: VariableRecord, ...errorResponses(400, 401, 404, 409, 413, 415, 500) },
        },
      },
      async (request) => {
        const { name, value, folder_id: folderId } = request.body
        const wish = {
          ...(name === undefined ? {} : { name }),
          ...(value === undefined ? {} : { value }),
          ...(folderId === undefined ? {} : { folderId }),
        }
        const note = audit.note(request, 'variable_changed')
        return present(await variables.change(request.principal.userId, request.params.id, wish, note))
      },
    )

    scope.delete(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Delete an environment variable',
          params: IdParameter,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 500) },
        },
      },
      async (request) => {
        const { principal, params } = request
        await variables.delete(principal.userId, params.id, audit.note(request, 'variable_deleted'))
        return { message: 'Success' as const }
      },
    )
  }
}

function present(variable: Variable) {
  return {
    id: variable.id,
    name: variable.name,
    folder_id: variable.folderId,
    created_at: variable.createdAt.toISOString(),
    updated_at: variable.updatedAt.toISOString(),
  }
}
