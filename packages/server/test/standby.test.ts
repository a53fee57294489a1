import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type OneAddress, startAddress } from './one-address.ts'
import { longPatienceMs } from './patience.ts'
import { type ServiceProcess, startProcess } from './process.ts'
import { expect, makeReaction, type TestReaction } from './reaction.ts'
import { openReplication, type ReplicatedServer, type Replication } from './replication.ts'
import { until } from './until.ts'

const env = { WEBHOOK_RATE: '1000000', WEBHOOK_BURST: '1000000', LOG_LEVEL: 'silent' }
const losses = 2
/**
 * Each may act twice within a second: once with the commit that an outage held up, and once right after it. An account may
 * act five times, and breaking that rule would suspend them.
 */
const reactionCount = 2

/** Leaves a mark of each payload, and sends a signal with its number from time to time: an account may send five a second. */
const code = `
const { n } = JSON.parse($.Request.data)
const { at } = $.Strategy.lastTrigger
const stored = (await $.Storage.get()) ?? { ns: [], acted: [] }
stored.ns.push(n)
if (at === null || Date.now() - at > 1000) {
  stored.acted.push(n)
  await $.Strategy.action(n % 2 === 0 ? $.Action.LONG : $.Action.SHORT, { id: String(n) })
}
await $.Storage.set(stored)`

/** A primary, and a service that reaches it by one address. The tests start a new standby whenever they need one. */
type Installation = AsyncDisposable & {
  replication: Replication
  address: OneAddress
  primary: ReplicatedServer
  service: ServiceProcess
}

