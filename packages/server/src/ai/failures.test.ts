import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerJson, call, type Model, type Reply, says, startProvider } from '../../test/ai/stand-in.ts'
import { providersFor, type Thought, thinkWith } from '../../test/ai/thinking.ts'
import { type Protocol, protocols, wireFormats } from '../../test/ai/wire-formats.ts'

const long = call('open_position', { direction: 'LONG' })
const short = call('open_position', { direction: 'SHORT' })
const exit = call('close_position')

/** `failure` is its kind; `acts` counts the actions that reached the host. */
type Expected = {
  status: Thought['status']
  failure?: string
  rule?: string
  acts?: number
  /** Matches the message of the failure. */
  says?: RegExp
}
type Case = [what: string, model: Model, expected: Expected]

const html: Reply = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello')
const status =
  (code: number, headers = {}): ((protocol: Protocol) => Reply) =>
  (protocol) =>
  (response) =>
    answerJson(response, code, wireFormats[protocol].error(code, 'the stand-in says no'), headers)

/** Everything that a provider can send instead of an answer. */
function failures(protocol: Protocol): Case[] {
  const failing = (code: number, headers = {}) => says(status(code, headers)(protocol))
  const calls = (...all: ReturnType<typeof call>[]) => says({ calls: all })
  return [
    ['never', says(() => {}), { status: 'failed', failure: 'timeout' }],
    [
      'headers, but never a body',
      says((response) => void response.writeHead(200).flushHeaders()),
      { status: 'failed', failure: 'timeout' },
    ],
    [
      '429',
      failing(429, { 'retry-after': '7' }),
      { status: 'failed', failure: 'rate_limited', says: /429: the stand-in says no/ },
    ],
    ['500', failing(500), { status: 'failed', failure: 'provider_error' }],
    [
      '503 without a body',
      says((r) => void r.writeHead(503).end()),
      { status: 'failed', failure: 'provider_error' },
    ],
    ['529', failing(529), { status: 'failed', failure: 'provider_error' }],
    ['401', failing(401), { status: 'failed', failure: 'rejected', says: /401: the stand-in/ }],
    ['404', failing(404), { status: 'failed', failure: 'rejected' }],
    ['a cut connection', says((r) => void r.socket!.destroy()), { status: 'failed', failure: 'unreachable' }],
    [
      'half an answer',
      says((response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        response.write('{"id":"x","choices":[', () => response.socket!.destroy())
      }),
      { status: 'failed', failure: 'unreachable' },
    ],
    [
      'a body that is not JSON',
      says((r) => void r.writeHead(200).end('{"choices": [}')),
      { status: 'failed', failure: 'malformed' },
    ],
    ['a page', says(html), { status: 'failed', failure: 'malformed' }],
    ['nothing', says((r) => void r.writeHead(200).end()), { status: 'failed', failure: 'malformed' }],
    [
      'JSON of another shape',
      says((r) => answerJson(r, 200, { a: [1] })),
      { status: 'failed', failure: 'malformed' },
    ],
    [
      'an error with status 200',
      says((r) => answerJson(r, 200, { error: { message: 'busy now' } })),
      // An answer of Google can lack every usual field.
      protocol === 'google'
        ? { status: 'failed' }
        : { status: 'failed', failure: 'provider_error', says: /busy now/ },
    ],
    [
      'a stream that ends in an error',
      says((response) => {
        const error = { type: 'error', error: { type: 'overloaded_error', message: 'busy now' } }
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(`event: error\ndata: ${JSON.stringify(error)}\n\n`)
      }),
      { status: 'failed' },
    ],
    [
      '2 MB',
      says((response) => void response.writeHead(200).end(`{"a":"${'x'.repeat(2 ** 21)}"}`)),
      { status: 'failed', failure: 'malformed' },
    ],
    [
      'a redirect to another address',
      says((response) => void response.writeHead(307, { location: 'http://192.0.2.1/' }).end()),
      { status: 'failed', failure: 'unreachable' },
    ],
    [
      'a redirect to itself',
      says((response, { url }) => void response.writeHead(307, { location: url! }).end(), html, html, html),
      { status: 'failed', failure: 'unreachable' },
    ],
    ['a refusal', says({ end: 'refusal' }), { status: 'failed', failure: 'refused' }],
    [
      'a refusal with calls',
      says({ end: 'refusal', text: 'No.', calls: [] }),
      { status: 'failed', failure: 'refused' },
    ],
    ['an answer cut off', says({ end: 'length', calls: [long] }), { status: 'failed', failure: 'malformed' }],
    ['no action', says({ text: 'I do nothing.' }), { status: 'no_action' }],
    [
      'broken arguments',
      calls(call('open_position', '{"direction":')),
      { status: 'failed', failure: 'malformed' },
    ],
    [
      'arguments that are a text',
      calls(call('open_position', '"LONG"')),
      { status: 'failed', failure: 'malformed' },
    ],
    [
      'a list of arguments',
      calls(call('open_position', ['LONG'])),
      { status: 'failed', failure: 'malformed' },
    ],
    ['an unknown tool', calls(call('transfer', { to: 'me' })), { status: 'failed', failure: 'malformed' }],
    ['an odd tool', calls(call('open position; now')), { status: 'failed', failure: 'malformed' }],
    [
      'an unknown argument',
      calls(call('close_position', { all: true })),
      { status: 'failed', failure: 'malformed' },
    ],
    ...[-1, 0, '5', null, 1_001, { $gt: 0 }].map(
      (size): Case => [
        `a size of ${JSON.stringify(size)}`,
        calls(call('open_position', { direction: 'LONG', size })),
        { status: 'failed', failure: 'malformed' },
      ],
    ),
    [
      'a size beyond any number',
      calls(call('open_position', '{"direction":"LONG","size":1e999}')),
      { status: 'failed', failure: 'malformed' },
    ],
    [
      'a mistake that the model corrects',
      says({ calls: [call('open_position', { direction: 'UP' })] }, { calls: [long] }),
      { status: 'completed', acts: 1 },
    ],
    ['one action', calls(long), { status: 'completed', acts: 1 }],
    ['two actions at once', calls(long, short), { status: 'violation', rule: 'actions_per_run', acts: 1 }],
    [
      'two actions one after another',
      says({ calls: [long] }, { calls: [exit] }),
      { status: 'violation', rule: 'actions_per_run', acts: 1 },
    ],
    [
      'an action, and then an error',
      says({ calls: [long] }, status(500)(protocol)),
      { status: 'failed', failure: 'provider_error', acts: 1 },
    ],
    [
      'calls without end',
      () => ({ calls: [call('get_storage')] }),
      { status: 'failed', failure: 'too_many_steps' },
    ],
    [
      'too many calls at once',
      calls(...Array.from({ length: 17 }, () => call('get_storage'))),
      { status: 'failed', failure: 'malformed' },
    ],
  ]
}

