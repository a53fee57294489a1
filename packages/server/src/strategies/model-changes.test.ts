/** Models that change strategies, through the whole service: what they may ask for, and what becomes of it. */
import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { approvalPath, decide } from '../../test/ai/approval.ts'
import { llmPath, makeThinker } from '../../test/ai/reaction.ts'
import { type Given, withProvider } from '../../test/ai/service.ts'
import { call, says } from '../../test/ai/stand-in.ts'
import type { Client } from '../../test/client.ts'
import { expect, makeReaction } from '../../test/reaction.ts'

const tools = ['set_strategy', 'set_strategy_status']
const before = 'const edge = 1\n$.log(edge)\n'
const after = 'const edge = 2\n$.log(edge)\n'

type EndedRun = {
  id: number
  status: string
  error: { message: string } | null
  approval_id: number | null
  signal_id: number | null
}

/** A code reaction, and an AI reaction that may change it. */
async function makeChanger(
  { account, provider, setModel }: Pick<Given, 'account' | 'provider' | 'setModel'>,
  fields: Record<string, unknown> = {},
) {
  const target = await makeReaction(account, before, { name: 'Scalper' })
  const model = await makeThinker(account, provider, {
    ...{ name: 'Teacher', tools, may_change: [target.id], ...fields },
  })
  let runs = 0
  /** The model makes these calls in a run, which ends. */
  const run = async (...calls: ReturnType<typeof call>[]) => {
    setModel(says({ calls }, { text: 'A wider edge loses less.' }))
    await model.post({})
    const ended = (await model.ended(++runs))[runs - 1]!
    const replies = provider.questions.at(-1)!.results
    const query = `${approvalPath}?run_id=${ended.id}`
    const asked: { id: number; status: string }[] = await expect(200, account.api('GET', query))
    return { ...(ended as EndedRun), replies, approvals: asked.toReversed() }
  }
  const write = (code = after) => call('set_strategy', { id: target.id, code })
  const turn = (status: string) => call('set_strategy_status', { id: target.id, status })
  return { target, model, run, write, turn }
}

const approvalOf = (client: Client, id: number) => expect(200, client.api('GET', `${approvalPath}/${id}`))
const versionsOf = (client: Client, own: string) => expect(200, client.api('GET', `${own}/versions`))

