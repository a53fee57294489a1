import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { logged, recordingHost, testSandbox, until } from './test-support.ts'

const { run } = await testSandbox()

/** Code that logs the result of each promise: its value, or the name and message of its error. */
const outcomesOf = (...calls: string[]) =>
  `const show = (promise) => promise.then((value) => value, (error) => error.name + ': ' + error.message)
   $.log([${calls.map((call) => `await show(${call})`).join(', ')}])`

test('each method requests what its arguments say', async () => {
  const host = recordingHost()
  const code = outcomesOf(
    `$.Http.get('https://a.example/x?y=1', { symbol: 'BTC', limit: 5, live: true, ids: [1, 'b'], none: null, not: undefined })`,
    `$.Http.post('https://a.example/', { a: [1, 'ü'] }, { 'X-Mine': 'yes' })`,
    `$.Http.put('https://a.example/', 'as it is', undefined)`,
    `$.Http.delete('https://a.example/1', undefined, { Accept: 'text/plain' })`,
    `$.Http.post('https://a.example/empty')`,
  )
  const answer = { status: 200, text: '{}', cache: false }
  assert.deepEqual(logged(await run(code, { host })), Array(5).fill(answer))
  const plain = { method: 'POST', url: 'https://a.example/', params: [], headers: {}, body: null }
  assert.deepEqual(host.requests, [
    {
      ...plain,
      method: 'GET',
      url: 'https://a.example/x?y=1',
      params: [
        ['symbol', 'BTC'],
        ['limit', '5'],
        ['live', 'true'],
        ['ids', '1'],
        ['ids', 'b'],
      ],
    },
    { ...plain, body: '{"a":[1,"ü"]}', headers: { 'X-Mine': 'yes' } },
    { ...plain, method: 'PUT', body: 'as it is' },
    { ...plain, method: 'DELETE', url: 'https://a.example/1', headers: { Accept: 'text/plain' } },
    { ...plain, url: 'https://a.example/empty' },
  ])
})

test('invalid arguments reject with an error that names them, and send nothing', async () => {
  const host = recordingHost()
  const code = outcomesOf(
    `$.Http.get()`,
    `$.Http.get('')`,
    `$.Http.get('https://a.example/' + 'x'.repeat(9000))`,
    `$.Http.get('https://a.example/', 'a=b')`,
    `$.Http.get('https://a.example/', { a: {} })`,
    `$.Http.get('https://a.example/', { a: 'x'.repeat(9000) })`,
    `$.Http.get('https://a.example/', null, { Accept: 5 })`,
    `$.Http.post('https://a.example/', () => 1)`,
    `$.Http.post('https://a.example/', 'ü'.repeat(140000))`,
    `$.Http.put('https://a.example/', {}, ['a'])`,
    `$.Http.delete('https://a.example/', {}, { ['x'.repeat(17000)]: '' })`,
  )
  assert.deepEqual(logged(await run(code, { host })), [
    'TypeError: url must be a string that is not empty',
    'TypeError: url must be a string that is not empty',
    'RangeError: url may have at most 8192 characters',
    'TypeError: params must be an object',
    'TypeError: params.a must be a string, a number, a boolean or a list of them',
    'RangeError: params may have at most 8192 characters',
    'TypeError: headers.Accept must be a string',
    'TypeError: data cannot be of type function',
    'RangeError: data may have at most 262144 bytes',
    'TypeError: headers must be an object',
    'RangeError: headers may have at most 16384 characters',
  ])
  assert.equal(host.requests.length, 0)
})

test('an error of the host rejects, with its name, its message and the line of the call', async () => {
  const host = recordingHost({
    http: async () => {
      throw new TypeError('url must be an http or https address')
    },
  })
  const outcome = await run(`\n  await $.Http.get('ftp://a.example/')`, { host })
  assert.deepEqual(outcome.error, {
    name: 'TypeError',
    message: 'url must be an http or https address',
    line: 2,
    column: 16,
  })
})

