import { queryOptions } from '@tanstack/react-query'
import { eachOf, type Folder, type List } from '@tickwright/client'
import { client } from '../../../data/client.ts'
import { type FolderKind, type KnownFolder, knownFolders } from './folders.ts'

type ListFolders = (part: { page?: number; limit: number }) => Promise<List<Folder>>

async function read(kind: FolderKind, list: ListFolders): Promise<KnownFolder[]> {
  const folders: Folder[] = []
  for await (const folder of eachOf(list)) folders.push(folder)
  return knownFolders(kind, folders)
}

/** All folders of strategies of all kinds. */
export const foldersQuery = queryOptions({
  queryKey: ['folders', 'of all kinds'],
  queryFn: async () => {
    const kinds = await Promise.all([
      read('Code strategies', client.strategies.code.folders.list),
      read('Code reactions', client.reactions.code.folders.list),
      read('AI reactions', client.reactions.llm.folders.list),
      read('AI sessions', client.strategies.llmSessions.folders.list),
    ])
    return kinds.flat()
  },
})

export type Use = Awaited<ReturnType<typeof client.variables.uses>>['uses'][number]

/** The strategies whose code reads a variable. The service reads some code for each answer, and says where to go on. */
export function usesQuery(variableId: number) {
  return queryOptions({
    queryKey: ['strategies', 'uses', variableId],
    queryFn: async () => {
      const uses: Use[] = []
      for (let after: number | null = 0; after !== null; ) {
        const answer: { uses: Use[]; next_after: number | null } = await client.variables.uses(variableId, {
          after,
        })
        uses.push(...answer.uses)
        after = answer.next_after
      }
      return uses
    },
    staleTime: 0,
  })
}
