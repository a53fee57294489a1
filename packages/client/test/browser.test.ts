/** The client without the parts that only Node has: a process deletes them before it loads the client. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHmac, generateKeyPairSync, verify } from 'node:crypto'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createApiClient } from '../src/index.ts'
import { answers, secret, startLoopback } from './loopback.ts'

const client = new URL('../src/index.ts', import.meta.url).href

/** Lists exchanges with these options in a process without Node's globals; resolves to the error message, if any. */
async function listInBrowser(options: Record<string, unknown>): Promise<string> {
  // Not Buffer: Node's fetch needs it.
  const program = `
    const say = (text) => console.log(text)
    for (const name of ['process', 'global', 'setImmediate', 'require']) delete globalThis[name]
    const { createApiClient } = await import(${JSON.stringify(client)})
    await createApiClient(${JSON.stringify(options)}).exchanges.list().then(
      (list) => say('listed ' + list.length), (error) => say(error.name + ': ' + error.message))`
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, flags)
  return stdout.trim()
}

test('HMAC needs only WebCrypto and fetch', async () => {
  await using server = await startLoopback(answers(200, []))
  assert.equal(await listInBrowser({ baseUrl: server.url, apiKey: 'key-1', apiSecret: secret }), 'listed 0')
  const [{ headers }] = server.received as [(typeof server.received)[0]]
  const signed = createHmac('sha256', secret).update(`GET/api/v2/exchange${headers.timestamp}`)
  assert.equal(headers.signature, signed.digest('hex'))
})

test('ML-DSA-44 needs only a WebCrypto that supports it, with PKCS#8 and with a seed', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ml-dsa-44')
  const forms = [
    privateKey.export({ format: 'der', type: 'pkcs8' }),
    privateKey.export({ format: 'raw-seed' }),
  ]
  for (const form of forms) {
    await using server = await startLoopback(answers(200, []))
    const key = { apiKey: 'key-1', apiSecret: form.toString('base64'), algorithm: 'ML-DSA' }
    assert.equal(await listInBrowser({ baseUrl: server.url, ...key }), 'listed 0')
    const [{ headers }] = server.received as [(typeof server.received)[0]]
    const payload = Buffer.from(`GET/api/v2/exchange${headers.timestamp}`)
    assert.ok(verify(null, payload, publicKey, Buffer.from(String(headers.signature), 'base64')))
  }
})

test('the client follows no redirect, so that no signature goes elsewhere', async () => {
  await using elsewhere = await startLoopback(answers(200, []))
  await using server = await startLoopback(answers(307, {}, { location: `${elsewhere.url}/api/v2/exchange` }))
  const { exchanges } = createApiClient({ baseUrl: server.url, apiKey: 'key-1', apiSecret: secret })
  await assert.rejects(exchanges.list(), {
    name: 'ApiError',
    status: 307,
    message: /redirect.*Is baseUrl right/,
  })
  assert.equal(elsewhere.received.length, 0)
})
