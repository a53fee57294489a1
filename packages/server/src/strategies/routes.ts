import { Type } from 'typebox'
import { given } from '../base/given.ts'
import type { FolderContent } from '../folders/content.ts'
import { signedRequest } from '../http/authentication.ts'
import { countRoute, deleteRoute, listRoute } from '../http/crud.ts'
import { codeBodyLimit, promptBodyLimit } from '../http/limits.ts'
import { errorResponses, FolderQuery, Id, IdParameter, SuccessMessage } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { type StrategyKind, withArticle } from './kinds.ts'
import { presentComplete, presentListed, readSettings, recordsOf, type StrategyRecords } from './records.ts'
import { savedBy } from './saves.ts'
import { IfMatchHeader, readIfMatch, tagged, tagOf } from './settings-tag.ts'
import type { Strategies } from './strategies.ts'

/** The routes of the strategies of one kind. */
export function strategyRoutes(strategies: Strategies, kind: StrategyKind): Routes {
  const on = { strategies, kind, records: recordsOf(kind), tags: [kind.tag] }
  return (scope) => {
    listStrategies(scope, on)
    countStrategies(scope, on)
    createStrategy(scope, on)
    duplicateStrategy(scope, on)
    readStrategy(scope, on)
    changeStrategy(scope, on)
    setStatus(scope, on)
    resetStrategy(scope, on)
    clearStorage(scope, on)
    deleteStrategy(scope, on)
  }
}

type On = { strategies: Strategies; kind: StrategyKind; records: StrategyRecords; tags: string[] }

const success = { message: 'Success' as const }

function listStrategies(scope: App, { strategies, kind, records, tags }: On): void {
  listRoute(scope, kind.path, {
    tags,
    summary: `List your ${kind.many}`,
    description: `In order of id, without ${textOf(kind)} and storage.`,
    item: records.Listed,
    query: FolderQuery,
    list: async (userId, window, { folder_id }) => {
      const found = await strategies.list(userId, kind.type, window, given({ folderId: folder_id }))
      return found.map((strategy) => presentListed(kind, strategy))
    },
    count: (userId, { folder_id }) => strategies.count(userId, kind.type, given({ folderId: folder_id })),
  })
}

function countStrategies(scope: App, { strategies, kind, tags }: On): void {
  countRoute(scope, kind.path, {
    tags,
    summary: `Count your ${kind.many}`,
    description: 'Counts the ones in all folders, whatever their status.',
    count: (userId) => strategies.count(userId, kind.type),
  })
}

function createStrategy(scope: App, { strategies, kind, records, tags }: On): void {
  scope.post(
    kind.path,
    {
      bodyLimit: bodyLimitOf(kind),
      schema: {
        tags,
        security: signedRequest,
        summary: `Create ${withArticle(kind.one)}; it starts INACTIVE`,
        description: `All fields are optional. ${kind.check}`,
        body: records.NewSettings,
        response: { 201: tagged(records.Complete), ...errorResponses(400, 401, 409, 413, 415, 429, 500) },
      },
    },
    async ({ principal, body }, reply) => {
      const save = savedBy(principal, body.reason)
      const strategy = await strategies.create(principal.userId, kind.type, readSettings(kind, body), save)
      return reply.code(201).header('etag', tagOf(strategy)).send(presentComplete(kind, strategy))
    },
  )
}

function duplicateStrategy(scope: App, { strategies, kind, records, tags }: On): void {
  scope.post(
    `${kind.path}/duplicate`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Copy one of your ${kind.many} or a public one`,
        description:
          "The copy is INACTIVE and private. It has the same settings, but no runs, storage or last trigger. A copy of another user's strategy has no folder and no webhooks.",
        body: Type.Object({ id: Id }, { examples: [{ id: 12 }] }),
        response: { 201: tagged(records.Complete), ...errorResponses(400, 401, 404, 409, 413, 415, 500) },
      },
    },
    async ({ principal, body }, reply) => {
      const strategy = await strategies.duplicate(principal.userId, kind.type, body.id, savedBy(principal))
      return reply.code(201).header('etag', tagOf(strategy)).send(presentComplete(kind, strategy))
    },
  )
}

function readStrategy(scope: App, { strategies, kind, records, tags }: On): void {
  scope.get(
    `${kind.path}/:id`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Read ${withArticle(kind.one)} with its ${textOf(kind)} and storage`,
        description:
          '`status` is SUSPENDED until `suspended_until`; after that it is ACTIVE again. The `ETag` is that of the settings: it does not change with the storage and the other results of runs.',
        params: IdParameter,
        response: { 200: tagged(records.Complete), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params }, reply) => {
      const strategy = await strategies.get(principal.userId, kind.type, params.id)
      reply.header('etag', tagOf(strategy))
      return presentComplete(kind, strategy)
    },
  )
}

