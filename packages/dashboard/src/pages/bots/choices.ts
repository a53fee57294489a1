import { useQueries } from '@tanstack/react-query'
import type { Exchange, ExchangeConnection, Folder, SharedWebhook } from '@tickwright/client'
import { botExchangesQuery, connectionsQuery } from '../../data/accounts.ts'
import { sharedWebhooksQuery, type Webhook, webhooksQuery } from '../../data/webhooks.ts'
import { type Placed, treeOf } from '../../parts/folders/tree.ts'
import { botFoldersQuery } from './bots.ts'

/** What the settings of a bot can name. */
export type Choices = {
  own: Webhook[]
  shared: SharedWebhook[]
  exchanges: Exchange[]
  connections: ExchangeConnection[]
  folders: Placed<Folder>[]
}

/** Reads all of them first: a form that is sent without its lists would take their choices away. */
export function useChoices(): { choices: Choices | undefined; error: Error | null; retry: () => void } {
  const [own, shared, exchanges, connections, folders] = useQueries({
    queries: [
      webhooksQuery('bot'),
      sharedWebhooksQuery('bot'),
      botExchangesQuery,
      connectionsQuery,
      botFoldersQuery,
    ],
  })
  const all = [own, shared, exchanges, connections, folders]
  const isRead = own.data && shared.data && exchanges.data && connections.data && folders.data
  return {
    choices: isRead && {
      own: own.data,
      shared: shared.data,
      exchanges: exchanges.data,
      connections: connections.data,
      folders: treeOf(folders.data),
    },
    error: all.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const query of all) if (query.isError) void query.refetch()
    },
  }
}
