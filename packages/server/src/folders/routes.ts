import { Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { answerPage, plainListLimit } from '../http/paging.ts'
import {
  errorResponses,
  Id,
  IdParameter,
  ListOf,
  Nullable,
  PageQuery,
  SuccessMessage,
  Timestamp,
} from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { FolderContent } from './content.ts'
import type { Folder, Folders } from './folders.ts'

const settable = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  parent_id: Nullable({ ...Id, description: 'The parent folder, for strategies of the same type.' }),
}

const FolderRecord = Type.Object({
  id: Type.Integer(),
  name: settable.name,
  parent_id: settable.parent_id,
  created_at: Timestamp,
  updated_at: Timestamp,
})

/** The folders of strategies of one type. */
export function folderRoutes(folders: Folders, content: FolderContent): Routes {
  const { type, what } = content
  const path = `${content.path}/folder`
  const common = { tags: content.tags, security: signedRequest }
  const inside = { folders: Type.Array(FolderRecord), strategies: Type.Array(content.Strategy) }

  const show = async (userId: number, folderId: number | null) => {
    const [subfolders, strategies] = await Promise.all([
      folders.list(userId, type, { limit: plainListLimit, offset: 0 }, { parentId: folderId }),
      content.list(userId, folderId),
    ])
    return { folders: subfolders.map(present), strategies }
  }

  return (scope) => {
    scope.get(
      path,
      {
        schema: {
          ...common,
          summary: `List your folders of ${what}`,
          querystring: PageQuery,
          response: { 200: ListOf(FolderRecord), ...errorResponses(400, 401, 500) },
        },
      },
      ({ principal: { userId }, query }) =>
        answerPage(query, {
          list: async (window) => (await folders.list(userId, type, window)).map(present),
          count: () => folders.count(userId, type),
        }),
    )

    scope.get(
      `${path}/root`,
      {
        schema: {
          ...common,
          summary: `List the folders and ${what} that are in no folder`,
          response: { 200: Type.Object(inside), ...errorResponses(401, 500) },
        },
      },
      ({ principal }) => show(principal.userId, null),
    )

    scope.post(
      path,
      {
        schema: {
          ...common,
          summary: `Create a folder of ${what}`,
          body: Type.Object({ name: settable.name, parent_id: Type.Optional(settable.parent_id) }),
          response: { 201: FolderRecord, ...errorResponses(400, 401, 409, 415, 500) },
        },
      },
      async ({ principal, body: { name, parent_id: parentId = null } }, reply) =>
        reply.code(201).send(present(await folders.create(principal.userId, type, { name, parentId }))),
    )

    scope.get(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: `Read a folder with its subfolders and ${what}`,
          params: IdParameter,
          response: {
            200: Type.Object({ ...FolderRecord.properties, ...inside }),
            ...errorResponses(400, 401, 404, 500),
          },
        },
      },
      async ({ principal: { userId }, params }) => {
        const folder = await folders.get(userId, type, params.id)
        return { ...present(folder), ...(await show(userId, folder.id)) }
      },
    )

    scope.put(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Rename a folder or move it into another; only the given fields change',
          params: IdParameter,
          body: Type.Partial(Type.Object(settable)),
          response: { 200: FolderRecord, ...errorResponses(400, 401, 404, 415, 500) },
        },
      },
      async ({ principal, params, body: { name, parent_id: parentId } }) =>
        present(
          await folders.change(principal.userId, type, params.id, {
            ...(name === undefined ? {} : { name }),
            ...(parentId === undefined ? {} : { parentId }),
          }),
        ),
    )

    scope.delete(
      `${path}/:id`,
      {
        schema: {
          ...common,
          summary: 'Delete an empty folder',
          params: IdParameter,
          response: { 200: SuccessMessage, ...errorResponses(400, 401, 404, 409, 500) },
        },
      },
      async ({ principal, params }) => {
        await folders.delete(principal.userId, type, params.id)
        return { message: 'Success' as const }
      },
    )
  }
}

function present(folder: Folder) {
  return {
    id: folder.id,
    name: folder.name,
    parent_id: folder.parentId,
    created_at: folder.createdAt.toISOString(),
    updated_at: folder.updatedAt.toISOString(),
  }
}
