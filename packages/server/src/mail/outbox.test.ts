import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { asc } from 'drizzle-orm'
import { createTestDatabase } from '../../test/databases.ts'
import { answerOf, type Mailbox, startMailbox } from '../../test/mailbox.ts'
import { until } from '../../test/until.ts'
import type { Database } from '../db/database.ts'
import { type MailKind, mails } from '../db/schema.ts'
import { Vault } from '../secrets/vault.ts'
import { Mailer } from './mailer.ts'
import { Outbox } from './outbox.ts'
import { Postman } from './postman.ts'
import { Smtp } from './smtp.ts'

const vault = new Vault(randomBytes(32))
const to = 'a@example.com'
const minuteMs = 60_000

type World = {
  clock: { nowMs: number }
  send(kind: MailKind, subject: string): Promise<void>
  rows(): Promise<(typeof mails.$inferSelect)[]>
  /** Starts a node that sends to a mail server, with the time of `clock`. */
  startNode(url: string): AsyncDisposable
}

/** A clock that runs, and can be moved. */
class MovedClock {
  #aheadMs = 1_000

  get nowMs(): number {
    return Date.now() + this.#aheadMs
  }

  set nowMs(nowMs: number) {
    this.#aheadMs = nowMs - Date.now()
  }
}

/** Registers a test with its own database. */
function withWorld(name: string, fn: (world: World) => Promise<void>): void {
  test(name, async () => {
    await using place = await createTestDatabase()
    const database = await place.open()
    const clock = new MovedClock()
    const mailer = new Mailer({ database, vault, onMail: () => undefined })
    await fn({
      clock,
      send: (kindOf, subject) =>
        mailer.send({ userId: 1, to, kind: kindOf, subject, text: `About ${subject}.` }),
      rows: () => database.db.select().from(mails).orderBy(asc(mails.id)),
      startNode: (url) => startNode(database, clock, url),
    })
  })
}

function startNode(database: Database, clock: { nowMs: number }, url: string): AsyncDisposable {
  const smtp = new Smtp(url, 'tickwright@example.com')
  const postman = new Postman({
    outbox: new Outbox(database, vault, () => clock.nowMs),
    smtp,
    onOutcome: () => undefined,
    onKept: () => assert.fail('there is a mail server'),
    onError: (error) => assert.fail(`unexpected: ${error}`),
    now: () => clock.nowMs,
    sweepMs: 20,
  })
  postman.start()
  return {
    [Symbol.asyncDispose]: async () => {
      await postman.stop()
      smtp.close()
    },
  }
}

const subjects = (mailbox: Pick<Mailbox, 'received'>) => mailbox.received.map(({ subject }) => subject)

const statuses = async (world: World) => (await world.rows()).map(({ status }) => status)

const ended = (world: World, count: number) =>
  until(
    `${count} mails to end`,
    async () => (await statuses(world)).filter((status) => status !== 'WAITING').length >= count,
  )

withWorld('one message of a kind goes each hour, and later mails go together in the next', async (world) => {
  await using mailbox = await startMailbox()
  await using _ = world.startNode(mailbox.url)
  await world.send('suspension', 'one')
  await ended(world, 1)
  await world.send('suspension', 'two')
  await world.send('suspension', 'three')
  await world.send('locked', 'other')
  await ended(world, 2)
  world.clock.nowMs += 59 * minuteMs
  await world.send('sign_in_failed', 'yet another')
  await ended(world, 3)
  assert.deepEqual(subjects(mailbox), ['one', 'other', 'yet another'])
  world.clock.nowMs += 2 * minuteMs
  await ended(world, 5)
  assert.deepEqual(subjects(mailbox).slice(3), ['two (and 1 more)'])
  assert.match(mailbox.received[3]!.text!, /About two\.[\s\S]*About three\./)
})

for (const kind of ['approval', 'stop'] as const) {
  withWorld(
    `mails of the kind ${kind} go at once, and after ten in an hour together once a minute`,
    (world) => checkPrompt(world, kind),
  )
}

async function checkPrompt(world: World, kind: MailKind): Promise<void> {
  let refuses = true
  await using mailbox = await startMailbox(() => {
    if (refuses) throw answerOf(451)
  })
  await using _ = world.startNode(mailbox.url)
  await world.send(kind, 'refused')
  await until('a refusal', async () => (await world.rows())[0]!.reason !== null)
  refuses = false
  for (let n = 1; n <= 10; n++) {
    await world.send(kind, `action ${n}`)
    await ended(world, n)
  }
  await world.send(kind, 'action 11')
  await world.send(kind, 'action 12')
  await until('both to be put off', async () =>
    (await world.rows()).slice(11).every(({ nextAttemptAt }) => nextAttemptAt.getTime() > world.clock.nowMs),
  )
  const ten = Array.from({ length: 10 }, (_, n) => `action ${n + 1}`)
  assert.deepEqual(subjects(mailbox), ten)
  world.clock.nowMs += minuteMs + 1_000
  await ended(world, 13)
  assert.deepEqual(subjects(mailbox).slice(10).toSorted(), ['action 11 (and 1 more)', 'refused'])
}