test('$.Http has the time limit as a constant, and answers are frozen', async () => {
  const code = `const answer = await $.Http.get('https://a.example/')
    $.log([$.Http.timeout, Object.isFrozen($.Http), Object.isFrozen(answer)])`
  assert.deepEqual(logged(await run(code)), [1750, true, true])
})

test('a run makes 20 requests; the 21st rejects', async () => {
  const host = recordingHost()
  const code = `let made = 0
    for (let i = 0; i < 21; i += 1) await $.Http.get('https://a.example/' + i).then(() => (made += 1), (error) => $.log(error.message))
    $.log(made)`
  assert.equal((await run(code, { host })).log, 'A run may send at most 20 HTTP requests.\n20\n')
  assert.equal(host.requests.length, 20)
})

test('all answers of a run together have a limit; an answer over it says so', async () => {
  const text = 'x'.repeat(1024 * 1024)
  const host = recordingHost({ http: async () => ({ status: 200, text, cache: false }) })
  const code = `const statuses = []
    for (let i = 0; i < 9; i += 1) statuses.push((await $.Http.get('https://a.example/' + i)).status)
    $.log(statuses)`
  assert.deepEqual(logged(await run(code, { host })), [...Array(8).fill(200), 502])
})

test('the signal of a request aborts when its run is over', async () => {
  let heard = false
  const host = recordingHost({
    http: (_request, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          heard = true
          resolve({ status: 502, text: 'aborted', cache: false })
        })
      }),
  })
  const outcome = await run(`$.Http.get('https://a.example/'); return`, { host })
  assert.equal(outcome.status, 'completed')
  await until('the request hears that its run is over', () => heard)
})

test('$.Http.generateSignature takes a payload, a secret and an algorithm, HMAC by default', async () => {
  const code = outcomesOf(
    `$.Http.generateSignature('GET/path1700000000', 'secret')`,
    `$.Http.generateSignature('', 'secret', 'ML-DSA')`,
    `$.Http.generateSignature({}, 'secret')`,
    `$.Http.generateSignature('payload')`,
    `$.Http.generateSignature('payload', 'secret', 'hmac')`,
  )
  assert.deepEqual(logged(await run(code)), [
    'HMAC of GET/path1700000000 with secret',
    'ML-DSA of  with secret',
    'TypeError: payload must be a string',
    'TypeError: secret must be a string that is not empty',
    'TypeError: algo must be one of HMAC, ML-DSA',
  ])
})

test('all payloads that a run signs have a limit together', async () => {
  const code = `const payload = 'x'.repeat(256 * 1024)
    for (let i = 0; i < 4; i += 1) await $.Http.generateSignature(payload, 'secret')
    await $.Http.generateSignature('x', 'secret').catch((error) => $.log(error.message))`
  const host = recordingHost({ sign: async () => 'signature' })
  assert.equal((await run(code, { host })).log, 'A run may sign at most 1048576 characters.\n')
})

test('without an API client, createApiClient says so; with one, the client gets frozen functions', async () => {
  const code = `try { $.log([$.Http.createApiClient({ apiKey: 'k', apiSecret: 's' }).describe()]) } catch (error) { $.log([error.message]) }`
  assert.deepEqual(logged(await run(code)), ['This sandbox has no API client.'])
  const modulePath = fileURLToPath(new URL('../test/api-client-stand-in.js', import.meta.url))
  const { run: runWithClient } = await testSandbox({
    apiClient: { modulePath, baseUrl: 'https://service.example' },
  })
  const outcome = await runWithClient(`
    const client = $.Http.createApiClient({ apiKey: 'k', apiSecret: 's' })
    const proto = Object.getPrototypeOf(client)
    $.log([client.describe(), Object.isFrozen(proto), Object.isFrozen(proto.describe)])`)
  assert.deepEqual(logged(outcome), [
    { apiKey: 'k', baseUrl: 'https://service.example', same: true, time: 'number' },
    true,
    true,
  ])
})
