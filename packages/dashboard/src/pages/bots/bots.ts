import { queryOptions } from '@tanstack/react-query'
import { eachOf, type Folder, type SignalBotInList } from '@tickwright/client'
import { allOf } from '../../data/all-of.ts'
import { client } from '../../data/client.ts'

export const botsQuery = queryOptions({
  queryKey: ['bots', 'all'],
  queryFn: async (): Promise<SignalBotInList[]> => {
    const bots: SignalBotInList[] = []
    for await (const bot of eachOf(client.bots.signal.list)) bots.push(bot)
    return bots.sort((one, other) => one.name.localeCompare(other.name))
  },
})

/** All folders of bots. */
export const botFoldersQuery = queryOptions({
  queryKey: ['bots', 'folders'],
  queryFn: (): Promise<Folder[]> => allOf(eachOf<Folder>(client.bots.signal.folders.list)),
})

export function botQuery(id: number) {
  return queryOptions({ queryKey: ['bots', id], queryFn: () => client.bots.signal.get(id) })
}