withWorld('a requested link goes at once, only the newest, and at most five times an hour', async (world) => {
  await using mailbox = await startMailbox()
  for (const n of [1, 2, 3]) await world.send('reset', `link ${n}`)
  await using _ = world.startNode(mailbox.url)
  await ended(world, 3)
  for (const n of [4, 5, 6, 7]) {
    await world.send('reset', `link ${n}`)
    await ended(world, n)
  }
  await world.send('reset', 'link 8')
  await world.send('reset', 'link 9')
  await world.send('confirmation', 'other')
  await until('both to be put off', async () => {
    const rows = await world.rows()
    return rows[7]!.status === 'SUPERSEDED' && rows[8]!.nextAttemptAt.getTime() > world.clock.nowMs
  })
  await ended(world, 9)
  const first = ['link 3', 'link 4', 'link 5', 'link 6', 'link 7']
  assert.deepEqual(subjects(mailbox), [...first, 'other'])
  world.clock.nowMs += 61 * minuteMs
  await ended(world, 10)
  assert.deepEqual(subjects(mailbox), [...first, 'other', 'link 9'])
  assert.ok((await world.rows()).every(({ body }) => body === null))
})

withWorld('a mail is retried after a temporary refusal, but not after a final one', async (world) => {
  const answers = [451, 552]
  await using mailbox = await startMailbox(() => {
    const code = answers.shift()
    if (code !== undefined) throw answerOf(code)
  })
  await using _ = world.startNode(mailbox.url)
  await world.send('suspension', 'later')
  await until('a refusal', async () => (await world.rows())[0]!.reason !== null)
  const [refused] = await world.rows()
  assert.deepEqual([refused!.status, refused!.attempts], ['WAITING', 1])
  await world.send('locked', 'never')
  await ended(world, 1)
  const [, never] = await world.rows()
  assert.deepEqual([never!.status, never!.attempts], ['FAILED', 1])
  assert.match(never!.reason!, /552/)
  world.clock.nowMs += 2 * minuteMs
  await ended(world, 2)
  assert.deepEqual(subjects(mailbox), ['later'])
})

withWorld('if the answer of the mail server is lost, the same message goes again', async (world) => {
  const ids: string[] = []
  await using losing = await startMailbox(({ messageId }) => {
    ids.push(messageId!)
    throw answerOf(421)
  })
  {
    await using _ = world.startNode(losing.url)
    await world.send('suspension', 'one')
    await until('a reason', async () => (await world.rows())[0]!.reason !== null)
    await world.send('suspension', 'two')
  }
  await using mailbox = await startMailbox()
  await using _ = world.startNode(mailbox.url)
  world.clock.nowMs += 2 * minuteMs
  await ended(world, 1)
  // It contains no newer mails: readers would take it for the message that they have seen.
  assert.deepEqual(subjects(mailbox), ['one'])
  assert.equal(mailbox.received[0]!.messageId, ids[0])
  world.clock.nowMs += 61 * minuteMs
  await ended(world, 2)
  assert.deepEqual(subjects(mailbox), ['one', 'two'])
})

for (const [when, restartsAfter] of [
  ['', 0],
  [', and a week without the service does not count', 7],
] as const)
  withWorld(`an unreachable mail server is tried for a day, less and less often${when}`, async (world) => {
    await using gone = await startMailbox()
    await gone[Symbol.asyncDispose]()
    await world.send('suspension', 'lost')
    await using nodes = new AsyncDisposableStack()
    let node = nodes.use(world.startNode(gone.url))
    let attempts = 0
    for (;;) {
      attempts += 1
      await until('an attempt', async () => {
        const [row] = await world.rows()
        return row!.attempts === attempts && !row!.sending
      })
      const [row] = await world.rows()
      if (row!.status === 'FAILED') break
      if (attempts === restartsAfter) {
        await node[Symbol.asyncDispose]()
        world.clock.nowMs += 7 * 24 * 60 * minuteMs
        node = nodes.use(world.startNode(gone.url))
      } else world.clock.nowMs = row!.nextAttemptAt.getTime()
    }
    assert.ok(attempts > 8 && attempts < 16, `${attempts} attempts`)
  })

withWorld('two nodes that send at once send one message of a kind', async (world) => {
  await using mailbox = await startMailbox()
  await using _one = world.startNode(mailbox.url)
  await using _other = world.startNode(mailbox.url)
  await Promise.all(Array.from({ length: 12 }, (_, n) => world.send('suspension', `mail ${n}`)))
  await ended(world, 1)
  await until('the rest to be put off', async () =>
    (await world.rows()).every(
      ({ status, nextAttemptAt }) => status === 'SENT' || nextAttemptAt.getTime() > world.clock.nowMs,
    ),
  )
  assert.equal(mailbox.received.length, 1)
  world.clock.nowMs += 61 * minuteMs
  await ended(world, 12)
  assert.ok(mailbox.received.length <= 2)
})

test('credentials do not go in the clear, and a recipient is a single address', async () => {
  await using mailbox = await startMailbox(undefined, { hideSTARTTLS: true })
  const { port } = new URL(mailbox.url)
  const words = { subject: 'a', text: 'b' }
  const elsewhere = new Smtp(`smtp://me:secret@0.0.0.0:${port}`, 'b@example.com')
  const sent = await elsewhere.send(to, 'id', words)
  assert.equal(sent.status, 'later')
  elsewhere.close()
  const smtp = new Smtp(mailbox.url, 'b@example.com')
  for (const address of ['a@example.com, b@example.com', 'a', 'a@b\r\nRCPT TO:<c@d>', '<a@b>', 'x <a@b>']) {
    assert.equal((await smtp.send(address, 'id', words)).status, 'refused', address)
  }
  const placeholder = await smtp.send('admin@localhost', 'id', words)
  assert.equal(placeholder.status, 'refused')
  assert.match((placeholder as { reason: string }).reason, /^Nobody receives mail at admin@localhost\./)
  assert.equal((await smtp.send(to, 'id', words)).status, 'sent')
  smtp.close()
  assert.deepEqual(mailbox.received[0]!.recipients, [to])
})
