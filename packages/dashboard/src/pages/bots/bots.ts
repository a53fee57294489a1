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

/** A bot for a prediction market or a DEX, where the service cannot trade yet. */
export type BotWithoutVenue =
  | Awaited<ReturnType<typeof client.bots.prediction.get>>
  | Awaited<ReturnType<typeof client.bots.dex.get>>

/** How many there are. */
export const botsWithoutVenueCountQuery = queryOptions({
  queryKey: ['bots', 'without-venue', 'count'],
  queryFn: async (): Promise<number> => {
    const counts = await Promise.all([client.bots.prediction.total(), client.bots.dex.total()])
    return counts.reduce((sum, { total }) => sum + total, 0)
  },
})

/** All of them by name, with the folders of both kinds and the names of their exchanges. */
export const botsWithoutVenueQuery = queryOptions({
  queryKey: ['bots', 'without-venue'],
  queryFn: async () => {
    const [prediction, dex, folders, dexFolders, exchanges] = await Promise.all([
      allOf(eachOf<BotWithoutVenue>(client.bots.prediction.list)),
      allOf(eachOf<BotWithoutVenue>(client.bots.dex.list)),
      allOf(eachOf<Folder>(client.bots.prediction.folders.list)),
      allOf(eachOf<Folder>(client.bots.dex.folders.list)),
      client.exchanges.list(),
    ])
    return {
      bots: [...prediction, ...dex].sort((one, other) => one.name.localeCompare(other.name)),
      folders: new Map([...folders, ...dexFolders].map(({ id, name }) => [id, name])),
      exchanges: new Map(exchanges.map(({ id, name }) => [id, name])),
    }
  },
})
