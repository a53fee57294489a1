/** What a listener does with each delivery. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Delivery } from '@tickwright/client'
import type { Context } from '../context.ts'
import { Failure, wrongUse } from '../failures.ts'
import { type LocalObject, readProject } from '../files/project.ts'
import { State } from '../files/state.ts'
import { testRun } from '../files/test-run.ts'

/** A payload as its webhook got it. */
export type Received = Delivery & { body: string }

/** Resolves to what to show. It rejects only if no other delivery can be handled either. */
export type Handle = (delivery: Received) => Promise<{ text: string; record: object }>

/**
 * Runs the code of local files as test runs, which send no signal and store nothing. It reads the files for each
 * delivery, so that an edit counts from then on.
 * @param only the name of the file; default: all reactions whose files name this webhook
 * @throws {Failure} if there is no such file
 */
export async function runLocally(
  context: Context,
  webhook: { id: number; name: string },
  only: string | undefined,
): Promise<Handle> {
  const { client, url } = await context.connection()
  const me = await client.users.me()
  const reactions = async () => {
    const { root, objects } = await readProject(context.world.cwd)
    const state = await State.read(root, url, me.id)
    const found = objects.filter(
      (each) =>
        each.kind === 'code-reaction' &&
        (only === undefined ? leadsTo(each, webhook, objects, state) : each.key === only),
    )
    if (found.length === 0)
      throw wrongUse(
        only === undefined
          ? `No file in reactions/ names the webhook ${webhook.name} (${webhook.id}). Name the code: tickwright listen ${webhook.id} NAME`
          : `There is no reactions/${only}.yaml in this project.`,
      )
    return found
  }
  await reactions()
  return async ({ id, body, headers, ip }) => {
    const lines: string[] = []
    const results: object[] = []
    for (const local of await current(reactions)) {
      if (local instanceof Failure) {
        lines.push(local.message)
        results.push({ error: local.message })
        continue
      }
      const result = await tried(context, local, { payload: body, headers, ip })
      results.push({ file: local.path, ...result })
      lines.push(`${local.path}: ${describe(result)}`)
    }
    return { text: lines.join('; '), record: { delivery_id: id, results } }
  }
}

/** A file that somebody is editing may be wrong for a moment, which ends no listener. */
async function current(read: () => Promise<LocalObject[]>): Promise<(LocalObject | Failure)[]> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Failure) return [error]
    throw error
  }
}

function leadsTo(
  { settings }: LocalObject,
  webhook: { id: number; name: string },
  objects: readonly LocalObject[],
  state: State,
): boolean {
  if (settings.data_webhook_id === webhook.id) return true
  const { data_webhook: path } = settings
  if (typeof path !== 'string') return false
  const file = path.endsWith('.yaml') ? path : `${path}.yaml`
  const id = state.get(file)?.id
  if (id !== undefined) return id === webhook.id
  const hook = objects.find((each) => each.path === file)
  return hook !== undefined && (hook.settings.name ?? hook.key) === webhook.name
}

type Tried = { status: string; action: string | null; log: string; problem: string | null }

async function tried(context: Context, local: LocalObject, input: Record<string, unknown>): Promise<Tried> {
  try {
    const { status, action, log, error } = await testRun(context, local, input)
    return { status, action: action?.action ?? null, log, problem: error?.message ?? null }
  } catch (error) {
    // Such as a setting that is wrong. Too many test runs at once are another matter: the client waits for those.
    if (error instanceof ApiError && error.status === 400)
      return { status: 'REFUSED', action: null, log: '', problem: error.message }
    throw error
  }
}

function describe({ status, action, log, problem }: Tried): string {
  const shownLog = log.trim() === '' ? '' : `, log: ${log.trim()}`
  return `${status}${action === null ? ', no action' : `, ${action}`}${problem === null ? '' : `: ${problem}`}${shownLog}`
}

export type Forwarding = {
  target: URL
  /** Of this service, so that ids of two services are not the same key. */
  from: string
  /** The password of the webhook that gets them. */
  key: string | undefined
  /** Older payloads are not posted: an order on an old alert costs money. */
  maxAgeSeconds: number
}

const timeoutMs = 30_000
const longestWaitMs = 60_000

/** Posts each payload to another installation, byte for byte and under an idempotency key, until it gets an answer. */
export function forward(context: Context, { target, from, key, maxAgeSeconds }: Forwarding): Handle {
  return async ({ id, body, headers, received_at }) => {
    const ageSeconds = (Date.now() - Date.parse(received_at)) / 1000
    if (ageSeconds > maxAgeSeconds) {
      const text = `not posted: it is ${Math.round(ageSeconds)} s old, and --max-age is ${maxAgeSeconds}`
      return { text, record: { delivery_id: id, posted: false, reason: 'too old' } }
    }
    const sent = {
      'content-type': headers['content-type'] ?? 'application/json',
      'idempotency-key': `${from}/${id}`.slice(-255),
      ...(key === undefined ? {} : { 'x-key': key }),
    }
    for (let waitMs = 1000; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      const answer = await post(target, body, sent)
      if (typeof answer !== 'string' && !isPassing(answer.status)) {
        const { status, text } = answer
        const isAccepted = status === 200 || status === 202
        const shown = isAccepted ? `posted, ${status}` : `refused with ${status}: ${text.slice(0, 500)}`
        return { text: shown, record: { delivery_id: id, posted: isAccepted, status } }
      }
      const why = typeof answer === 'string' ? answer : `it answers ${answer.status}`
      context.out.say(`Delivery ${id} is not posted yet: ${why}. Trying again in ${waitMs / 1000} s …`)
      await sleep(waitMs)
      if ((Date.now() - Date.parse(received_at)) / 1000 > maxAgeSeconds)
        return {
          text: `not posted: ${why} until it was too old`,
          record: { delivery_id: id, posted: false, reason: why },
        }
    }
  }
}

/** @returns why there is no answer, or the answer */
async function post(
  target: URL,
  body: string,
  headers: Record<string, string>,
): Promise<string | { status: number; text: string }> {
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    const { cause } = error as Error
    return cause instanceof Error ? cause.message : (error as Error).message
  }
}

function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}
