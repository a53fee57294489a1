/** Approvals through the whole service: from a payload to a model, its owner, signals and orders. */
import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { approvalPath, decide, exit, makeAsker, open } from '../../test/ai/approval.ts'
import { llmPath } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { answerJson, says } from '../../test/ai/stand-in.ts'
import { wireFormats } from '../../test/ai/wire-formats.ts'
import { makeBot } from '../../test/bot.ts'
import type { Client } from '../../test/client.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'

const statusOf = async (client: Client, id: number) =>
  (await expect(200, client.api('GET', `${approvalPath}/${id}`))).status
const eventsOf = async (client: Client, event: string) =>
  (await expect(200, client.api('GET', '/api/v2/user/audit'))).filter(
    (each: { event: string }) => each.event === event,
  )

withProvider(
  'an action waits, and is sent once, however many requests approve it at the same time',
  async ({ account, provider, setModel }) => {
    const endpoint = { url: 'https://receiver.example/', events: ['approval.requested', 'signal.created'] }
    await expect(201, account.api('POST', '/api/v2/notification/endpoint', endpoint))
    const bot = await makeBot(account)
    const fields = { webhook_id: bot.webhookId, max_size: 500, name: 'Judge', approval_minutes: 7 }
    const asker = await makeAsker(account, { provider, setModel }, fields)
    const wanted = { size: 250, entry: { type: 'market' }, protection: { stop_loss: '2%' } }
    const asked = await asker.ask(open('LONG', { ...wanted, protection: { stop_loss: '2.0%' } }))
    const { id, run_id, created_at, expires_at, ...others } = asked
    assert.deepEqual(others, {
      ...{
        strategy_id: asker.id,
        strategy_name: 'Judge',
        strategy_type: 'llm-reaction',
        kind: 'action',
        change: null,
        action: 'LONG',
        symbols: ['BTCUSDT'],
      },
      ...{ options: wanted, status: 'PENDING', decided_at: null, signal_id: null },
      response: 'I have asked.',
    })
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 7 * 60_000)
    assert.match(provider.questions.at(-1)!.results.at(-1)!, /"accepted":true.*"awaits_approval":true/)
    const run = await expect(200, account.api('GET', `/api/v2/run/${run_id}`))
    assert.ok(run.transcript.some(({ text }: { text?: string }) => text?.includes('awaits_approval')))
    assert.deepEqual([await asker.signals(), await bot.orders()], [[], []])
    assert.equal((await asker.read()).last_trigger.action, null)

    const answers = await Promise.all(Array.from({ length: 20 }, () => decide(account, id, 'approve')))
    const [signal, ...none] = await asker.signals()
    assert.deepEqual(none, [])
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.status, body.signal_id], [200, 'APPROVED', signal.id])
    }
    const { run_id: from, webhook_id, action, symbols, price, options, delivered } = signal
    assert.deepEqual(
      { from, webhook_id, action, symbols, price, options, delivered },
      {
        ...{ from: run_id, webhook_id: bot.webhookId, action: 'LONG', symbols: ['BTCUSDT'], price: null },
        ...{ options: wanted, delivered: true },
      },
    )
    await bot.followed(1)
    assert.equal((await bot.orders()).length, 1)
    const [position] = await expect(200, account.api('GET', '/api/v2/position'))
    assert.deepEqual(position.protection.settings.stop_loss, '2%')
    const { last_trigger } = await asker.read()
    assert.deepEqual([last_trigger.action, last_trigger.at], ['LONG', signal.created_at])
    assert.equal((await expect(200, account.api('GET', `/api/v2/run/${run_id}`))).signal_id, signal.id)
    assert.equal((await decide(account, id, 'reject')).status, 409)
    const [event, ...noOther] = await eventsOf(account, 'approval_approved')
    assert.deepEqual([event.details, noOther], [{ id, strategy_id: asker.id }, []])

    const notifications = await expect(200, account.api('GET', '/api/v2/notification'))
    // The notification is of the moment at which the signal was sent: no bot has followed it. It came by no post.
    const { bots: _, bots_total: __, origin: ___, delivery_id, ...sent } = signal
    assert.equal(delivery_id, null)
    assert.deepEqual(
      notifications.map(({ payload }: { payload: { type: string; data: object } }) => [
        payload.type,
        payload.data,
      ]),
      [
        ['signal.created', { ...sent, sender: undefined, strategy_name: 'Judge' }],
        ['approval.requested', { ...asked, response: null }],
      ].map(([type, data]) => [type, JSON.parse(JSON.stringify(data))]),
    )
    const [mail, ...noMore] = await expect(200, account.api('GET', '/api/v2/user/mail'))
    assert.deepEqual([mail.kind, noMore], ['approval', []])
    assert.match(mail.subject, /^Strategy "Judge" asks for your approval of LONG BTCUSDT until 2\S+ \S+ UTC$/)
    assert.match(
      mail.text,
      new RegExp(
        `size of 250, with the entry {"type":"market"}, with the protection {"stop_loss":"2%"}[\\s\\S]*POST /api/v2/approval/${id}/approve`,
      ),
    )
  },
)

