import { queryOptions } from '@tanstack/react-query'
import { type BotWebhook, eachOf, type SignalBotInList } from '@tickwright/client'
import { client } from './client.ts'
import { useQuery } from './use-query.ts'

/** What other pages say about a bot. */
export type BotName = Pick<SignalBotInList, 'id' | 'name' | 'mode' | 'demo' | 'status' | 'exchange_id'>

/** All bots by their ids, in order of their names: records of trading have only the ids. */
export const botNamesQuery = queryOptions({
  queryKey: ['bots', 'names'],
  queryFn: async () => {
    const bots: BotName[] = []
    for await (const { id, name, mode, demo, status, exchange_id } of eachOf(client.bots.signal.list))
      bots.push({ id, name: name || `Bot ${id}`, mode, demo, status, exchange_id })
    bots.sort((one, other) => one.name.localeCompare(other.name))
    return new Map(bots.map((bot) => [bot.id, bot]))
  },
})

/** The names of all bot webhooks of the user by their ids. */
export const botWebhookNamesQuery = queryOptions({
  queryKey: ['webhooks', 'bot', 'names'],
  queryFn: async () => {
    const names = new Map<number, string>()
    for await (const { id, name } of eachOf<BotWebhook>(client.webhooks.bot.list))
      names.set(id, name || `Webhook ${id}`)
    return names
  },
})

/** Finds the name of a bot webhook, or its number while the name is not known. */
export function useBotWebhookNames(): (id: number) => string {
  const { data } = useQuery(botWebhookNamesQuery)
  return (id) => data?.get(id) ?? `Webhook ${id}`
}
