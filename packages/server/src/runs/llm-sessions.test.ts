/** AI sessions through the whole service: from a due schedule through a model to signals and orders. */
import assert from 'node:assert/strict'
import { approvalPath, decide, exit, open } from '../../test/ai/approval.ts'
import { makeAiConnection } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { makeSession } from '../../test/ai/session.ts'
import { answerJson, call, says } from '../../test/ai/stand-in.ts'
import { protocols, wireFormats } from '../../test/ai/wire-formats.ts'
import { makeBot } from '../../test/bot.ts'
import type { Client } from '../../test/client.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'

const signalsOf = (client: Client, id: number) =>
  expect(200, client.api('GET', `/api/v2/signal?strategy_id=${id}`))
const runOf = (client: Client, { id }: { id: number }) => expect(200, client.api('GET', `/api/v2/run/${id}`))

withProvider('a due session asks its model, and the action becomes a signal and an order', async (given) => {
  const { account, provider, setModel } = given
  const bot = await makeBot(account)
  const prompt = 'It is {{current_time}}. Last: {{last_trigger_action}}. Noted: {{storage}}'
  const session = await makeSession(account, given, { prompt, webhook_id: bot.webhookId, max_size: 500 })
  assert.match((await session.read()).next_run_at, /T00:00:00.000Z$/)
  const note = call('set_storage', { value: { trend: 'up' } })
  setModel(says({ calls: [note] }, open('LONG', { size: 250 }), { text: 'Bought.' }))
  await session.due()
  const [run] = await session.ended(1)
  assert.deepEqual(
    [run.status, run.error, run.trigger, run.delivery_id],
    ['SUCCEEDED', null, 'schedule', null],
  )
  const [signal] = await signalsOf(account, session.id)
  assert.deepEqual(
    [signal.id, signal.action, signal.symbols, signal.options],
    [run.signal_id, 'LONG', ['BTCUSDT'], { size: 250 }],
  )
  await bot.followed(1)
  assert.equal((await bot.orders())[0].side, 'buy')
  const { transcript } = await runOf(account, run)
  assert.match(transcript[1].text, /^It is 20\d\d-.*Z\. Last: none\. Noted: <untrusted-/)

  // The next run begins where this one ended.
  setModel(says({ text: 'I wait.' }))
  await session.due()
  const [, second] = await session.ended(2)
  assert.deepEqual([second.status, second.signal_id], ['SUCCEEDED', null])
  assert.match(provider.questions.at(-1)!.text, /Last: LONG\. Noted: [\s\S]*"trend":"up"/)
  const { response, storage, last_trigger, last_run_at } = await session.read()
  assert.deepEqual([response, storage, last_trigger.action], ['I wait.', { trend: 'up' }, 'LONG'])
  assert.ok(last_run_at)
})

withProvider('a session asks the models of every provider', async (given) => {
  const { account, providers, setModel } = given
  for (const protocol of protocols) {
    for (const streaming of [false, true]) {
      const connection_id = await makeAiConnection(account, providers[protocol], { streaming })
      const session = await makeSession(account, given, { connection_id })
      // Not all of them act: an account may take five actions in a second.
      const acts = streaming ? open('SHORT') : { text: 'I wait.' }
      setModel(says({ calls: [call('get_storage')] }, acts))
      await session.due()
      const [run] = await session.ended(1)
      assert.deepEqual([run.status, run.error], ['SUCCEEDED', null], protocol)
      const signals = await signalsOf(account, session.id)
      assert.deepEqual(
        signals.map(({ action, run_id }: Record<string, unknown>) => [action, run_id]),
        streaming ? [['SHORT', run.id]] : [],
        protocol,
      )
    }
  }
})

withProvider(
  'a model that is silent, refuses or answers nonsense fails the run, with its transcript',
  async (given) => {
    const { account, setModel } = given
    const session = await makeSession(account, given)
    const cases = [
      [says((response) => void response.socket!.destroy()), 'unreachable'],
      [says({ text: '', tokens: null }), 'malformed'],
      [says({ end: 'refusal' }), 'refused'],
      [says({ calls: [call('open_position', '{')] }, { text: '' }), 'malformed'],
      [says({ calls: [call('open_position', { direction: 'UP' })] }), 'malformed'],
      [says((response) => answerJson(response, 200, { hello: 'world' })), 'malformed'],
      [says({ end: 'length' }), 'malformed'],
    ] as const
    for (const [index, [model, kind]] of cases.entries()) {
      setModel(model)
      await session.due()
      const run = (await session.ended(index + 1))[index]
      assert.deepEqual([run.status, run.error.name, run.signal_id], ['FAILED', kind, null])
      const { transcript } = await runOf(account, run)
      assert.equal(transcript.at(-1).type, 'failure', JSON.stringify(transcript))
    }
    const { status, next_run_at } = await session.read()
    assert.equal(status, 'ACTIVE')
    assert.ok(next_run_at)
    assert.deepEqual(await signalsOf(account, session.id), [])
  },
)