withProvider(
  'a rejected or superseded action is not sent, and lists filter by status and reaction',
  async ({ account, other, provider, setModel }) => {
    const asker = await makeAsker(account, { provider, setModel }, { actions_per_day: 3 })
    const [first, second, third] = [
      await asker.ask(open('LONG')),
      await asker.ask(open('SHORT')),
      await asker.ask(exit),
    ]
    // Each requested action counts towards the budget of the day.
    setModel(says(open('LONG')))
    await asker.post({})
    assert.equal((await asker.ended(4))[3].error.name, 'budget')
    for (const _ of ['once', 'twice']) {
      assert.equal((await expect(200, decide(account, third.id, 'reject'))).status, 'REJECTED')
    }
    assert.equal((await eventsOf(account, 'approval_rejected')).length, 1)
    for (const [{ id }, status] of [
      [first, 'SUPERSEDED'],
      [second, 'SUPERSEDED'],
      [third, 'REJECTED'],
    ] as const) {
      const { error, code } = await expect(409, decide(account, id, 'approve'))
      assert.deepEqual([code, error.includes(status)], ['resource_conflict', true], error)
      if (status === 'SUPERSEDED') await expect(409, decide(account, id, 'reject'))
    }
    assert.deepEqual(await asker.signals(), [])

    const listed = async (client: Client, query = '') =>
      (await expect(200, client.api('GET', `${approvalPath}${query}`))).map(({ id }: { id: number }) => id)
    assert.deepEqual(await listed(account), [third.id, second.id, first.id])
    assert.deepEqual(await listed(account, '?status=SUPERSEDED'), [second.id, first.id])
    assert.deepEqual(await listed(account, '?status=PENDING'), [])
    assert.deepEqual(await listed(account, `?strategy_id=${asker.id}&status=REJECTED`), [third.id])
    assert.deepEqual(await listed(account, `?strategy_id=${asker.id + 1_000_000}`), [])
    const page = await expect(200, account.api('GET', `${approvalPath}?status=SUPERSEDED&limit=1`))
    assert.deepEqual([page.total, page.items.length], [2, 1])

    assert.deepEqual(await listed(other), [])
    for (const path of ['', '/approve', '/reject']) {
      const method = path === '' ? 'GET' : 'POST'
      const asked = async (id: number) => {
        const { error } = await expect(404, other.api(method, `${approvalPath}/${id}${path}`))
        return error.replace(String(id), '')
      }
      assert.equal(await asked(first.id), await asked(9_007_199_254_740_991))
    }
    await expect(200, account.api('DELETE', asker.own))
    assert.deepEqual(await listed(account), [])
    await expect(404, decide(account, third.id, 'approve'))
  },
)

withProvider(
  'an approved action is not sent while its reaction may not send, but can be approved again later',
  async ({ account, provider, setModel, database }) => {
    const { db } = await database.open()
    const suspend = (id: number) =>
      db.execute(
        sql`update strategy_state set suspended_until = now() + interval '1 hour' where strategy_id = ${id}`,
      )
    const asker = await makeAsker(account, { provider, setModel })
    const { id } = await asker.ask(open('LONG'))
    const change = (fields: object) => expect(200, account.api('PUT', asker.own, fields))
    const hindrances = [
      [() => asker.setStatus('INACTIVE'), () => asker.setStatus('ACTIVE'), /INACTIVE/],
      [() => change({ send_signal: false }), () => change({ send_signal: true }), /send_signal/],
      [
        () => change({ needs_approval: false }),
        () => change({ needs_approval: true }),
        /no longer needs approvals/,
      ],
      // A rule that a model can break without a further action needs a megabyte of storage.
      [() => suspend(asker.id), () => asker.setStatus('ACTIVE'), /SUSPENDED/],
    ] as const
    for (const [hinder, allow, why] of hindrances) {
      await hinder()
      assert.match((await expect(409, decide(account, id, 'approve'))).error, why)
      await allow()
    }
    assert.deepEqual(await asker.signals(), [])
    // The response is the model's last reply in its own run, not that of the run with the violation.
    assert.equal((await expect(200, decide(account, id, 'approve'))).response, 'I have asked.')
    assert.equal((await asker.signals()).length, 1)
  },
)