withProvider('a change waits with its diff, and is made once, however many approve it', async (given) => {
  const { account, other } = given
  const endpoint = { url: 'https://receiver.example/', events: ['approval.requested'] }
  await expect(201, account.api('POST', '/api/v2/notification/endpoint', endpoint))
  const { target, model, run, write } = await makeChanger(given, { approval_minutes: 7 })
  const made = await run(call('get_strategy', { id: target.id }), write())
  assert.deepEqual(
    [made.status, made.error, made.approval_id, made.signal_id],
    ['SUCCEEDED', null, null, null],
  )
  const [read, reply] = made.replies
  assert.match(
    read!,
    /^<(untrusted-\w{24}) name="strategy">\n\{.*"version":\d+,"code":"const edge = 1.*\n<\/\1>$/,
  )
  assert.deepEqual(Object.keys(JSON.parse(reply!)), ['changed', 'awaits_approval', 'note'])

  const [listed, ...none] = made.approvals
  assert.deepEqual(none, [])
  const { id } = listed!
  const asked = await approvalOf(account, id)
  const { version } = asked.change
  const shownChange = {
    ...{ strategy_id: target.id, strategy_name: 'Scalper', strategy_type: 'code-reaction', version },
    status: null,
  }
  const { created_at: _, expires_at: __, ...shown } = asked
  const diff = `--- version ${version}\n+++ version ${version + 1}\n@@ -1,2 +1,2 @@\n-const edge = 1\n+const edge = 2\n $.log(edge)\n`
  assert.deepEqual(shown, {
    ...{
      id,
      strategy_id: model.id,
      strategy_name: 'Teacher',
      strategy_type: 'llm-reaction',
      run_id: made.id,
    },
    ...{ kind: 'code', action: null, symbols: [], options: {}, status: 'PENDING', decided_at: null },
    change: { ...shownChange, outdated: false, code: after, diff: { text: diff, whole: false } },
    ...{ signal_id: null, response: 'A wider edge loses less.' },
  })
  // The lists and the notification do not have the code.
  assert.deepEqual(listed, { ...asked, change: shownChange })
  const [notification] = await expect(200, account.api('GET', '/api/v2/notification'))
  assert.deepEqual(notification.payload.data, { ...listed, response: null })
  const [mail] = await expect(200, account.api('GET', '/api/v2/user/mail'))
  assert.match(mail.subject, /^Strategy "Teacher" asks for your approval of a change until 2/)
  assert.match(mail.text, new RegExp(`replace the code of your strategy "Scalper" \\(id ${target.id}\\)`))
  assert.equal((await target.read()).code, before)

  for (const path of ['', '/approve', '/reject']) {
    await expect(404, other.api(path === '' ? 'GET' : 'POST', `${approvalPath}/${id}${path}`))
  }
  assert.deepEqual(await expect(200, other.api('GET', `${approvalPath}?run_id=${made.id}`)), [])
  const answers = await Promise.all(Array.from({ length: 8 }, () => decide(account, id, 'approve')))
  for (const { status, body } of answers) assert.deepEqual([status, body.status], [200, 'APPROVED'])
  assert.equal((await decide(account, id, 'reject')).status, 409)
  const [latest, first, ...others] = await versionsOf(account, target.own)
  assert.deepEqual([first.version, others], [version, []])
  assert.deepEqual(
    [latest.changed, latest.saved_by.via, latest.saved_by.strategy_id, latest.reason],
    [['code'], 'strategy', model.id, `Approval ${id}, asked for by the model of run ${made.id}`],
  )
  await target.post({})
  const [{ id: nextRun }] = await target.ended(1)
  const executed = await expect(200, account.api('GET', `/api/v2/run/${nextRun}`))
  assert.deepEqual([executed.status, executed.version], ['SUCCEEDED', latest.version])
  const events = await expect(200, account.api('GET', '/api/v2/user/audit'))
  const approved = events.filter(({ event }: { event: string }) => event === 'approval_approved')
  assert.deepEqual(
    approved.map(({ details }: { details: object }) => details),
    [{ id, strategy_id: model.id }],
  )
})

withProvider('what was saved, forbidden, rejected or over since is not changed', async (given) => {
  const { account, database } = given
  const { target, model, run, write, turn } = await makeChanger(given)
  const ask = async (...calls: ReturnType<typeof call>[]) =>
    (await run(...calls)).approvals.map(({ id }) => id)
  const refused = async (id: number, why: RegExp) =>
    assert.match((await expect(409, decide(account, id, 'approve'))).error, why)
  const statusOf = async (id: number) => (await approvalOf(account, id)).status

  // A newer request for the same replaces an older one; the other kind waits beside it.
  const [first, off] = await ask(write('const edge = 3\n'), turn('INACTIVE'))
  const [second] = await ask(write())
  assert.deepEqual(
    [await statusOf(first!), await statusOf(off!), await statusOf(second!)],
    ['SUPERSEDED', 'PENDING', 'PENDING'],
  )
  await refused(first!, /SUPERSEDED/)

  const hindrances: [hinder: () => Promise<unknown>, allow: () => Promise<unknown>, why: RegExp][] = [
    [
      () => account.api('PUT', model.own, { may_change: [] }),
      () => account.api('PUT', model.own, { may_change: [target.id] }),
      /AI reaction \d+ may no longer change strategy \d+/,
    ],
    [
      () => account.api('PUT', model.own, { tools: ['set_strategy_status'] }),
      () => account.api('PUT', model.own, { tools }),
      /no longer has the tool set_strategy/,
    ],
    [() => model.setStatus('INACTIVE'), () => model.setStatus('ACTIVE'), /is INACTIVE/],
  ]
  for (const [hinder, allow, why] of hindrances) {
    await hinder()
    await refused(second!, why)
    await allow()
  }
  // What the owner approves is a change of the version that the card showed.
  await expect(200, account.api('PUT', target.own, { code: 'const edge = 9\n' }))
  assert.equal((await approvalOf(account, second!)).change.outdated, true)
  await refused(second!, /was saved since the model knew it, in version \d+\. Its version is \d+ now\./)
  await refused(off!, /was saved since the model knew it/)
  assert.equal(await statusOf(second!), 'PENDING')
  assert.equal((await target.read()).code, 'const edge = 9\n')
  await expect(200, decide(account, second!, 'reject'))
  await refused(second!, /REJECTED/)

  const [late] = await ask(write())
  const { db } = await database.open()
  await db.execute(sql`update approvals set expires_at = now() - interval '1 second' where id = ${late!}`)
  await refused(late!, /EXPIRED/)
  const [good] = await ask(turn('INACTIVE'))
  await expect(200, decide(account, good!, 'approve'))
  assert.deepEqual(
    [(await target.read()).status, (await approvalOf(account, good!)).change.diff],
    ['INACTIVE', null],
  )
  // With its target, an approval is gone.
  const [gone] = await ask(write())
  await expect(200, account.api('DELETE', target.own))
  await expect(404, decide(account, gone!, 'approve'))
  const { replies, approvals } = await run(write())
  assert.match(replies[0]!, /There is no code strategy or code reaction/)
  assert.deepEqual(approvals, [])
})

withProvider(
  'a model changes only code that its owner named, and only to code that can be saved',
  async (given) => {
    const { account, other } = given
    const { target, model, run, write, turn } = await makeChanger(given, { actions_per_day: 3 })
    const theirs = await makeReaction(other, before)
    const unnamed = await makeReaction(account, before)
    for (const id of [model.id, theirs.id, 9_007_199_254_740_991]) {
      const { details } = await expect(400, account.api('PUT', model.own, { may_change: [target.id, id] }))
      assert.match(
        details[0].message,
        new RegExp(`ids of your code strategies and code reactions; ${id} is not`),
      )
    }
    const wrong = [model, theirs, unnamed].map(({ id }) => call('set_strategy', { id, code: after }))
    const calls = [
      ...wrong,
      call('get_strategy', { id: theirs.id }),
      call('set_strategy_status', { id: unnamed.id, status: 'INACTIVE' }),
    ]
    const tried = await run(...calls)
    assert.equal(tried.replies.length, 5)
    for (const reply of tried.replies) assert.match(reply, /is none of those that you may change: \d+\./)
    const unfit = await run(
      write('const = 1'),
      write('a\0'),
      write(before),
      turn('ACTIVE'),
      write(`//${'x'.repeat(262_143)}`),
    )
    for (const [index, why] of [
      /line 1, column 7/i,
      /no text can store/,
      /has this code/,
      /is ACTIVE/,
      /262144 bytes/,
    ].entries()) {
      assert.match(unfit.replies[index]!, why)
    }
    // What was refused has cost none of the actions of the day; what was asked for has.
    const asked = await run(
      write('const a = 1'),
      write('const a = 2'),
      write('const a = 3'),
      write('const a = 4'),
    )
    assert.match(asked.replies[3]!, /No actions are left/)
    assert.deepEqual(
      [...tried.approvals, ...unfit.approvals, ...asked.approvals].map(({ status }) => status),
      ['SUPERSEDED', 'SUPERSEDED', 'PENDING'],
    )
    assert.deepEqual([(await target.read()).code, (await unnamed.read()).code], [before, before])

    // Without the tool, or without a name, a model does not even have it.
    for (const fields of [{ tools: [] }, { tools, may_change: [] }]) {
      await expect(200, account.api('PUT', model.own, fields))
      const { error } = await run(write())
      assert.match(error!.message, /There is no tool "set_strategy"/)
    }
  },
)

withProvider(
  'without approval a change is made at once, unless it could do more than trade on paper',
  async (given) => {
    const { account, provider, setModel } = given
    const { target, model, run, write, turn } = await makeChanger(given, { change_needs_approval: false })
    const made = await run(write(), turn('INACTIVE'))
    for (const reply of made.replies) assert.deepEqual(JSON.parse(reply), { changed: true })
    const { code, status } = await target.read()
    assert.deepEqual([code, status, made.approval_id], [after, 'INACTIVE', null])
    assert.deepEqual(
      made.approvals.map((one) => one.status),
      ['NOT_NEEDED', 'NOT_NEEDED'],
    )
    await expect(409, decide(account, made.approvals[0]!.id, 'approve'))
    const { steps } = await expect(200, account.api('GET', `/api/v2/run/${made.id}/trace`))
    const changes = steps.filter(({ kind }: { kind: string }) => kind === 'change')
    assert.deepEqual(
      changes.map(({ text, strategy_id }: Record<string, unknown>) => [text, strategy_id]),
      [
        [`The model replaced the code of strategy ${target.id}, “Scalper”.`, target.id],
        [`The model switched off strategy ${target.id}, “Scalper”.`, target.id],
      ],
    )
    const [latest] = await versionsOf(account, target.own)
    assert.deepEqual([latest.saved_by.via, latest.reason], ['strategy', `By the model of run ${made.id}`])

    await expect(200, account.api('PUT', target.own, { visibility: 'PUBLIC' }))
    const asking = await run(write(before))
    assert.equal(asking.approvals[0]!.status, 'PENDING')
    const waiting = await expect(200, account.api('GET', `/api/v2/run/${asking.id}/trace`))
    const asked = waiting.steps.find(({ kind }: { kind: string }) => kind === 'approval')
    assert.match(asked.text, /^New code for strategy \d+, “Scalper”, waits for the approval of the owner/)
    assert.match(asked.reason, /^The change is not made before its owner approves it/)
    await expect(200, account.api('PUT', target.own, { visibility: 'PRIVATE' }))
    await expect(201, account.api('POST', '/api/v2/env', { name: 'TOKEN', value: 'secret' }))
    assert.equal((await run(write('const edge = 4'))).approvals[0]!.status, 'PENDING')
    assert.equal((await target.read()).code, after)
    assert.equal((await run(turn('ACTIVE'))).approvals[0]!.status, 'NOT_NEEDED')

    // A test run asks and checks, but changes nothing and asks nobody.
    setModel(says({ calls: [write('const edge = 5'), turn('INACTIVE')] }, { text: 'Done.' }))
    const total = async () => (await expect(200, account.api('GET', `${approvalPath}?limit=1`))).total
    const kept = await total()
    const trace = await expect(200, account.api('POST', `${model.own}/test`))
    assert.deepEqual(trace.changes, [
      { strategy_id: target.id, code: 'const edge = 5', status: null, needs_approval: true },
      { strategy_id: target.id, code: null, status: 'INACTIVE', needs_approval: false },
    ])
    assert.deepEqual([(await target.read()).status, await total()], ['ACTIVE', kept])
    assert.equal(provider.questions.at(-1)!.results.length, 2)
  },
)

withProvider('nobody gets the permission to change strategies by copying a prompt', async (given) => {
  const { account, other } = given
  const { target, model } = await makeChanger(given, { change_needs_approval: false })
  await expect(200, account.api('PUT', model.own, { visibility: 'PUBLIC' }))
  const shown = await expect(200, other.api('GET', `${llmPath}/public/${model.id}`))
  assert.deepEqual([shown.may_change, shown.change_needs_approval], [undefined, undefined])
  const copyOf = async (client: Client) => {
    const { id } = await expect(201, client.api('POST', `${llmPath}/duplicate`, { id: model.id }))
    return expect(200, client.api('GET', `${llmPath}/${id}`))
  }
  const [own, theirs] = [await copyOf(account), await copyOf(other)]
  assert.deepEqual([own.may_change, own.change_needs_approval], [[target.id], false])
  assert.deepEqual([theirs.may_change, theirs.change_needs_approval, theirs.tools], [[], true, []])
  // They are permissions: no version gives them back, but a save from elsewhere is noticed.
  const etag = (await account.api('GET', model.own)).headers.get('etag')!
  await expect(200, account.api('PUT', model.own, { may_change: [] }))
  const late = account.api('PUT', model.own, { name: 'Late' }, { 'if-match': etag })
  assert.match(JSON.stringify(await expect(409, late)), /may_change/)
})