withProvider('a session asks its fallback once', async (given) => {
  const { account, provider, providers, setModel } = given
  const fallback_id = await makeAiConnection(account, providers.google)
  const connection_id = await makeAiConnection(account, provider, { fallback_id })
  const session = await makeSession(account, given, { connection_id })
  for (const one of Object.values(providers)) one.questions.length = 0
  setModel(says((response) => answerJson(response, 503, {})))
  await session.due()
  const [failed] = await session.ended(1)
  assert.deepEqual([failed.status, failed.error.name], ['FAILED', 'provider_error'])
  const { transcript } = await runOf(account, failed)
  const asked = transcript.filter(({ type }: { type: string }) => type === 'asked')
  assert.deepEqual(
    asked.map(({ service, fallback }: Record<string, unknown>) => [service, fallback]),
    [
      ['OpenAI-compatible', false],
      ['Google', true],
    ],
  )
  assert.deepEqual([provider.questions.length, providers.google.questions.length], [1, 1])
})

withProvider(
  'a session that broke a rule is suspended, and its schedule queues no run meanwhile',
  async (given) => {
    const { account, setModel } = given
    const session = await makeSession(account, given)
    setModel(says({ calls: [...exit.calls, ...exit.calls] }))
    await session.due()
    const [run] = await session.ended(1)
    assert.deepEqual([run.status, run.violation.rule], ['VIOLATION', 'actions_per_run'])
    const { status, next_run_at, next_run_reason, suspension_reason } = await session.read()
    assert.deepEqual(
      [status, next_run_at, next_run_reason, suspension_reason.run_id],
      ['SUSPENDED', null, 'suspended', run.id],
    )
    await session.due()
    const trace = () => expect(200, account.api('GET', `${session.own}/schedule/trace?count=1`))
    await until('the time to pass without a run', async () => (await session.read()).next_run_at === null)
    assert.match(
      (await trace()).reason,
      /^The strategy is suspended until .*, because run \d+ broke the rule actions_per_run/,
    )
    assert.equal((await session.runs()).length, 1)
  },
)

withProvider('a session whose budget is spent asks nobody, and its budget says so', async (given) => {
  const { account, other, provider, setModel } = given
  const session = await makeSession(account, given, { name: 'Thrifty', tokens_per_day: 20_000 })
  setModel(says({ text: 'No.', tokens: { input: 15_000, output: 10 } }))
  await session.due()
  assert.equal((await session.ended(1))[0].status, 'SUCCEEDED')
  provider.questions.length = 0
  await session.due()
  const [, run] = await session.ended(2)
  assert.deepEqual([run.status, run.error.name], ['FAILED', 'budget'])
  assert.match((await runOf(account, run)).transcript.at(-1).text, /fewer are left for today/)
  assert.deepEqual(provider.questions, [])
  const { name, tokens } = await expect(200, account.api('GET', `${session.own}/budget`))
  assert.deepEqual([name, tokens], ['Thrifty', { limit: 20_000, spent: 15_010, left: 4_990 }])
  const list = '/api/v2/strategy/llm-session/budget'
  const [listed] = await expect(200, account.api('GET', `${list}?connection_id=${session.connectionId}`))
  assert.equal(listed.strategy_id, session.id)
  assert.deepEqual(await expect(200, other.api('GET', list)), [])
  // The budgets of reactions are another list.
  assert.deepEqual(await expect(200, account.api('GET', '/api/v2/strategy/reaction/llm/budget')), [])
})

