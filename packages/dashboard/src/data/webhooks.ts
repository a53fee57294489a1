import { queryOptions } from '@tanstack/react-query'
import type { BotWebhook, DataWebhook, SharedWebhook } from '@tickwright/client'
import { eachOf } from '@tickwright/client'
import { client } from './client.ts'

export type Kind = 'data' | 'bot'
export type Webhook = DataWebhook | BotWebhook

export function isKind(text: string): text is Kind {
  return text === 'data' || text === 'bot'
}

/** All webhooks of one kind, in order of their names. */
export function webhooksQuery(kind: Kind) {
  return queryOptions({
    queryKey: ['webhooks', kind, 'all'],
    queryFn: async (): Promise<Webhook[]> => {
      const found: Webhook[] = []
      for await (const webhook of eachOf<Webhook>(client.webhooks[kind].list)) found.push(webhook)
      return found.sort((one, other) => one.name.localeCompare(other.name))
    },
  })
}

export function webhookQuery(kind: Kind, id: number) {
  return queryOptions({
    queryKey: ['webhooks', kind, id],
    queryFn: (): Promise<Webhook> => client.webhooks[kind].get(id),
  })
}

/** What others share with the user: each webhook with an address that only this user has. */
export function sharedWebhooksQuery(kind: Kind) {
  return queryOptions({
    queryKey: ['webhooks', kind, 'shared'],
    queryFn: async (): Promise<SharedWebhook[]> => {
      const found: SharedWebhook[] = []
      for await (const webhook of eachOf<SharedWebhook>(client.webhooks[kind].shared)) found.push(webhook)
      return found
    },
  })
}
