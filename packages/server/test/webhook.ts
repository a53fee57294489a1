import type { ApiAnswer, Client } from './client.ts'
import { expect } from './reaction.ts'

/** A data webhook, with the path that senders post to and the secret in it. */
export type TestWebhook = {
  id: number
  path: string
  urlId: string
  /** As the API answered when it was made. */
  resource: ApiAnswer['body']
  /** Posts a payload: text and bytes as they are, anything else as JSON. */
  post(payload: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
  /** Changes it through the API. */
  change(wish: Record<string, unknown>): Promise<ApiAnswer['body']>
  /** What it took in, the newest first. */
  deliveries(): Promise<ApiAnswer['body'][]>
}

/** Makes a data webhook through the API. */
export async function makeWebhook(client: Client, wish: Record<string, unknown> = {}): Promise<TestWebhook> {
  const resource = await expect(201, client.api('POST', '/api/v2/webhook/data', wish))
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