for (const protocol of protocols) {
  for (const streaming of [false, true]) {
    test(`every way of failing has its outcome: ${protocol}${streaming ? ', in a stream' : ''}`, async (context) => {
      let model: Model = says()
      await using provider = await startProvider(protocol, (question) => model(question))
      using asked = providersFor(provider)
      const { providers } = asked
      for (const [what, next, expected] of failures(protocol)) {
        await context.test(what, async () => {
          model = next
          provider.questions.length = 0
          const limits = expected.failure === 'timeout' ? { callTimeoutMs: 300 } : {}
          assertOutcome(await thinkWith(provider, { providers, streaming, limits }), expected)
        })
      }
    })
  }
}

function assertOutcome(outcome: Thought, { status, failure, rule, acts = 0, says }: Expected): void {
  const { actions, action } = outcome
  const seen = JSON.stringify(outcome, null, 1)
  assert.equal(outcome.status, status, seen)
  if (failure !== undefined || status !== 'failed') assert.equal(outcome.failure?.kind, failure, seen)
  assert.equal(outcome.failure !== null, status === 'failed', seen)
  assert.equal(outcome.violation?.rule, rule, seen)
  assert.equal(actions.length, acts, seen)
  assert.equal(action !== null, acts === 1)
  if (says !== undefined) assert.match(outcome.failure!.message, says)
  if (failure === 'rate_limited') assert.equal(outcome.failure!.retryAfterSeconds, 7)
  if (failure !== undefined) assert.ok(outcome.transcript.some(({ type }) => type === 'failure'))
}
