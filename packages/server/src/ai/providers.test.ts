import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerJson, call, says, startProvider } from '../../test/ai/stand-in.ts'
import { providersFor, thinkWith } from '../../test/ai/thinking.ts'
import { protocols } from '../../test/ai/wire-formats.ts'
import { startRemote } from '../../test/remote.ts'
import { until } from '../../test/until.ts'
import { listModels } from './model-list.ts'
import { ProviderHttp } from './provider-http.ts'
import { type ModelAccess, Providers, type Question } from './providers.ts'

const question: Question = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  ...{ maxOutputTokens: 64, timeoutMs: 5_000 },
}
const never = new AbortController().signal

test('every provider is asked in its own format, streaming or not, with the same result', async () => {
  for (const protocol of protocols) {
    await using provider = await startProvider(
      protocol,
      says({ text: 'Hello, é.', calls: [call('get_storage'), call('close_position', { size: 1.5 })] }),
    )
    using asked = providersFor(provider)
    const answers = await Promise.all(
      [false, true].map((streaming) => asked.providers.ask(provider.access(streaming), question, never)),
    )
    for (const { text, calls, tokens, finish } of answers) {
      assert.equal(text, 'Hello, é.')
      assert.deepEqual(
        calls.map(({ name, input }) => [name, JSON.parse(input)]),
        [
          ['get_storage', {}],
          ['close_position', { size: 1.5 }],
        ],
      )
      assert.deepEqual(tokens, { input: 100, output: 20 })
      assert.ok(['stop', 'tool-calls'].includes(finish))
    }
    const asSent = provider.questions.map(({ stream, limit }) => `${stream} ${limit}`)
    assert.deepEqual(asSent.sort(), ['false 64', 'true 64'])
  }
})

test('a question is one request, whatever the provider asks for', async () => {
  // A provider of this kind can ask for the same request any number of times.
  const endless = { candidates: [{ finishReason: 'CONTINUATION', continuationToken: 'more', content: {} }] }
  await using provider = await startProvider('google', () => (r) => answerJson(r, 200, endless))
  using asked = providersFor(provider)
  await assert.rejects(asked.providers.ask(provider.access(false), question, never), {
    ...{ name: 'ProviderFailure', kind: 'malformed' },
  })
  assert.equal(provider.questions.length, 1)
})

test('only public addresses with TLS are asked, unless the administrator allows others', async () => {
  await using remote = await startRemote()
  const http = new ProviderHttp({ publicUrl: 'http://service.example', allow: [] })
  const providers = new Providers(http)
  const bases = [
    ...[
      remote.url,
      'https://127.0.0.1/v1',
      'https://[::1]/v1',
      'https://169.254.169.254/latest',
      'https://10.0.0.1',
    ],
    ...[
      'https://localhost/v1',
      'http://192.0.2.1/v1',
      'http://api.openai.com/v1',
      'https://user:pw@example.com/v1',
    ],
  ]
  for (const baseUrl of bases) {
    for (const serviceId of [102, 103, 104]) {
      const access: ModelAccess = { serviceId, baseUrl, model: 'm', apiKey: 'k', streaming: false }
      await assert.rejects(
        providers.ask(access, question, never),
        { kind: 'rejected', mayHaveCost: false },
        baseUrl,
      )
      await assert.rejects(listModels(http, access), { kind: 'rejected' }, baseUrl)
    }
  }
  assert.equal(remote.asked.length, 0)
  http.close()
})

test('a redirect sends neither key nor prompt to another address', async () => {
  await using elsewhere = await startRemote()
  await using provider = await startProvider('openai', () => (response) => {
    response.writeHead(307, { location: elsewhere.url }).end()
  })
  using asked = providersFor(provider, elsewhere)
  await assert.rejects(asked.providers.ask(provider.access(false), question, never), { kind: 'unreachable' })
  assert.equal(elsewhere.asked.length, 0)
})

test('no connection stays open after a question', async () => {
  await using provider = await startProvider('anthropic', () => () => {})
  using asked = providersFor(provider)
  const given = new AbortController()
  const ended = Promise.allSettled([
    asked.providers.ask(provider.access(false), { ...question, timeoutMs: 3_000 }, never),
    asked.providers.ask(provider.access(true), question, given.signal),
  ])
  await until('both to be asked', async () => provider.questions.length === 2)
  given.abort(new Error('enough'))
  const [late, givenUp] = await ended
  assert.ok(late.status === 'rejected' && late.reason.kind === 'timeout')
  assert.ok(givenUp.status === 'rejected' && givenUp.reason.message === 'enough')
  await until('the connections to be closed', async () => provider.openConnections() === 0)
})

test('the list of models is the provider’s own', async () => {
  for (const protocol of protocols) {
    await using provider = await startProvider(protocol, says())
    using asked = providersFor(provider)
    assert.deepEqual(await listModels(asked.http, provider.access(false)), ['other', 'stand-in'])
    const wrong = { ...provider.access(false), apiKey: 'wrong-key-4711' }
    await assert.rejects(listModels(asked.http, wrong), (error: Error) => {
      assert.match(error.message, /401/)
      assert.doesNotMatch(error.message, /wrong-key/)
      return true
    })
  }
})

test('keys of the environment are never used', async () => {
  process.env.ANTHROPIC_API_KEY = 'of-the-environment'
  process.env.ANTHROPIC_BASE_URL = 'http://192.0.2.1'
  await using provider = await startProvider('anthropic', says({ text: 'Yes.' }))
  const outcome = await thinkWith(provider)
  assert.equal(outcome.status, 'no_action')
  await using other = await startProvider('anthropic', says({ text: 'Yes.' }))
  using asked = providersFor(other)
  const access = { ...other.access(false), apiKey: '' }
  await assert.rejects(asked.providers.ask(access, question, never))
  assert.equal(other.questions.length, 0)
})
