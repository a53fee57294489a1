/** What a live stream hears of approvals, through the whole service. */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'drizzle-orm'
import { approvalPath, decide, exit, makeAsker, open } from '../../test/ai/approval.ts'
import { withProvider } from '../../test/ai/service.ts'
import { type LiveEvent, openLive } from '../../test/live.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'

const stepOf = ({ data }: LiveEvent) => [data.id, data.status]

withProvider(
  'a stream hears that an action waits, was replaced, approved and rejected, as GET shows it',
  async ({ account, other, key, provider, setModel, service }) => {
    const asker = await makeAsker(account, { provider, setModel })
    const theirs = await makeAsker(other, { provider, setModel })
    await using stream = await openLive(service.url, '?kind=approval', { key })
    await using ofAsker = await openLive(service.url, `?kind=approval&strategy_id=${asker.id}`, { key })
    await using spying = await openLive(service.url, `?kind=approval&strategy_id=${theirs.id}`, { key })
    let last: LiveEvent['data']
    // A request comes again when the model has said why, and a state may come twice.
    const isKnown = ({ data }: LiveEvent) =>
      (data.status === 'PENDING' && data.response === null) || isDeepStrictEqual(data, last)
    const next = async () => {
      let event: LiveEvent
      do {
        event = await stream.next()
        assert.deepEqual((await ofAsker.next()).data, event.data)
      } while (isKnown(event))
      last = event.data
      return event
    }
    await theirs.ask(exit)
    const first = await asker.ask(open('LONG'))
    assert.deepEqual((await next()).data, first)
    const second = await asker.ask(open('SHORT'))
    const both = new Map([stepOf(await next()), stepOf(await next())] as [number, string][])
    assert.deepEqual(
      both,
      new Map([
        [first.id, 'SUPERSEDED'],
        [second.id, 'PENDING'],
      ]),
    )
    // However often it is approved, it changes once.
    const approved = await expect(200, decide(account, second.id, 'approve'))
    await expect(200, decide(account, second.id, 'approve'))
    assert.deepEqual((await next()).data, approved)
    const third = await asker.ask(exit)
    assert.deepEqual(stepOf(await next()), [third.id, 'PENDING'])
    const rejected = await expect(200, decide(account, third.id, 'reject'))
    assert.deepEqual((await next()).data, rejected)
    assert.equal(spying.id(), '')
  },
)

withProvider(
  'a stream hears once that an approval has expired, whichever nodes look for it, and even if no node ran then',
  async ({ account, key, provider, setModel, service, database }) => {
    const { db } = await database.open()
    const askers = []
    for (let n = 0; n < 3; n++) askers.push(await makeAsker(account, { provider, setModel }))
    const [late, soon, waiting] = [
      await askers[0]!.ask(open('LONG')),
      await askers[1]!.ask(open('LONG')),
      await askers[2]!.ask(open('LONG')),
    ]
    await using stream = await openLive(service.url, '?kind=approval', { key })
    const expireAt = (id: number, seconds: number) =>
      db.execute(sql`update approvals set expires_at = clock_timestamp() + make_interval(secs => ${seconds})
        where id = ${id}`)
    await expireAt(late.id, -60)
    await expireAt(soon.id, 3)
    // A node looks when it starts, and whenever the next approval expires.
    const env = { HTTP_ALLOW: provider.host, LOG_LEVEL: 'silent', ROLES: 'scheduler' }
    await using nodes = new AsyncDisposableStack()
    for (let n = 0; n < 2; n++) nodes.use(await startService({ database, env }))
    for (const { id } of [late, soon]) {
      const { data } = await stream.next()
      assert.deepEqual([data.id, data.status, data.decided_at], [id, 'EXPIRED', null])
      assert.ok(Date.parse(data.expires_at) <= Date.now())
      assert.deepEqual(await expect(200, account.api('GET', `${approvalPath}/${id}`)), data)
      for (const decision of ['approve', 'reject'] as const) {
        assert.match((await expect(409, decide(account, id, decision))).error, /EXPIRED/)
      }
    }
    // Nothing else has come before this.
    await expect(200, decide(account, waiting.id, 'reject'))
    assert.deepEqual(stepOf(await stream.next()), [waiting.id, 'REJECTED'])
  },
)
