import { queryOptions } from '@tanstack/react-query'
import {
  type BotWebhook,
  type DataWebhook,
  type Exchange,
  eachOf,
  type SharedWebhook,
} from '@tickwright/client'
import { allOf } from '../../data/all-of.ts'
import { client } from '../../data/client.ts'

/** What the fields of a strategy can choose from. */

/** The exchanges that have prices: the simulated market first. */
export const exchangesQuery = queryOptions({
  queryKey: ['exchanges', 'with prices'],
  queryFn: async (): Promise<Exchange[]> => {
    const enabled = await client.exchanges.list({ enabled: true })
    return enabled
      .filter(({ type }) => type === 'CEX' || type === 'SIM')
      .sort((one, other) => other.type.localeCompare(one.type) || one.name.localeCompare(other.name))
  },
  // It changes only when an administrator changes it.
  staleTime: 300_000,
})

/** The same name can stand for a spot market and for futures. */
export function exchangeText({ type, name, service }: Exchange): string {
  return type === 'SIM' ? name : `${name} ${service}`
}

/** A webhook that can be chosen. `isShared`: it belongs to another user. */
export type WebhookChoice = { id: number; name: string; isShared: boolean }

/** The user's webhooks of one kind, and those that others share with the user. */
export function webhookChoicesQuery(kind: 'data' | 'bot') {
  return queryOptions({
    queryKey: ['webhooks', kind, 'choices'],
    queryFn: async (): Promise<WebhookChoice[]> => {
      const own = allOf(eachOf<DataWebhook | BotWebhook>(client.webhooks[kind].list))
      const shared = allOf(eachOf<SharedWebhook>(client.webhooks[kind].shared))
      return [
        ...(await own).map(({ id, name }) => ({ id, name, isShared: false })),
        ...(await shared).map(({ id, name }) => ({ id, name, isShared: true })),
      ].sort((one, other) => one.name.localeCompare(other.name))
    },
  })
}

/** The symbols of an exchange with this text in their names, at most 30. */
export function symbolsQuery(exchange: Exchange | undefined, text: string) {
  return queryOptions({
    queryKey: ['symbols', exchange?.id, text],
    queryFn: async () => {
      const q = text === '' ? {} : { q: text }
      const answer = await client.market.symbols({ exchange: String(exchange!.id), limit: 30, ...q })
      const items = Array.isArray(answer) ? answer : answer.items
      return items.map(({ symbol }) => symbol)
    },
    enabled: exchange !== undefined,
    // Without an answer of the exchange, the field still takes any text.
    retry: false,
    staleTime: 300_000,
  })
}
