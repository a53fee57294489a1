/** AI sessions in the API: their settings, and who may do what with them. */
import assert from 'node:assert/strict'
import { makeAiConnection } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { makeSession, sessionPath } from '../../test/ai/session.ts'
import { call, says } from '../../test/ai/stand-in.ts'
import { expect } from '../../test/reaction.ts'

withProvider('an AI session has a schedule and the settings of a model', async (given) => {
  const { account, provider } = given
  const made = await expect(201, account.api('POST', sessionPath, {}))
  assert.deepEqual(Object.keys(made), [
    ...['id', 'type', 'name', 'folder_id', 'status', 'visibility', 'send_signal', 'webhook_id', 'symbol'],
    ...['cron_interval', 'timezone', 'connection_id', 'fallback_id', 'actions', 'max_size', 'tools'],
    ...['may_change', 'change_needs_approval'],
    ...['tokens_per_day', 'actions_per_day', 'needs_approval', 'approval_minutes', 'send_email'],
    ...['use_chart', 'chart_symbol', 'chart_interval', 'chart_studies', 'chart_range'],
    ...['last_trigger', 'last_run_at'],
    ...['next_run_at', 'next_run_reason', 'suspended_until', 'suspension_reason', 'created_at'],
    ...['updated_at', 'prompt', 'response', 'storage'],
  ])
  assert.partialDeepStrictEqual(made, {
    ...{ type: 'llm-session', status: 'INACTIVE', cron_interval: '1H', timezone: 'UTC', prompt: '' },
    ...{ connection_id: null, actions: ['LONG', 'SHORT', 'EXIT'], max_size: null, needs_approval: false },
    ...{ tokens_per_day: 500_000, actions_per_day: 100, next_run_at: null, next_run_reason: 'inactive' },
  })
  const own = `${sessionPath}/${made.id}`
  const { error, details } = await expect(400, account.api('PUT', `${own}/status`, { status: 'ACTIVE' }))
  assert.equal(error, 'An ACTIVE AI session needs connection_id and prompt.')
  assert.equal(details[0].message, 'is required while the AI session is ACTIVE')
  const connection_id = await makeAiConnection(account, provider)
  const settings = {
    connection_id,
    prompt: 'Decide',
    cron_interval: ' 0 8  * * mon-fri',
    timezone: 'Europe/Berlin',
  }
  const changed = await expect(200, account.api('PUT', own, settings))
  assert.equal(changed.cron_interval, '0 8 * * MON-FRI')
  await expect(200, account.api('PUT', `${own}/status`, { status: 'ACTIVE' }))
  const { next_run_at } = await expect(200, account.api('GET', own))
  assert.match(next_run_at, /T0[67]:00:00.000Z$/)
  await expect(200, account.api('PUT', own, { cron_interval: '3M' }))
  const [listed] = await expect(200, account.api('GET', sessionPath))
  assert.ok(Date.parse(listed.next_run_at) - Date.now() <= 180_000)
  assert.ok(!('prompt' in listed) && !('response' in listed))
  for (const other of [
    '/api/v2/strategy/code',
    '/api/v2/strategy/reaction/llm',
    '/api/v2/strategy/reaction/code',
  ]) {
    await expect(404, account.api('GET', `${other}/${made.id}`))
    assert.deepEqual(await expect(200, account.api('GET', other)), [])
  }
  const inUse = await expect(409, account.api('DELETE', `/api/v2/api/llm/${connection_id}`))
  assert.equal(inUse.details[0].message, `AI session ${made.id}`)
  const { strategies } = await expect(200, account.api('GET', `/api/v2/search?q=${made.id}`))
  assert.deepEqual(
    strategies.map(({ id, type }: Record<string, unknown>) => [id, type]),
    [[made.id, 'llm-session']],
  )
})

withProvider('a session refuses TICK and placeholders of payloads, and says why', async (given) => {
  const { account, provider } = given
  const connection_id = await makeAiConnection(account, provider)
  const { id } = await expect(201, account.api('POST', sessionPath, { connection_id }))
  const refusals = [
    account.api('POST', sessionPath, { cron_interval: 'tick' }),
    account.api('PUT', `${sessionPath}/${id}`, { cron_interval: 'TICK' }),
  ]
  for (const answer of refusals) {
    const { details } = await expect(400, answer)
    assert.equal(details[0].field, 'body.cron_interval')
    assert.match(details[0].message, /^cannot be TICK for an AI session: prices can come every second/)
  }
  for (const name of ['data', 'headers', 'ip']) {
    const prompt = `Judge\n {{ ${name} }}`
    for (const answer of [
      account.api('POST', sessionPath, { prompt }),
      account.api('PUT', `${sessionPath}/${id}`, { prompt }),
      account.api('POST', `${sessionPath}/${id}/test`, { prompt }),
      account.api('POST', `${sessionPath}/test`, { prompt, connection_id }),
    ]) {
      const { details } = await expect(400, answer)
      assert.deepEqual([details[0].field, details[0].line, details[0].column], ['body.prompt', 2, 2])
      assert.match(details[0].message, /stands for a part of a payload, but a schedule triggers these runs/)
    }
    const { ok, problems } = await expect(200, account.api('POST', `${sessionPath}/check`, { prompt }))
    assert.deepEqual([ok, problems[0].kind, problems[0].line], [false, 'placeholder', 2])
    // Reactions have payloads.
    const reaction = await expect(200, account.api('POST', '/api/v2/strategy/reaction/llm/check', { prompt }))
    assert.equal(reaction.ok, true)
  }
  const { details } = await expect(400, account.api('POST', sessionPath, { prompt: '{{payload}}' }))
  assert.doesNotMatch(details[0].message, /\{\{data\}\}/)
})

