import assert from 'node:assert/strict'
import { eq } from 'drizzle-orm'
import { makeAsker, open } from '../../test/ai/approval.ts'
import { llmPath, makeAiConnection, makeThinker } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { says } from '../../test/ai/stand-in.ts'
import { expect } from '../../test/reaction.ts'
import { usualTools } from '../ai/tools.ts'
import { approvals } from '../db/schema.ts'

withProvider(
  'an AI reaction has its settings and defaults, and no fields of code',
  async ({ account, provider }) => {
    const connection_id = await makeAiConnection(account, provider)
    const settings = { name: 'Judge', prompt: 'Decide on {{data}}', connection_id, actions: ['LONG', 'EXIT'] }
    const made = await expect(201, account.api('POST', llmPath, { ...settings, max_size: 12.5 }))
    assert.deepEqual(Object.keys(made), [
      ...['id', 'type', 'name', 'folder_id', 'status', 'visibility', 'send_signal', 'webhook_id', 'symbol'],
      ...['data_webhook_id', 'delay', 'connection_id', 'fallback_id', 'actions', 'max_size', 'tools'],
      ...['may_change', 'change_needs_approval', 'tokens_per_day'],
      ...[
        'actions_per_day',
        'needs_approval',
        'approval_minutes',
        'send_email',
        'use_chart',
        'chart_symbol',
        'chart_interval',
        'chart_studies',
        'chart_range',
        'last_trigger',
        'last_run_at',
        'next_run_at',
        'next_run_reason',
        'suspended_until',
        'suspension_reason',
      ],
      ...['created_at', 'updated_at', 'prompt', 'response', 'storage'],
    ])
    const { type, status, max_size, tokens_per_day, actions_per_day, response } = made
    assert.deepEqual([made.needs_approval, made.approval_minutes], [false, 15])
    assert.deepEqual(
      { type, status, max_size, tokens_per_day, actions_per_day, response },
      {
        ...{ type: 'llm-reaction', status: 'INACTIVE', max_size: 12.5, response: null },
        ...{ tokens_per_day: 500_000, actions_per_day: 100 },
      },
    )
    const { message: _, ...changed } = await expect(
      200,
      account.api('PUT', `${llmPath}/${made.id}`, { max_size: null }),
    )
    assert.deepEqual({ ...changed, updated_at: made.updated_at, max_size: 12.5 }, made)
    const [listed] = await expect(200, account.api('GET', llmPath))
    assert.deepEqual(
      [listed.actions, listed.prompt, listed.response],
      [['LONG', 'EXIT'], undefined, undefined],
    )
    for (const kind of ['/api/v2/strategy/code', '/api/v2/strategy/reaction/code']) {
      await expect(404, account.api('GET', `${kind}/${made.id}`))
    }
  },
)

withProvider('invalid settings are refused with the reason', async ({ account, other, provider }) => {
  const theirs = await makeAiConnection(other, provider)
  const fields = async (status: number, settings: object, own = '') => {
    const method = own === '' ? 'POST' : 'PUT'
    const { details } = await expect(status, account.api(method, `${llmPath}${own}`, settings))
    return details.map(({ field }: { field: string }) => field)
  }
  for (const prompt of ['{{secret}}', '{{data', '{{data}} {{data}}', 'x'.repeat(1024 * 1024 + 1)]) {
    assert.deepEqual(await fields(400, { prompt }), ['body.prompt'])
  }
  assert.deepEqual(await fields(400, { connection_id: theirs }), ['body.connection_id'])
  for (const settings of [
    ...[
      { max_size: 0 },
      { max_size: '5' },
      { max_size: 5e-324 },
      { max_size: 1.01e18 },
      { actions: ['SELL'] },
      { actions: ['LONG', 'LONG'] },
    ],
    ...[{ tokens_per_day: -1 }, { actions_per_day: 1.5 }, { connection_id: 'x' }, { prompt: 7 }],
    ...[{ tools: 'web_fetch' }, { tools: ['open_position'] }, { tools: ['get_price', 'get_price'] }],
    ...[{ needs_approval: 1 }, { approval_minutes: 0 }, { approval_minutes: 1441 }],
  ]) {
    assert.match((await fields(400, settings))[0], new RegExp(`^body\\.${Object.keys(settings)[0]}`))
  }
  const { id } = await expect(201, account.api('POST', llmPath, {}))
  assert.deepEqual(await fields(400, { status: 'ACTIVE' }, `/${id}/status`), ['connection_id', 'prompt'])
  const connection_id = await makeAiConnection(account, provider)
  await expect(200, account.api('PUT', `${llmPath}/${id}`, { connection_id, prompt: 'Decide' }))
  await expect(200, account.api('PUT', `${llmPath}/${id}/status`, { status: 'ACTIVE' }))
  assert.deepEqual(await fields(400, { connection_id: null }, `/${id}`), ['body.connection_id'])
  assert.deepEqual(await fields(400, { prompt: ' ' }, `/${id}`), ['body.prompt'])
  assert.equal((await expect(200, account.api('GET', `${llmPath}/${id}`))).prompt, 'Decide')
})