withProvider(
  'an action that stricter rules forbid is refused with the name of the rule, and is sent once they allow it',
  async ({ account, provider, setModel }) => {
    const before = { max_size: 500, actions: ['LONG', 'EXIT'], actions_per_day: 5, symbol: 'BTCUSDT,ETHUSDT' }
    const asker = await makeAsker(account, { provider, setModel }, before)
    await asker.ask(open('LONG'))
    const { id } = await asker.ask(open('LONG', { size: 250 }))
    const change = (fields: object) => expect(200, account.api('PUT', asker.own, fields))
    const stricter: [rules: object, why: RegExp][] = [
      [{ max_size: 249.5 }, /max_size of 249\.5, but the size is 250\./],
      [{ max_size: null }, /no longer has a max_size/],
      [{ actions: ['SHORT', 'EXIT'] }, /may no longer send LONG: its actions are SHORT, EXIT/],
      [{ symbol: 'ETHUSDT' }, /no longer has the symbol BTCUSDT/],
      [{ symbol: null }, /no longer has the symbol BTCUSDT/],
      [{ actions_per_day: 1 }, /requested 2 actions on that day; its actions_per_day is 1/],
    ]
    for (const [rules, why] of stricter) {
      await change(rules)
      const refused = await expect(409, decide(account, id, 'approve'))
      assert.match(refused.error, why)
      assert.equal(refused.code, 'resource_conflict')
      assert.equal(await statusOf(account, id), 'PENDING')
      await change(before)
    }
    assert.deepEqual(await asker.signals(), [])
    // Other rules that still allow the action do not prevent it.
    await change({ max_size: 250, actions: ['LONG'], actions_per_day: 2, symbol: ' ETHUSDT , BTCUSDT' })
    await expect(200, decide(account, id, 'approve'))
    const [signal, ...none] = await asker.signals()
    assert.deepEqual([signal.options, signal.symbols, none], [{ size: 250 }, ['BTCUSDT', 'ETHUSDT'], []])
  },
)

withProvider(
  'an approval during another run is not lost, and the rules of that run take it into account',
  async ({ account, provider, setModel }) => {
    const asker = await makeAsker(account, { provider, setModel })
    let runs = 0
    /** Approves the pending action while the model of another run, which then wants to close, has not answered. */
    const approveMeanwhile = async (id: number) => {
      let answer: (() => void) | undefined
      setModel(({ turn }) => {
        if (turn > 0) return { text: 'Done.' }
        return (response) => {
          answer = () => answerJson(response, 200, wireFormats.openai.whole(exit))
        }
      })
      await asker.post({})
      await until('the model to be asked', async () => answer !== undefined)
      await expect(200, decide(account, id, 'approve'))
      answer!()
      return (await asker.ended(runs + 1))[runs++]
    }
    // In memory, that run finds an EXIT. In fact, the EXIT that it wants follows a LONG.
    await expect(200, decide(account, (await asker.ask(exit)).id, 'approve'))
    runs = 2
    const opened = await approveMeanwhile((await asker.ask(open('LONG'))).id)
    assert.deepEqual([opened.status, opened.violation], ['SUCCEEDED', null])
    assert.equal((await asker.read()).last_trigger.action, 'LONG')
    const closed = await approveMeanwhile(opened.approval_id)
    assert.deepEqual(
      [closed.status, closed.violation?.rule, closed.approval_id],
      ['VIOLATION', 'consecutive_exit', null],
    )
    const signals = await asker.signals()
    assert.deepEqual(
      signals.map(({ action }: { action: string }) => action),
      ['EXIT', 'LONG', 'EXIT'],
    )
    assert.equal((await asker.read()).last_trigger.action, 'EXIT')
  },
)