withProvider('a test run of a session asks the model and changes nothing', async (given) => {
  const { account, setModel } = given
  const session = await makeSession(account, given, { needs_approval: true })
  const before = await session.read()
  const long = call('open_position', { direction: 'LONG' })
  setModel(says({ calls: [call('set_storage', { value: { n: 1 } }), long] }, { text: 'Bought.' }))
  const trace = await expect(200, account.api('POST', `${session.own}/test`, { storage: { old: true } }))
  assert.deepEqual([trace.status, trace.error, trace.response], ['SUCCEEDED', null, 'Bought.'])
  assert.deepEqual(trace.action, { action: 'LONG', symbols: ['BTCUSDT'], options: {}, needs_approval: true })
  assert.deepEqual(trace.storage, { before: { old: true }, after: { n: 1 } })
  assert.match(trace.transcript[1].text, /^Decide\. You noted: <untrusted-[\s\S]*"old":true/)
  assert.deepEqual(await session.read(), before)
  assert.deepEqual(await session.runs(), [])
  const { tokens } = await expect(200, account.api('GET', `${session.own}/budget`))
  assert.equal(tokens.spent, trace.tokens.input + trace.tokens.output)
  setModel(says({ text: 'Nothing.' }))
  const prompt = { prompt: 'Decide at {{current_time}}', connection_id: session.connectionId }
  const unsaved = await expect(200, account.api('POST', `${sessionPath}/test`, prompt))
  assert.deepEqual([unsaved.status, unsaved.action], ['SUCCEEDED', null])
})

withProvider('no route lets a user read or change a session of another user', async (given) => {
  const { account, other, service } = given
  const folder = await expect(201, account.api('POST', `${sessionPath}/folder`, { name: 'Mine' }))
  const session = await makeSession(account, given, { name: 'Mine', folder_id: folder.id })
  await session.due()
  const [run] = await session.ended(1)
  const before = await session.read()
  const { paths } = await expect(200, service.send('GET', '/api/v2/openapi.json'))
  const bodies: Record<string, object> = {
    '/status': { status: 'ACTIVE' },
    '/public': { isPublic: true },
    '/folder/{id}': { name: 'Theirs' },
  }
  const asked: string[] = []
  for (const [path, methods] of Object.entries<object>(paths)) {
    if (!path.startsWith(`${sessionPath}/`) || !path.includes('{id}')) continue
    const isFolder = path.includes('/folder/')
    const own = path.replace('{id}', `${isFolder ? folder.id : session.id}`).replace('{version}', '1')
    const rest = path.slice(sessionPath.length).replace(/^\/\{id\}/, '')
    for (const method of Object.keys(methods)) {
      const body = ['put', 'post'].includes(method) ? (bodies[rest] ?? {}) : undefined
      await expect(404, other.api(method.toUpperCase(), own, body))
      asked.push(`${method} ${rest}`)
    }
  }
  assert.ok(asked.length >= 18, `${asked}`)
  await expect(404, other.api('POST', `${sessionPath}/duplicate`, { id: session.id }))
  await expect(404, other.api('GET', `/api/v2/run/${run.id}`))
  await expect(404, other.api('GET', `/api/v2/run/${run.id}/trace`))
  for (const list of [sessionPath, `${sessionPath}/budget`, `${sessionPath}/public`, '/api/v2/run']) {
    const found = await expect(200, other.api('GET', list))
    assert.deepEqual(found.items ?? found, [], list)
  }
  const theirs = { prompt: 'Decide', connection_id: session.connectionId }
  await expect(400, other.api('POST', sessionPath, theirs))
  await expect(400, other.api('POST', `${sessionPath}/test`, theirs))
  assert.deepEqual(await session.read(), before)
})

withProvider('a public session shows its prompt and schedule, and never its connection', async (given) => {
  const { account, other } = given
  const session = await makeSession(account, given, { visibility: 'PUBLIC', cron_interval: '4H' })
  const shown = await expect(200, other.api('GET', `${sessionPath}/public/${session.id}`))
  assert.deepEqual(
    [shown.prompt, shown.cron_interval, shown.timezone],
    ['Decide. You noted: {{storage}}', '4H', 'UTC'],
  )
  assert.ok(!('connection_id' in shown))
  const copy = await expect(201, other.api('POST', `${sessionPath}/duplicate`, { id: session.id }))
  assert.deepEqual([copy.connection_id, copy.cron_interval, copy.status], [null, '4H', 'INACTIVE'])
})

withProvider(
  'runs of sessions are found by their trigger, and their receipts say what happened',
  async (given) => {
    const { account } = given
    const session = await makeSession(account, given)
    await session.due()
    const [run] = await session.ended(1)
    const { items } = await expect(200, account.api('GET', '/api/v2/run?trigger=schedule&limit=10'))
    assert.deepEqual(
      items.map(({ id }: { id: number }) => id),
      [run.id],
    )
    const webhook = await expect(200, account.api('GET', '/api/v2/run?trigger=webhook&limit=10'))
    assert.deepEqual(webhook.items, [])
    const {
      run: traced,
      steps,
      outcome,
    } = await expect(200, account.api('GET', `/api/v2/run/${run.id}/trace`))
    assert.equal(traced.strategy_type, 'llm-session')
    assert.deepEqual(
      steps.slice(0, 3).map(({ text }: { text: string }) => text),
      [
        'The schedule was due.',
        'The schedule queued the run.',
        'The run of version 2 of the session started.',
      ],
    )
    assert.deepEqual(outcome.reasons, ['The run sent no action, so there is no signal for bots.'])
  },
)
