import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Incoming, Intake, type Stored } from './intake.ts'

type Item = Incoming & { name: string }
type Named = { name: string }

const item = (name: string, idempotencyKey: string | null = null): Item => ({
  webhookId: 1,
  webhookVersion: 1,
  sender: null,
  idempotencyKey,
  receivedAtMs: 0,
  name,
})
const failure = (code: string) => Object.assign(new Error(`failed with ${code}`), { code })

/** An intake whose store keeps names, unless `refuse` returns an error for the batch. */
function openIntake(refuse: (names: string[]) => Error | undefined) {
  const stored: string[] = []
  const intake = new Intake<Item, Named>({
    store: async (items) => {
      const names = items.map(({ name }) => name)
      const error = refuse(names)
      if (error !== undefined) throw error
      return items.map(({ name }): Stored<Named> => {
        stored.push(name)
        return { status: 'accepted', id: stored.length, receivedAtMs: 0, name }
      })
    },
    firstAnswer: async () => undefined,
    sizeBytes: () => 1,
  })
  return { intake, stored }
}

const settled = async (promises: Promise<{ status: string }>[]) =>
  (await Promise.allSettled(promises)).map((each) =>
    each.status === 'fulfilled' ? each.value.status : (each.reason as Error).message,
  )

test('if the database refuses an item, the others of its batch are stored', async () => {
  for (const code of ['22P05', '23505', '40P01', 'XX000']) {
    const { intake, stored } = openIntake((names) => (names.includes('bad') ? failure(code) : undefined))
    const results = await settled(['a', 'bad', 'b'].map((name) => intake.take(item(name))))
    assert.deepEqual(results, ['accepted', `failed with ${code}`, 'accepted'])
    assert.deepEqual(stored, ['a', 'b'])
  }
})

test('a batch whose answer was lost is not stored again', async () => {
  for (const code of ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '']) {
    const seen: string[] = []
    const { intake } = openIntake((names) => {
      seen.push(...names)
      return failure(code)
    })
    const results = await settled(['a', 'b'].map((name) => intake.take(item(name))))
    assert.deepEqual(results, [`failed with ${code}`, `failed with ${code}`])
    assert.deepEqual(seen, ['a', 'b'])
  }
})

test('of equal keys in a batch the first is stored, even if another item is refused', async () => {
  const { intake, stored } = openIntake((names) => (names.includes('bad') ? failure('22P05') : undefined))
  const items = [item('a', 'key'), item('bad'), item('b', 'key')]
  const results = await settled(items.map((each) => intake.take(each)))
  assert.deepEqual(results, ['accepted', 'failed with 22P05', 'duplicate'])
  assert.deepEqual(stored, ['a'])
})

test('the intake continues after a failure', async () => {
  let isAway = true
  const { intake, stored } = openIntake(() => (isAway ? failure('ECONNREFUSED') : undefined))
  await assert.rejects(intake.take(item('a')))
  isAway = false
  assert.equal((await intake.take(item('b'))).status, 'accepted')
  await intake.drain()
  assert.deepEqual(stored, ['b'])
})
