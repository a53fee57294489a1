import type { ApiAnswer, Client } from './client.ts'
import { expect } from './reaction.ts'

/** A data webhook, with the path that senders post to, and the secret in that path. */
export type TestWebhook = {
  id: number
  path: string
  urlId: string
  /** The answer of the API when it was created. */
  resource: ApiAnswer['body']
  /** Posts a payload: text and bytes unchanged, anything else as JSON. */
  post(payload: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
  /** Changes it through the API. */
  change(changes: Record<string, unknown>): Promise<ApiAnswer['body']>
  /** Its deliveries, newest first. */
  deliveries(): Promise<ApiAnswer['body'][]>
}

/** Creates a data webhook through the API. */
export async function makeWebhook(
  client: Client,
  settings: Record<string, unknown> = {},
): Promise<TestWebhook> {
  const resource = await expect(201, client.api('POST', '/api/v2/webhook/data', settings))
  const path = new URL(resource.url).pathname
  const own = `/api/v2/webhook/data/${resource.id}`
  return {
    id: resource.id,
    path,
    urlId: path.slice('/data-webhook/'.length),
    resource,
    post: (payload, headers) => client.send('POST', path, { body: payload, ...(headers && { headers }) }),
    change: (change) => expect(200, client.api('PUT', own, change)),
    deliveries: () => expect(200, client.api('GET', `${own}/deliveries`)),
  }
}
