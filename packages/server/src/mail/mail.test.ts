import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eq } from 'drizzle-orm'
import { addUsers, lookInto } from '../../test/accounts.ts'
import type { Client } from '../../test/client.ts'
import { createTestDatabase, fileResources, withDatabase } from '../../test/databases.ts'
import { startMailbox } from '../../test/mailbox.ts'
import { startProcess } from '../../test/process.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { mails } from '../db/schema.ts'

const mailbox = fileResources.use(await startMailbox())

async function start() {
  const database = fileResources.use(await createTestDatabase())
  const emails = Array.from({ length: 6 }, (_, n) => `user-${n}@example.com`)
  const keys = await addUsers(database, emails)
  const env = { SMTP_URL: mailbox.url, LOG_LEVEL: 'error', PUBLIC_URL: 'https://trading.example.org' }
  const service = fileResources.use(await startService({ database, env }))
  return { account: () => ({ client: service.as(keys.pop()!), email: emails.pop()! }) }
}

let started: ReturnType<typeof start> | undefined

type Account = { client: Client; email: string }

function withAccount(name: string, fn: (account: Account, other: Account) => Promise<void>): void {
  test(name, async () => {
    started ??= start()
    const { account } = await started
    await fn(account(), account())
  })
}

const listed = (client: Client) => expect(200, client.api('GET', '/api/v2/user/mail'))
const arrived = (email: string, count: number) =>
  until(`${count} mails to ${email}`, async () => mailbox.to(email).length >= count)

withAccount(
  'a strategy that stops itself mails its owner once for each run, every time at once',
  async ({ client, email }, other) => {
    const name = 'Grüße\r\nBcc: victim@example.com\r\n\r\nBuy now 💸'
    const code = 'await $.Strategy.stop(true); await $.Strategy.stop(true)'
    const reaction = await makeReaction(client, code, { name })
    await reaction.post({})
    await arrived(email, 1)
    const [mail] = mailbox.to(email)
    assert.equal(mail!.subject, 'Strategy "Grüße Bcc: victim@example.com Buy now 💸" has stopped itself')
    assert.match(mail!.text!, new RegExp(`\\(id ${reaction.id}\\) stopped itself`))
    assert.deepEqual([mail!.recipients, mail!.sender], [[email], 'tickwright@trading.example.org'])
    assert.deepEqual(
      mail!.to?.map(({ address }) => address),
      [email],
    )
    assert.equal(mail!.bcc, undefined)
    assert.equal(mail!.html, undefined)
    assert.equal((await reaction.read()).status, 'INACTIVE')

    const second = await makeReaction(client, 'await $.Strategy.stop(true)', { name: 'second' })
    for (const count of [2, 3]) {
      await second.setStatus('ACTIVE')
      await second.post({})
      await arrived(email, count)
    }
    const silent = await makeReaction(client, 'await $.Strategy.stop()')
    await silent.post({})
    await silent.ended(1)
    const isSent = async () =>
      (await listed(client)).every(({ status }: { status: string }) => status === 'SENT')
    await until('all to be marked', isSent)
    assert.deepEqual(
      (await listed(client)).map(({ kind, subject }: { kind: string; subject: string }) => [kind, subject]),
      [
        ['stop', 'Strategy "second" has stopped itself'],
        ['stop', 'Strategy "second" has stopped itself'],
        ['stop', mail!.subject],
      ],
    )
    assert.deepEqual(await listed(other.client), [])
    assert.equal(mailbox.to(email).length, 3)
  },
)

withAccount('a suspension mails its owner the rule, the reason and the end', async ({ client, email }) => {
  const code = 'await $.Strategy.action($.Action.LONG); await $.Strategy.action($.Action.LONG)'
  const reaction = await makeReaction(client, code, { name: 'Twice' })
  await reaction.post({})
  const [run] = await reaction.ended(1)
  await arrived(email, 1)
  const [mail] = mailbox.to(email)
  const until = (await reaction.read()).suspended_until.slice(0, 19).replace('T', ' ')
  assert.equal(mail!.subject, `Strategy "Twice" is suspended until ${until} UTC`)
  assert.match(mail!.text!, new RegExp(`run ${run.id} broke the rule actions_per_run`))
  assert.match(mail!.text!, /The limit is 1, and the run reached 2/)
})

withDatabase(
  'without a mail server, mail is kept and shown only to its user, except for links',
  async (database) => {
    const [own, other] = await addUsers(database, ['own@example.com', 'other@example.com'])
    {
      await using service = await startProcess({ database, env: { LOG_LEVEL: 'warn' } })
      const reaction = await makeReaction(service.as(own!), 'await $.Strategy.stop(true)', { name: 'kept' })
      await reaction.post({})
      const asked = { body: { email: 'own@example.com' } }
      await expect(202, service.send('POST', '/api/v2/user/password/reset', asked))
      const read = () => listed(service.as(own!))
      await until(
        'both',
        async () => (await read()).filter(({ status }: { status: string }) => status === 'KEPT').length === 2,
      )
      const [reset, stop] = (await read()).toSorted((a: { kind: string }, b: { kind: string }) =>
        a.kind < b.kind ? -1 : 1,
      )
      assert.deepEqual([reset.kind, reset.text], ['reset', null])
      assert.match(stop.text, /"kept" \(id \d+\) stopped itself/)
      assert.deepEqual(await listed(service.as(other!)), [])
      assert.deepEqual(await expect(200, service.as(own!).api('GET', '/api/v2/user/mail?limit=1&page=3')), {
        ...{ items: [], total: 2, page: 3, limit: 1 },
      })
      // The log has the link, so that the operator can pass it on.
      assert.match(service.output(), /mail kept.*/)
      assert.match(service.output(), /reset#[\w-]{43}/)
    }
    await lookInto(database, async ({ db }) => {
      const rows = await db.select().from(mails).where(eq(mails.kind, 'reset'))
      assert.deepEqual(
        rows.map(({ body }) => body),
        [null],
      )
    })
  },
)
