/** Payloads that a service accepted before it was killed, and what must have come of them afterwards. */
import assert from 'node:assert/strict'
import type { Client } from './client.ts'
import { longPatienceMs } from './patience.ts'
import type { TestReaction } from './reaction.ts'
import { until } from './until.ts'

/**
 * Each run adds its payload to storage, so the test sees a run that happened twice or never. The reactions pause between
 * actions, because their account may send five actions a second.
 */
export const code = `
const { n } = JSON.parse($.Request.data)
const { at, action } = $.Strategy.lastTrigger
const stored = (await $.Storage.get()) ?? { ns: [], triggers: [], acted: [] }
stored.ns.push(n)
stored.triggers.push(action)
if (at === null || Date.now() - at > 1300) {
  stored.acted.push(n)
  await $.Strategy.action(n % 2 === 0 ? $.Action.LONG : $.Action.SHORT, { id: String(n) })
}
await $.Storage.set(stored)`

/** Accepted payloads, by delivery. */
export type Accepted = Map<number, number>

/** Posts until the service dies, and records the accepted payloads in `accepted`. */
export async function postUntilGone(reaction: TestReaction, from: number, accepted: Accepted): Promise<void> {
  for (let n = from; ; n++) {
    try {
      const { status, body } = await reaction.post({ n })
      assert.equal(status, 202)
      accepted.set(body.id, n)
    } catch (error) {
      // A broken connection is the kill; a failed assertion is not.
      if (error instanceof TypeError) return
      throw error
    }
  }
}

/** Waits until each has at least `count` payloads. Tests count payloads instead of time, because machines differ. */
export function haveAccepted(all: Accepted[], count: number): Promise<void> {
  return until(`${count} payloads each`, async () => all.every(({ size }) => size >= count), longPatienceMs)
}

/** The same reaction, reached through another process. */
export function movedTo(service: Client, reaction: TestReaction): TestReaction {
  const own = `/api/v2/strategy/reaction/code/${reaction.id}`
  return {
    ...reaction,
    post: (payload) => service.send('POST', reaction.path, { body: payload }),
    read: async () => (await service.api('GET', own)).body,
    runs: async () => (await service.api('GET', `${own}/runs`)).body.toReversed(),
  }
}

/** Checks that every accepted payload has run, that none has run twice, and that each left its mark in order. */
export async function checkBooks(service: Client, reaction: TestReaction, accepted: Accepted): Promise<void> {
  assert.ok(accepted.size > 2, `only ${accepted.size} payloads were accepted`)
  let runs: { id: number; status: string; delivery_id: number; signal_id: number | null }[] = []
  const open = () => runs.filter(({ status }) => status !== 'SUCCEEDED')
  await until(
    'all runs to end',
    async () => {
      runs = await reaction.runs()
      const failed = open().filter(({ status }) => status !== 'QUEUED' && status !== 'RUNNING')
      assert.deepEqual(failed, [], 'no run fails')
      return open().length === 0
    },
    longPatienceMs,
  ).catch((error: Error) => {
    throw new Error(`${error.message} These have not: ${JSON.stringify(open())}`, { cause: error })
  })
  assert.ok(runs.length < 1000, 'the list of runs is cut at 1,000')
  const ran = runs.map((run) => run.delivery_id)
  assert.equal(new Set(ran).size, ran.length, 'a delivery has one run of this reaction')
  const missing = [...accepted.keys()].filter((delivery) => !ran.includes(delivery))
  assert.deepEqual(missing, [], 'every accepted payload ran')

  const deliveries = await service.api('GET', `/api/v2/webhook/data/${reaction.webhookId}/deliveries`)
  const bodies = new Map<number, number>(
    deliveries.body.map((delivery: { id: number; body: string }) => [
      delivery.id,
      JSON.parse(delivery.body).n,
    ]),
  )
  const expected = ran.map((delivery) => bodies.get(delivery)!)
  const { storage } = await reaction.read()
  assert.deepEqual(storage.ns, expected, 'each run left its mark once, in order')

  const acting: number[] = storage.acted
  assert.ok(acting.length > 0)
  const signals = (await service.api('GET', `/api/v2/signal?strategy_id=${reaction.id}`)).body.toReversed()
  assert.deepEqual(
    signals.map((signal: { options: { id: string } }) => Number(signal.options.id)),
    acting,
    'one signal for each run that acted',
  )
  // A run that was executed again saw the same as the first time.
  const actionOf = (n: number) => (!acting.includes(n) ? undefined : n % 2 === 0 ? 'LONG' : 'SHORT')
  let last: string | null = null
  for (const [index, n] of expected.entries()) {
    assert.equal(storage.triggers[index], last, `what run ${index} saw as the last action`)
    last = actionOf(n) ?? last
  }
}
