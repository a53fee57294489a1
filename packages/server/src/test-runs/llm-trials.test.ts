import assert from 'node:assert/strict'
import { llmPath, makeAiConnection, makeThinker } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { answerJson, call, says } from '../../test/ai/stand-in.ts'
import { expect } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'

const open = (direction: string) => call('open_position', { direction })

withProvider(
  'a test run asks the model and changes nothing except the tokens that are left',
  async ({ account, provider, setModel }) => {
    const reaction = await makeThinker(account, provider, {
      ...{ tokens_per_day: 20_000, needs_approval: true },
    })
    const before = await reaction.read()
    setModel(
      says(
        { calls: [call('set_storage', { value: { n: 1 } }), open('LONG')] },
        { text: 'Bought.', tokens: { input: 14_000, output: 100 } },
      ),
    )
    const body = { payload: { rsi: 12 }, storage: { old: true } }
    const trace = await expect(200, account.api('POST', `${reaction.own}/test`, body))
    assert.deepEqual(
      [trace.status, trace.error, trace.violation, trace.response],
      ['SUCCEEDED', null, null, 'Bought.'],
    )
    const wouldAct = { action: 'LONG', symbols: ['BTCUSDT'], options: {} }
    assert.deepEqual(trace.action, { ...wouldAct, needs_approval: true })
    assert.ok(trace.transcript.some(({ text }: { text?: string }) => text?.includes('awaits_approval')))
    assert.deepEqual(await expect(200, account.api('GET', '/api/v2/approval')), [])
    assert.deepEqual(trace.storage, { before: { old: true }, after: { n: 1 } })
    const [, prompt] = trace.transcript
    assert.match(prompt.text, /^Decide on this: <untrusted-[\s\S]*"rsi":12/)
    assert.ok(!JSON.stringify(trace).includes(provider.key))
    assert.deepEqual(await reaction.read(), before)
    assert.deepEqual(await reaction.runs(), [])
    assert.deepEqual(await expect(200, account.api('GET', '/api/v2/signal')), [])
    // Its tokens are spent: another question could need more than are left.
    const second = await expect(200, account.api('POST', `${reaction.own}/test`))
    assert.deepEqual([second.status, second.error.name], ['FAILED', 'budget'])
  },
)

withProvider('a test run shows what the gate would have refused', async ({ account, provider, setModel }) => {
  const connection_id = await makeAiConnection(account, provider)
  const tried = (fields: object) =>
    expect(200, account.api('POST', `${llmPath}/test`, { prompt: 'Decide', connection_id, ...fields }))
  setModel(says({ calls: [open('LONG'), open('SHORT')] }))
  assert.equal((await tried({})).violation.rule, 'actions_per_run')
  setModel(says({ calls: [call('close_position')] }))
  assert.equal((await tried({ last_trigger: { action: 'EXIT' } })).violation.rule, 'consecutive_exit')
  setModel(says({ calls: [open('SHORT')] }))
  const refused = await tried({ actions: ['LONG'] })
  assert.equal(refused.action, null)
  assert.ok(refused.transcript.some(({ status }: { status?: string }) => status === 'malformed'))
  assert.equal((await tried({ send_signal: false })).action, null)
  const wrong = { prompt: '{{nothing}}', connection_id }
  const { details } = await expect(400, account.api('POST', `${llmPath}/test`, wrong))
  assert.deepEqual([details[0].field, details[0].line, details[0].column], ['body.prompt', 1, 1])
})

withProvider(
  'nobody can test another user’s reaction, and nobody has many test runs at a time',
  async ({ account, other, provider, setModel }) => {
    const reaction = await makeThinker(account, provider)
    await expect(404, other.api('POST', `${reaction.own}/test`, {}))
    const theirs = { prompt: 'Decide', connection_id: reaction.connectionId }
    const refused = await expect(400, other.api('POST', `${llmPath}/test`, theirs))
    assert.equal(refused.details[0].field, 'body.connection_id')
    const held: (() => void)[] = []
    setModel(() => (response) => void held.push(() => answerJson(response, 500, {})))
    const slow = [1, 2].map(() => account.api('POST', `${reaction.own}/test`, {}))
    await until('two models to be asked', async () => held.length === 2)
    await expect(429, account.api('POST', `${reaction.own}/test`, {}))
    for (const answer of held) answer()
    for (const { body } of await Promise.all(slow)) assert.equal(body.error.name, 'provider_error')
  },
)