withProvider(
  'the owner chooses the tools of a model: no version gives them back, and a copy of another user has fewer',
  async ({ account, other, provider, setModel }) => {
    const reaction = await makeThinker(account, provider, { visibility: 'PUBLIC' })
    const { tools, ...before } = await reaction.read()
    assert.deepEqual(tools, [...usualTools])
    assert.ok(!tools.includes('web_fetch'))
    const tag = async () => (await account.api('GET', reaction.own)).headers.get('etag')!
    const old = await tag()
    const change = (tools: string[], etag: string) =>
      account.api('PUT', reaction.own, { tools }, { 'if-match': etag })
    const chosen = ['get_price', 'web_fetch']
    assert.deepEqual((await expect(200, change(chosen, old))).tools, chosen)
    await expect(409, change([], old))
    const [version, ...versions] = await expect(200, account.api('GET', `${reaction.own}/versions`))
    assert.deepEqual(versions, [], 'permissions make no version')
    await expect(200, account.api('POST', `${reaction.own}/versions/${version.version}/restore`, {}))
    assert.deepEqual((await reaction.read()).tools, chosen)

    setModel(says({ text: 'Nothing.' }))
    await reaction.post({})
    await reaction.ended(1)
    const actions = ['open_position', 'close_position']
    assert.deepEqual(provider.questions.at(-1)!.tools, [...actions, ...chosen])
    await expect(200, account.api('PUT', reaction.own, { tools: [], send_signal: false }))
    await reaction.post({})
    await reaction.ended(2)
    assert.deepEqual(provider.questions.at(-1)!.tools, [])

    await expect(200, change(['get_price', 'web_fetch'], await tag()))
    const copyOf = async (user: typeof account) =>
      (await expect(201, user.api('POST', `${llmPath}/duplicate`, { id: before.id }))).tools
    assert.deepEqual([await copyOf(account), await copyOf(other)], [chosen, ['get_price']])
  },
)

withProvider(
  'an AI connection that a reaction uses cannot be deleted, even at the same moment',
  async ({ account, provider }) => {
    const reaction = await makeThinker(account, provider, { name: 'Judge' })
    const own = `/api/v2/api/llm/${reaction.connectionId}`
    const { code, details } = await expect(409, account.api('DELETE', own))
    assert.deepEqual([code, details[0].id, details[0].name], ['resource_in_use', reaction.id, 'Judge'])
    for (let round = 0; round < 4; round++) {
      const connection_id = await makeAiConnection(account, provider)
      const [gone, made] = await Promise.all([
        account.api('DELETE', `/api/v2/api/llm/${connection_id}`),
        account.api('POST', llmPath, { connection_id }),
      ])
      assert.ok(
        (gone.status === 200 && made.status === 400) || (gone.status === 409 && made.status === 201),
        `${gone.status} and ${made.status}`,
      )
    }
  },
)

withProvider(
  'a copy has the same settings; a copy of another user’s reaction has no connection and no webhooks',
  async ({ account, other, provider }) => {
    const reaction = await makeThinker(account, provider, {
      visibility: 'PUBLIC',
      max_size: 3,
      actions: ['EXIT'],
      ...{ needs_approval: true, approval_minutes: 30 },
    })
    await reaction.post({})
    await reaction.ended(1)
    assert.equal((await reaction.read()).response, 'Done.')
    const copy = await expect(201, account.api('POST', `${llmPath}/duplicate`, { id: reaction.id }))
    assert.deepEqual(
      [copy.status, copy.connection_id, copy.max_size, copy.actions, copy.response],
      ['INACTIVE', reaction.connectionId, 3, ['EXIT'], null],
    )
    assert.deepEqual([copy.needs_approval, copy.approval_minutes], [true, 30])
    const shown = await expect(200, other.api('GET', `${llmPath}/public/${reaction.id}`))
    assert.deepEqual([shown.prompt, shown.max_size], ['Decide on this: {{data}}', 3])
    for (const hidden of [
      'connection_id',
      'fallback_id',
      'send_email',
      'response',
      'data_webhook_id',
      'storage',
      'code',
    ]) {
      assert.ok(!(hidden in shown), hidden)
    }
    const theirs = await expect(201, other.api('POST', `${llmPath}/duplicate`, { id: reaction.id }))
    assert.deepEqual(
      [theirs.prompt, theirs.connection_id, theirs.data_webhook_id, theirs.visibility],
      [shown.prompt, null, null, 'PRIVATE'],
    )
  },
)

withProvider(
  'only its owner reads the transcript of a run, and it is deleted with the reaction',
  async ({ account, other, provider }) => {
    const reaction = await makeThinker(account, provider)
    await reaction.post({ n: 1 })
    const [run] = await reaction.ended(1)
    assert.ok(!('transcript' in run))
    assert.ok((await expect(200, account.api('GET', `/api/v2/run/${run.id}`))).transcript.length > 0)
    await expect(404, other.api('GET', `/api/v2/run/${run.id}`))
    await expect(200, account.api('DELETE', reaction.own))
    await expect(404, account.api('GET', `/api/v2/run/${run.id}`))
    // Nothing uses the connection now.
    await expect(200, account.api('DELETE', `/api/v2/api/llm/${reaction.connectionId}`))
  },
)

withProvider(
  'deleting a user deletes their reactions, connections, transcripts and approvals',
  async ({ account, administrator, provider, setModel, database }) => {
    const asker = await makeAsker(account, { provider, setModel })
    await asker.ask(open('LONG'))
    const me = await expect(200, account.api('GET', '/api/v2/user/me'))
    await expect(200, administrator.api('DELETE', `/api/v2/user/${me.id}`))
    await expect(401, account.api('GET', llmPath))
    const { db } = await database.open()
    assert.equal(await db.$count(approvals, eq(approvals.userId, me.id)), 0)
  },
)