async function startInstallation(): Promise<Installation> {
  await using acquired = new AsyncDisposableStack()
  const replication = acquired.use(await openReplication())
  const primary = await replication.startPrimary()
  await primary.query('create database tickwright')
  const address = acquired.use(await startAddress(primary.port))
  const url = `postgres://postgres:${replication.password}@127.0.0.1:${address.port}/tickwright`
  const service = acquired.use(await startProcess({ env: { ...env, DATABASE_URL: url } }))
  const kept = acquired.move()
  return { replication, address, primary, service, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

const installation = await startInstallation()
after(() => installation[Symbol.asyncDispose]())

/** What a sender knows: the ids of accepted payloads, and how often it had to try again. */
type Sent = { accepted: Map<number, number>; refused: number }

/** Posts one payload after another until `isOver`. It repeats a payload under the same key until that is accepted. */
async function send({ post }: TestReaction, sent: Sent, isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    while (!isOver()) {
      const { status, body } = await post({ n }, { 'Idempotency-Key': `payload ${n}` })
      // 200: it was stored, and only the answer to that was lost.
      if (status === 202 || status === 200) {
        sent.accepted.set(n, body.id)
        break
      }
      assert.equal(status, 503, JSON.stringify(body))
      sent.refused++
    }
  }
}

const healthOf = async (service: ServiceProcess) => {
  const { status, body } = await service.send('GET', '/health/ready')
  return { status, reason: body.parts.database.reason }
}

const signalsOf = async (service: ServiceProcess, { id }: TestReaction) =>
  (await expect(200, service.api('GET', `/api/v2/signal?strategy_id=${id}`))) as {
    id: number
    options: { id: string }
  }[]

test('while the standby is away, nothing is acknowledged and health says why, until the operator goes on without it', async () => {
  const { replication, primary, service } = installation
  const standby = await replication.startSynchronousStandby(primary)
  const reaction = await makeReaction(service, code)
  await expect(202, reaction.post({ n: 0 }))
  await standby.kill()
  let acknowledged = 0
  const posts = [1, 2, 3].map(async (n) => {
    await expect(202, reaction.post({ n }))
    acknowledged++
  })
  await until('health to say why', async () => {
    const { status, reason } = await healthOf(service)
    return status === 503 && reason === 'Commits wait for a synchronous standby that does not answer.'
  })
  assert.equal(acknowledged, 0)
  assert.equal((await service.send('GET', '/health/live')).status, 200)
  await primary.query('alter system reset synchronous_standby_names')
  await primary.query('select pg_reload_conf()')
  await Promise.all(posts)
  await reaction.ended(4)
  assert.deepEqual((await reaction.read()).storage.ns.toSorted(), [0, 1, 2, 3])
  await until('health to be good again', async () => (await healthOf(service)).status === 200)
})

test('when primaries die under load, their standbys have everything that was acknowledged, once', async () => {
  const { replication, address, service } = installation
  const reactions = await Promise.all(
    Array.from({ length: reactionCount }, () => makeReaction(service, code)),
  )
  const sent = reactions.map((): Sent => ({ accepted: new Map(), refused: 0 }))
  /** Signals that a reader has seen: they must not disappear. */
  const seen = new Set<number>()
  let isOver = false
  const read = async () => {
    while (!isOver) {
      for (const reaction of reactions) {
        const signals = await signalsOf(service, reaction).catch(() => [])
        for (const { id } of signals) seen.add(id)
      }
    }
  }
  const working = [...reactions.map((reaction, index) => send(reaction, sent[index]!, () => isOver)), read()]
  const accept = (count: number) => {
    const goals = sent.map(({ accepted }) => accepted.size + count)
    return until(
      `${count} more payloads each`,
      async () => sent.every(({ accepted }, index) => accepted.size >= goals[index]!),
      longPatienceMs,
    )
  }
  try {
    let { primary } = installation
    for (let loss = 0; loss < losses; loss++) {
      // Copied while payloads arrive, as after a loss.
      const standby = await replication.startSynchronousStandby(primary)
      const before = { seen: seen.size, refused: sent.map(({ refused }) => refused) }
      await accept(20)
      await until('signals', async () => seen.size > before.seen)
      await primary.kill()
      // An address may switch before the promotion: the standby then answers, but accepts no writes.
      address.switchTo(standby.port)
      await until('senders to be refused', async () =>
        sent.every(({ refused }, index) => refused > before.refused[index]!),
      )
      await until('health to say that it is a standby', async () => {
        const { status, reason } = await healthOf(service)
        return status === 503 && reason === 'The database is a standby and accepts no writes.'
      })
      await standby.query('select pg_promote()')
      await accept(20)
      primary = standby
    }
  } finally {
    isOver = true
    await Promise.all(working)
  }
  for (const [index, reaction] of reactions.entries()) {
    const signals = await checkBooks(service, reaction, sent[index]!.accepted)
    for (const id of signals) seen.delete(id)
  }
  assert.deepEqual([...seen], [], 'every signal that a reader has seen is still there')
})

type Run = { id: number; status: string; delivery_id: number }

/** Oldest first. A fast machine makes more of them than a list without pages has. */
async function allRuns(service: ServiceProcess, reaction: TestReaction): Promise<Run[]> {
  const runs: Run[] = []
  let older = ''
  for (;;) {
    const path = `${reaction.own}/runs?limit=200${older}`
    const { items }: { items: Run[] } = await expect(200, service.api('GET', path))
    runs.push(...items)
    if (items.length < 200) return runs.toReversed()
    older = `&before=${items.at(-1)!.id}`
  }
}

/** Resolves with the ids of the signals. */
async function checkBooks(
  service: ServiceProcess,
  reaction: TestReaction,
  accepted: Map<number, number>,
): Promise<number[]> {
  let runs: Run[] = []
  await until(
    'all runs to end',
    async () => {
      runs = await allRuns(service, reaction)
      return runs.every(({ status }) => status === 'SUCCEEDED')
    },
    longPatienceMs,
  )
  assert.deepEqual(
    runs.map((run) => run.delivery_id),
    [...accepted.values()],
    'each accepted payload, and no other, ran once and in order',
  )
  const { storage } = await reaction.read()
  assert.deepEqual(storage.ns, [...accepted.keys()], 'each run left its mark once')
  const signals = (await signalsOf(service, reaction)).toReversed()
  assert.deepEqual(
    signals.map(({ options }) => Number(options.id)),
    storage.acted,
    'one signal for each run that acted',
  )
  return signals.map(({ id }) => id)
}
