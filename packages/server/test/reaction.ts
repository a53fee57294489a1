import assert from 'node:assert/strict'
import type { Answer, Client } from './client.ts'
import { until } from './until.ts'

/** A data webhook with one active reaction. */
export type TestReaction = {
  id: number
  webhookId: number
  /** Path of the webhook's URL. */
  path: string
  /** Posts a payload to the webhook. */
  post(payload: unknown, headers?: Record<string, string>): Promise<Answer>
  /** The reaction as the API shows it. */
  read(): Promise<Answer['body']>
  /** Its runs, the oldest first. */
  runs(): Promise<Answer['body'][]>
  /** Waits until `count` runs have ended; resolves to all of them, the oldest first. */
  ended(count: number, timeoutMs?: number): Promise<Answer['body'][]>
}

/** Makes a data webhook and a reaction of it through the API, and switches the reaction on. */
export async function makeReaction(
  client: Client,
  code: string,
  fields: Record<string, unknown> = {},
): Promise<TestReaction> {
  const webhook = await expect(201, client.api('POST', '/api/v2/webhook/data', {}))
  const path = new URL(webhook.url).pathname
  const settings = { code, send_signal: true, symbol: 'BTCUSDT', data_webhook_id: webhook.id, ...fields }
  const { id } = await expect(201, client.api('POST', '/api/v2/strategy/reaction/code', settings))
  const own = `/api/v2/strategy/reaction/code/${id}`
  await expect(200, client.api('PUT', `${own}/status`, { status: 'ACTIVE' }))
  const read = () => expect(200, client.api('GET', own))
  const runs = async () => (await expect(200, client.api('GET', `${own}/runs`))).toReversed()
  return {
    id,
    webhookId: webhook.id,
    path,
    post: (payload, headers) => client.send('POST', path, { body: payload, ...(headers && { headers }) }),
    read,
    runs,
    ended: async (count, timeoutMs) => {
      let seen: Answer['body'][] = []
      const hasEnded = (run: Answer['body']) => run.status !== 'QUEUED' && run.status !== 'RUNNING'
      await until(
        `${count} runs of reaction ${id} to end`,
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

/** The body of an answer that must have this status. */
export async function expect(status: number, answer: Promise<Answer>): Promise<Answer['body']> {
  const { status: actual, body } = await answer
  assert.equal(actual, status, JSON.stringify(body))
  return body
}