withProvider(
  'an owner’s decision before the model answers applies, and an EXIT that now follows an EXIT is not sent',
  async ({ account, provider, setModel }) => {
    const asker = await makeAsker(account, { provider, setModel })
    const { id } = await asker.ask(exit)
    /** Changes `needs_approval` before the model answers. */
    const changeMeanwhile = async (needs_approval: boolean, nth: number) => {
      let answer: (() => void) | undefined
      setModel(({ turn }) => {
        if (turn > 0) return { text: 'Done.' }
        return (response) => {
          answer = () => answerJson(response, 200, wireFormats.openai.whole(nth === 2 ? exit : open('LONG')))
        }
      })
      await asker.post({})
      await until('the model to be asked', async () => answer !== undefined)
      await expect(200, account.api('PUT', asker.own, { needs_approval }))
      answer!()
      return (await asker.ended(nth))[nth - 1]
    }
    const sent = await changeMeanwhile(false, 2)
    assert.deepEqual([sent.approval_id, typeof sent.signal_id], [null, 'number'])
    await expect(200, account.api('PUT', asker.own, { needs_approval: true }))
    assert.match((await expect(409, decide(account, id, 'approve'))).error, /EXIT after EXIT/)
    await expect(200, account.api('PUT', asker.own, { needs_approval: false }))
    const kept = await changeMeanwhile(true, 3)
    assert.deepEqual([typeof kept.approval_id, kept.signal_id], ['number', null])
    // That superseded the EXIT. The LONG is sent, and then an EXIT may follow.
    await expect(409, decide(account, id, 'approve'))
    await expect(200, decide(account, kept.approval_id, 'approve'))
    assert.equal((await asker.signals()).length, 2)
  },
)

withProvider(
  'an expired action, or one beyond the rate, is not sent, and the database’s clock decides',
  async ({ account, provider, setModel, database }) => {
    const { db } = await database.open()
    const asker = await makeAsker(account, { provider, setModel })
    const late = await asker.ask(open('SHORT'))
    await db.execute(sql`update approvals set expires_at = now() - interval '1 second' where id = ${late.id}`)
    assert.equal(await statusOf(account, late.id), 'EXPIRED')
    const listed = async (status: string) =>
      (await expect(200, account.api('GET', `${approvalPath}?status=${status}&limit=9`))).total
    assert.deepEqual([await listed('EXPIRED'), await listed('PENDING')], [1, 0])
    for (const what of ['approve', 'reject'] as const) {
      assert.match((await expect(409, decide(account, late.id, what))).error, /EXPIRED/)
    }

    const old = await asker.ask(open('LONG'))
    await db.execute(sql`update approvals set options = '{"size":5e-324}' where id = ${old.id}`)
    assert.match(
      (await expect(409, decide(account, old.id, 'approve'))).error,
      /size must be a number from 1e-18/,
    )
    assert.equal(await statusOf(account, old.id), 'PENDING')
    await expect(200, decide(account, old.id, 'reject'))

    const closing = await asker.ask(exit)
    assert.deepEqual([await statusOf(account, late.id), await listed('EXPIRED')], ['EXPIRED', 1])
    const me = (await expect(200, account.api('GET', '/api/v2/user/me'))).id
    await db.execute(sql`insert into action_rates values (${me},
      array(select generate_series(now() - interval '1 second', now() + interval '10 minutes', interval '200 ms')),
      '{}', '{}', '{}')`)
    const refused = await decide(account, closing.id, 'approve')
    assert.deepEqual(
      [refused.status, refused.body.code, refused.headers.get('retry-after')],
      [429, 'rate_limited', '1'],
    )
    assert.deepEqual([await statusOf(account, closing.id), await asker.signals()], ['PENDING', []])
    assert.equal((await eventsOf(account, 'approval_approved')).length, 0)
    await db.execute(sql`update action_rates set accepted = '{}' where user_id = ${me}`)
    assert.equal((await expect(200, decide(account, closing.id, 'approve'))).status, 'APPROVED')
    assert.equal((await asker.signals()).length, 1)
  },
)

withProvider(
  'two services on one database that get the same approval send once, and both know it',
  async ({ account, key, provider, setModel, database }) => {
    const env = { HTTP_ALLOW: provider.host, LOG_LEVEL: 'silent' }
    await using second = await startService({ database, env })
    const elsewhere = second.as(key)
    const bot = await makeBot(account)
    const asker = await makeAsker(account, { provider, setModel }, { webhook_id: bot.webhookId })
    const { id } = await asker.ask(exit)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => decide(n % 2 === 0 ? account : elsewhere, id, 'approve')),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal((await asker.signals()).length, 1)
    await bot.followed(1)
    // Whichever service executes the run, it sees the current last trigger.
    setModel(says(exit))
    await asker.post({})
    assert.equal((await asker.ended(2))[1].violation.rule, 'consecutive_exit')
    assert.equal(
      (await expect(200, elsewhere.api('GET', `${llmPath}/${asker.id}`))).last_trigger.action,
      'EXIT',
    )
  },
)