withProvider('an action of a session waits for its owner, and is sent once', async (given) => {
  const { account, other, setModel } = given
  const session = await makeSession(account, given, { name: 'Cautious', needs_approval: true })
  const ask = async (count: number) => {
    setModel(says(open('LONG'), { text: 'I have asked.' }))
    await session.due()
    const run = (await session.ended(count))[count - 1]
    assert.deepEqual([run.status, run.signal_id], ['SUCCEEDED', null])
    return expect(200, account.api('GET', `${approvalPath}/${run.approval_id}`))
  }
  const first = await ask(1)
  assert.deepEqual(
    [first.strategy_name, first.strategy_type, first.status, first.action],
    ['Cautious', 'llm-session', 'PENDING', 'LONG'],
  )
  const second = await ask(2)
  const list = await expect(200, account.api('GET', approvalPath))
  assert.deepEqual(
    list.map(({ id, status }: Record<string, unknown>) => [id, status]),
    [
      [second.id, 'PENDING'],
      [first.id, 'SUPERSEDED'],
    ],
  )
  await expect(404, decide(other, second.id, 'approve'))
  assert.deepEqual(await expect(200, other.api('GET', approvalPath)), [])
  const approved = await Promise.all([1, 2].map(() => expect(200, decide(account, second.id, 'approve'))))
  const signals = await signalsOf(account, session.id)
  assert.deepEqual(
    signals.map(({ id, run_id }: Record<string, unknown>) => [id, run_id]),
    [[approved[0].signal_id, second.run_id]],
  )
  assert.equal(approved[1].signal_id, approved[0].signal_id)
  assert.equal((await session.read()).last_trigger.action, 'LONG')

  const third = await ask(3)
  await session.setStatus('INACTIVE')
  const { error } = await expect(409, decide(account, third.id, 'approve'))
  assert.equal(error, `The action cannot be sent: AI session ${session.id} is INACTIVE.`)
})

withProvider('a session never overlaps itself, and times that it misses are one run', async (given) => {
  const { account, setModel } = given
  const session = await makeSession(account, given)
  const waiting: (() => void)[] = []
  const answer = wireFormats.openai.whole({ text: 'Done.' })
  setModel(() => (response) => void waiting.push(() => answerJson(response, 200, answer)))
  const statuses = async () => (await session.runs()).map(({ status }) => status)
  await session.due()
  const isAsking = async () => (await statuses())[0] === 'RUNNING' && waiting.length === 1
  await until('the run to be in progress', isAsking)
  for (let times = 1; times <= 3; times++) await session.due()
  assert.deepEqual(await statuses(), ['RUNNING', 'QUEUED'])
  assert.equal(waiting.length, 1)
  waiting[0]!()
  await until('the waiting run to ask', async () => waiting.length === 2)
  waiting[1]!()
  const [first, second, ...others] = await session.ended(2)
  assert.deepEqual([first.status, second.status, others], ['SUCCEEDED', 'SUCCEEDED', []])
  assert.ok(Date.parse(second.started_at) >= Date.parse(first.finished_at))

  // It was down for three days: the times that it missed fire once together.
  setModel(says())
  await session.due(Date.now() - 3 * 24 * 3_600_000)
  const [, , third] = await session.ended(3)
  assert.equal(third.status, 'SUCCEEDED')
  assert.equal((await session.runs()).length, 3)
})

withProvider('two nodes ask a model once for each time of a session', async (given) => {
  const { key, database, provider, setModel } = given
  await using second = await startService({
    database,
    env: { HTTP_ALLOW: provider.host, LOG_LEVEL: 'silent' },
  })
  const account = second.as(key)
  const connection_id = await makeAiConnection(account, provider)
  const sessions = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      makeSession(account, given, { connection_id, prompt: `Session ${n}.` }),
    ),
  )
  const asking = new Map<string, number>()
  const most = { atOnce: 0, asked: 0 }
  const said = wireFormats.openai.whole({ text: 'Done.' })
  setModel(({ text }) => (response) => {
    const session = /Session \d/.exec(text)![0]
    const atOnce = (asking.get(session) ?? 0) + 1
    asking.set(session, atOnce)
    most.atOnce = Math.max(most.atOnce, atOnce)
    most.asked++
    setImmediate(() => {
      asking.set(session, atOnce - 1)
      answerJson(response, 200, said)
    })
  })
  const rounds = 4
  for (let round = 1; round <= rounds; round++) {
    await Promise.all(sessions.map((session) => session.due()))
    for (const session of sessions) await session.ended(round)
  }
  assert.deepEqual(most, { atOnce: 1, asked: rounds * sessions.length })
  for (const session of sessions) {
    assert.deepEqual(
      (await session.runs()).map(({ status }) => status),
      Array(rounds).fill('SUCCEEDED'),
    )
  }
})