function changeStrategy(scope: App, { strategies, kind, records, tags }: On): void {
  scope.put(
    `${kind.path}/:id`,
    {
      bodyLimit: bodyLimitOf(kind),
      schema: {
        tags,
        security: signedRequest,
        summary: `Change ${withArticle(kind.one)}; only the given fields change`,
        description: `The change applies from the next run. ${kind.check}`,
        headers: IfMatchHeader,
        params: IdParameter,
        body: records.ChangedSettings,
        response: {
          200: tagged(records.Complete),
          ...errorResponses(400, 401, 404, 409, 413, 415, 429, 500),
        },
      },
    },
    async ({ principal, params, body, headers }, reply) => {
      const changes = readSettings(kind, body)
      const save = savedBy(principal, body.reason, readIfMatch(headers['if-match']))
      const strategy = await strategies.change(principal.userId, kind.type, params.id, changes, save)
      reply.header('etag', tagOf(strategy))
      return presentComplete(kind, strategy)
    },
  )
}

function setStatus(scope: App, { strategies, kind, tags }: On): void {
  scope.put(
    `${kind.path}/:id/status`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Activate or deactivate ${withArticle(kind.one)}`,
        description:
          'ACTIVE also ends a suspension, but keeps the count of violations. INACTIVE does not close an open position, and the response says so.',
        params: IdParameter,
        body: Type.Object(
          { status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE')]) },
          { examples: [{ status: 'ACTIVE' }] },
        ),
        response: {
          200: Type.Object({ ...SuccessMessage.properties, note: Type.Optional(Type.String()) }),
          ...errorResponses(400, 401, 404, 415, 500),
        },
      },
    },
    async ({ principal, params, body }) => {
      await strategies.setStatus(principal.userId, kind.type, params.id, body.status)
      if (body.status === 'ACTIVE') return success
      return {
        ...success,
        note: `Switching ${withArticle(kind.one)} off does not close a position that it opened.`,
      }
    },
  )
}

function resetStrategy(scope: App, { strategies, kind, records, tags }: On): void {
  scope.put(
    `${kind.path}/:id/reset`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Delete what runs of ${withArticle(kind.one)} have left`,
        description: `Deletes what the body selects: ${kind.resetHelp}. Runs and signals stay.`,
        params: IdParameter,
        body: records.Reset,
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 415, 500) },
      },
    },
    async ({ principal, params, body }) => {
      await strategies.reset(principal.userId, kind.type, params.id, kind.readReset(body))
      return success
    },
  )
}

function clearStorage(scope: App, { strategies, kind, tags }: On): void {
  scope.delete(
    `${kind.path}/:id/store`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Delete the stored value',
        description: 'The next run finds no stored value. Succeeds also if there is none.',
        params: IdParameter,
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params }) => {
      await strategies.reset(principal.userId, kind.type, params.id, { triggers: false, storage: true })
      return success
    },
  )
}

function deleteStrategy(scope: App, { strategies, kind, tags }: On): void {
  deleteRoute(scope, kind.path, {
    tags,
    summary: `Delete ${withArticle(kind.one)} with its runs`,
    description: 'Its signals stay, and so does a position that it opened.',
    delete: (userId, id) => strategies.delete(userId, kind.type, id),
  })
}

/** How folders list the strategies of one kind. */
export function folderContent(strategies: Strategies, kind: StrategyKind): FolderContent {
  return {
    type: kind.type,
    path: kind.path,
    tags: [kind.tag],
    what: kind.many,
    field: 'strategies',
    hasVariables: true,
    Item: recordsOf(kind).Listed,
    list: async (userId, folderId, window) => {
      const found = await strategies.list(userId, kind.type, window, { folderId })
      return found.map((strategy) => presentListed(kind, strategy))
    },
    count: (userId, folderId) => strategies.count(userId, kind.type, { folderId }),
  }
}

function textOf(kind: StrategyKind): string {
  return Object.keys(kind.text).join(' and ')
}

function bodyLimitOf(kind: StrategyKind): number {
  return 'code' in kind.text ? codeBodyLimit : promptBodyLimit
}
