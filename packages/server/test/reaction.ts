import assert from 'node:assert/strict'
import type { ApiAnswer, Client } from './client.ts'
import { until } from './until.ts'

/** A strategy of any kind, and its runs. */
export type TestStrategy = {
  id: number
  /** Its path in the API. */
  own: string
  /** Reads it through the API. */
  read(): Promise<ApiAnswer['body']>
  setStatus(status: 'ACTIVE' | 'INACTIVE'): Promise<ApiAnswer['body']>
  /** Its runs, oldest first. */
  runs(): Promise<ApiAnswer['body'][]>
  /** Waits until `count` runs have ended; resolves to all runs, oldest first. */
  ended(count: number, timeoutMs?: number): Promise<ApiAnswer['body'][]>
}

/** A data webhook with one active reaction. */
export type TestReaction = TestStrategy & {
  webhookId: number
  /** The path of the webhook's URL. */
  path: string
  /** Posts a payload to the webhook. */
  post(payload: unknown, headers?: Record<string, string>): Promise<ApiAnswer>
}

const reactions = '/api/v2/strategy/reaction/code'

/** Creates a data webhook with an active reaction through the API. */
export async function makeReaction(
  client: Client,
  code: string,
  fields: Record<string, unknown> = {},
): Promise<TestReaction> {
  const webhook = await expect(201, client.api('POST', '/api/v2/webhook/data', {}))
  const path = new URL(webhook.url).pathname
  const settings = { code, send_signal: true, symbol: 'BTCUSDT', data_webhook_id: webhook.id, ...fields }
  const { id } = await expect(201, client.api('POST', reactions, settings))
  const reaction = strategyAt(client, reactions, id)
  await reaction.setStatus('ACTIVE')
  return {
    ...reaction,
    webhookId: webhook.id,
    path,
    post: (payload, headers) => client.send('POST', path, { body: payload, ...(headers && { headers }) }),
  }
}

/** @param path the path of strategies of its kind */
export function strategyAt(client: Client, path: string, id: number): TestStrategy {
  const own = `${path}/${id}`
  const runs = async () => (await expect(200, client.api('GET', `${own}/runs`))).toReversed()
  return {
    id,
    own,
    read: () => expect(200, client.api('GET', own)),
    setStatus: (status) => expect(200, client.api('PUT', `${own}/status`, { status })),
    runs,
    ended: async (count, timeoutMs) => {
      let seen: ApiAnswer['body'][] = []
      const hasEnded = (run: ApiAnswer['body']) => run.status !== 'QUEUED' && run.status !== 'RUNNING'
      await until(
        `${count} runs of strategy ${id} to end`,
        async () => {
          seen = await runs()
          return seen.filter(hasEnded).length >= count
        },
        timeoutMs,
      )
      return seen
    },
  }
}

/** The body of an answer, which must have this status. */
export async function expect(status: number, answer: Promise<ApiAnswer>): Promise<ApiAnswer['body']> {
  const { status: actual, body } = await answer
  assert.equal(actual, status, JSON.stringify(body))
  return body
}
