import { Type } from 'typebox'
import { given } from '../base/given.ts'
import { madeUpName } from '../base/made-up-name.ts'
import { signedRequest } from '../http/authentication.ts'
import { deleteRoute, getRoute, listRoute } from '../http/crud.ts'
import { plainListLimit } from '../http/paging.ts'
import { errorResponses, Id, IdParameter, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { FolderContent } from './content.ts'
import type { Folder, Folders } from './folders.ts'

const settable = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  parent_id: Nullable({ ...Id, description: 'The parent folder, for items of the same type.' }),
}

const FolderRecord = Type.Object({
  id: Type.Integer(),
  name: settable.name,
  parent_id: settable.parent_id,
  created_at: Timestamp,
  updated_at: Timestamp,
})

/** Routes of the folders of strategies or bots of one type. */
export function folderRoutes(folders: Folders, content: FolderContent): Routes {
  const on = { folders, content, path: `${content.path}/folder` }
  return (scope) => {
    listFolders(scope, on)
    listRoot(scope, on)
    createFolder(scope, on)
    readFolder(scope, on)
    changeFolder(scope, on)
    deleteFolder(scope, on)
  }
}

type On = { folders: Folders; content: FolderContent; path: string }

function listFolders(scope: App, { folders, content, path }: On): void {
  listRoute(scope, path, {
    tags: content.tags,
    summary: `List your folders of ${content.what}`,
    description: 'In order of id, at all levels. `parent_id` says which folder each one is in.',
    item: FolderRecord,
    list: async (userId, window) => (await folders.list(userId, content.type, window)).map(present),
    count: (userId) => folders.count(userId, content.type),
  })
}

function listRoot(scope: App, { content, path }: On): void {
  listRoute(scope, `${path}/root`, {
    tags: content.tags,
    summary: `List your ${content.what} that are in no folder`,
    description: 'In order of id. The folders at the top have no `parent_id`.',
    item: content.Item,
    list: (userId, window) => content.list(userId, null, window),
    count: (userId) => content.count(userId, null),
  })
}

function createFolder(scope: App, { folders, content, path }: On): void {
  scope.post(
    path,
    {
      schema: {
        tags: content.tags,
        security: signedRequest,
        summary: `Create a folder of ${content.what}`,
        description: `Without a name, it gets one of two words. Folders can be nested up to 10 levels deep.${content.hasVariables ? ' Environment variables can apply to one folder.' : ''}`,
        body: Type.Object(
          { name: Type.Optional(settable.name), parent_id: Type.Optional(settable.parent_id) },
          { examples: [{ name: 'Momentum' }] },
        ),
        response: { 201: FolderRecord, ...errorResponses(400, 401, 409, 415, 500) },
      },
    },
    async ({ principal, body: { name = madeUpName(), parent_id: parentId = null } }, reply) =>
      reply.code(201).send(present(await folders.create(principal.userId, content.type, { name, parentId }))),
  )
}

function readFolder(scope: App, on: On): void {
  const { folders, content, path } = on
  getRoute(scope, path, {
    tags: content.tags,
    summary: `Read a folder with its subfolders and ${content.what}`,
    description: 'The lists contain only what is in the folder itself, not in its subfolders.',
    item: Type.Object({ ...FolderRecord.properties, ...insideOf(content) }),
    get: async (userId, id) => {
      const folder = await folders.get(userId, content.type, id)
      return { ...present(folder), ...(await inside(on, userId, folder.id)) }
    },
  })
}

function changeFolder(scope: App, { folders, content, path }: On): void {
  scope.put(
    `${path}/:id`,
    {
      schema: {
        tags: content.tags,
        security: signedRequest,
        summary: 'Rename a folder or move it into another; only the given fields change',
        description: `A folder moves with everything in it.${content.hasVariables ? ' The environment variables of its new place apply from the next run on.' : ''}`,
        params: IdParameter,
        body: Type.Partial(Type.Object(settable), {
          examples: [{ name: 'Mean reversion', parent_id: null }],
        }),
        response: { 200: FolderRecord, ...errorResponses(400, 401, 404, 415, 500) },
      },
    },
    async ({ principal, params, body: { name, parent_id: parentId } }) =>
      present(await folders.change(principal.userId, content.type, params.id, given({ name, parentId }))),
  )
}

function deleteFolder(scope: App, { folders, content, path }: On): void {
  deleteRoute(scope, path, {
    tags: content.tags,
    summary: 'Delete an empty folder',
    description:
      'A folder that still contains anything is refused with 409, and `details` names the contents.',
    canConflict: true,
    delete: (userId, id) => folders.delete(userId, content.type, id),
  })
}

function insideOf(content: FolderContent) {
  return { folders: Type.Array(FolderRecord), [content.field]: Type.Array(content.Item) }
}

async function inside({ folders, content }: On, userId: number, folderId: number) {
  const window = { limit: plainListLimit, offset: 0 }
  const [subfolders, items] = await Promise.all([
    folders.list(userId, content.type, window, { parentId: folderId }),
    content.list(userId, folderId, window),
  ])
  return { folders: subfolders.map(present), [content.field]: items }
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
