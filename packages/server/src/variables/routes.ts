import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { deleteRoute, getRoute, listRoute } from '../http/crud.ts'
import { errorResponses, FolderQuery, Id, IdParameter, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { VariableUses } from './variable-uses.ts'
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

const Uses = Type.Object({
  uses: Type.Array(
    Type.Object({
      id: Type.Integer(),
      type: Type.Union([Type.Literal('code-strategy'), Type.Literal('code-reaction')]),
      name: Type.String(),
      folder_id: Nullable(Type.Integer()),
      status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE')], {
        description: 'As its owner set it: a suspended strategy is ACTIVE.',
      }),
      use: Type.Union([Type.Literal('named'), Type.Literal('maybe')], {
        description:
          '`named`: the code names the variable. `maybe`: it reads `$.Env` in another way, such as `$.Env[name]`.',
      }),
    }),
  ),
  next_after: Nullable(
    Type.Integer({ description: 'Not null: more code is to be read. Ask again with it as `after`.' }),
  ),
})

const tags = ['Environment variables']
const path = '/env'

export function variableRoutes(variables: Variables, uses: VariableUses, audit: AuditLog): Routes {
  return (scope) => {
    listVariables(scope, variables)
    createVariable(scope, variables, audit)
    readVariable(scope, variables)
    listUses(scope, variables, uses)
    changeVariable(scope, variables, audit)
    deleteVariable(scope, variables, audit)
  }
}

function listVariables(scope: App, variables: Variables): void {
  listRoute(scope, path, {
    tags,
    summary: 'List your environment variables, without their values',
    description: 'In order of id. With `folder_id`, the list contains only the variables of this folder.',
    item: VariableRecord,
    query: FolderQuery,
    list: async (userId, window, { folder_id: folderId }) =>
      (await variables.list(userId, window, given({ folderId }))).map(present),
    count: (userId, { folder_id: folderId }) => variables.count(userId, given({ folderId })),
  })
}

function createVariable(scope: App, variables: Variables, audit: AuditLog): void {
  scope.post(
    path,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Create an environment variable, which code reads from `$.Env`',
        description:
          'The service stores the value encrypted and never shows it again. The next run can read it.',
        body: Type.Object(
          { name: settable.name, value, folder_id: Type.Optional(settable.folder_id) },
          { examples: [{ name: 'NEWS_API_KEY', value: 'a-secret-of-yours' }] },
        ),
        response: { 201: VariableRecord, ...errorResponses(400, 401, 409, 413, 415, 500) },
      },
    },
    async (request, reply) => {
      const { name, value, folder_id: folderId = null } = request.body
      const note = audit.note(request, 'variable_made')
      const variable = await variables.create(request.principal.userId, { name, value, folderId }, note)
      return reply.code(201).send(present(variable))
    },
  )
}

function readVariable(scope: App, variables: Variables): void {
  getRoute(scope, path, {
    tags,
    summary: 'Read an environment variable, without its value',
    description: 'Nobody can read a value through the API; only code can.',
    item: VariableRecord,
    get: async (userId, id) => present(await variables.get(userId, id)),
  })
}

function listUses(scope: App, variables: Variables, uses: VariableUses): void {
  scope.get(
    `${path}/:id/uses`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'List the strategies whose code reads an environment variable',
        description:
          'In order of id. A strategy that a variable of the same name in a nearer folder applies to is not listed. Comments count as code. One answer reads 2 MB of code.',
        params: IdParameter,
        querystring: Type.Object({
          after: Type.Integer({
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            default: 0,
            description: 'Only strategies with a higher id.',
          }),
        }),
        response: { 200: Uses, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params, query }) => {
      const variable = await variables.get(principal.userId, params.id)
      const found = await uses.of(variable, query.after)
      return {
        uses: found.uses.map(({ id, type, name, folderId, status, isCertain }) => ({
          ...{ id, type, name, status, folder_id: folderId },
          use: isCertain ? ('named' as const) : ('maybe' as const),
        })),
        next_after: found.nextAfter,
      }
    },
  )
}

function changeVariable(scope: App, variables: Variables, audit: AuditLog): void {
  scope.put(
    `${path}/:id`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Change an environment variable; only the given fields change',
        description: 'The next run of each strategy that it applies to sees the change.',
        params: IdParameter,
        body: Type.Partial(Type.Object({ ...settable, value }), {
          examples: [{ value: 'another-secret-of-yours' }],
        }),
        response: { 200: VariableRecord, ...errorResponses(400, 401, 404, 409, 413, 415, 500) },
      },
    },
    async (request) => {
      const { name, value, folder_id: folderId } = request.body
      const changes = given({ name, value, folderId })
      const note = audit.note(request, 'variable_changed')
      return present(await variables.change(request.principal.userId, request.params.id, changes, note))
    },
  )
}

function deleteVariable(scope: App, variables: Variables, audit: AuditLog): void {
  deleteRoute(scope, path, {
    tags,
    summary: 'Delete an environment variable',
    description: 'From the next run on, `$.Env` no longer has it.',
    delete: (userId, id, request) => variables.delete(userId, id, audit.note(request, 'variable_deleted')),
  })
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
