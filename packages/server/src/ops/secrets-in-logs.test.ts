import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedHeaders } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { administratorKey } from '../../test/environment.ts'
import { postMessage } from '../../test/mcp.ts'
import { startProcess } from '../../test/process.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { sendBytes, sendOnWire } from '../../test/wire.ts'

test('the log contains no secret, no body and no code, even at the lowest level', async () => {
  await using service = await startProcess({ env: { LOG_LEVEL: 'trace' } })
  const password = 'webhook-password-8431'
  const secrets: Record<string, string> = {
    'the API secret from the environment': administratorKey.secret,
    'a password': password,
    'a payload': 'payload-marker-8431',
    code: 'code-marker-8431',
    'a header': 'bearer-marker-8431',
    'a log line of code': 'log-marker-8431',
  }

  const webhook = await makeWebhook(service, { is_safe: true, has_key: password, key_from: 'header_or_body' })
  secrets['the id of a webhook'] = webhook.urlId
  const headers = { 'x-key': password, authorization: 'bearer-marker-8431', cookie: 'bearer-marker-8431' }
  assert.equal((await webhook.post({ a: 'payload-marker-8431' }, headers)).status, 202)
  assert.equal((await webhook.post({ key: password, a: 'payload-marker-8431' })).status, 202)
  for (const body of ['{"payload-marker-8431', `{"key":"${password}"`, `{"key":"${password}x"}`]) {
    assert.ok((await webhook.post(body)).status >= 400)
  }
  await service.send('GET', webhook.path)
  await service.send('POST', `${webhook.path}/more?key=${password}`, { body: {} })
  await service.send('POST', webhook.path, { body: password, headers: { 'content-type': 'text/plain' } })
  await sendOnWire(service.url, { method: 'POST', target: `${webhook.path}%ff` })
  await sendBytes(
    service.url,
    Buffer.from(`POST ${webhook.path} HTTP/1.1\r\nHost: x\r\nX-Key: ${password}\0\r\n\r\n`),
  )
  await service.api('DELETE', `/api/v2/webhook/data/${webhook.id}`)
  await webhook.post({ key: password })

  const made = await expect(201, service.api('POST', '/api/v2/api/key', { name: 'x', algorithm: 'HMAC' }))
  const pair = await expect(201, service.api('POST', '/api/v2/api/key', { name: 'x', algorithm: 'ML-DSA' }))
  secrets['a new API secret'] = made.api_secret
  secrets['an MCP token'] = made.mcp_token.split('.').at(-1)
  for (const token of [made.mcp_token, `${made.mcp_token}x`]) {
    for (const body of [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }, '{', '[]']) {
      await postMessage(service, token, body)
    }
  }
  secrets['a new private key'] = pair.api_secret.slice(60, 100)
  const signed = signedHeaders(administratorKey, 'GET', '/api/v2/api/key', undefined)
  secrets['a signature'] = signed.signature!
  await service.send('GET', '/api/v2/api/key', { headers: signed })
  await service.send('GET', '/api/v2/webhook/data', { headers: signed })

  const reaction = await makeReaction(
    service,
    `const marker = 'code-marker-8431'
    $.log('log-marker-8431')
    if ($.Request.data.includes('fail')) throw new Error($.Request.data)
    await $.Storage.set(marker)
    await $.Strategy.action($.Action.EXIT)
    await $.Strategy.action($.Action.EXIT)`,
  )
  secrets['the id of another webhook'] = reaction.path.slice('/data-webhook/'.length)
  await reaction.post({ fail: 'payload-marker-8431' })
  await reaction.post({ a: 'payload-marker-8431' })
  await reaction.ended(2)
  assert.equal(await service.stop(), 0)

  const output = service.output()
  assert.match(output, /tickwright is ready/)
  assert.match(output, /run ended/)
  for (const [what, secret] of Object.entries(secrets))
    assert.ok(!output.includes(secret), `${what}:\n${output}`)
})

withDatabase('the password and key of a first start are shown once, and never logged', async (database) => {
  const generated = {
    TICKWRIGHT_ADMIN_PASSWORD: '',
    TICKWRIGHT_ADMIN_API_KEY: '',
    TICKWRIGHT_ADMIN_API_SECRET: '',
    TICKWRIGHT_EXAMPLE: '1',
    LOG_LEVEL: 'trace',
  }
  const shown: string[] = []
  {
    await using service = await startProcess({ database, env: generated })
    await service.stop()
    const output = service.output()
    for (const name of ['password', 'API key', 'API secret']) {
      const value = new RegExp(`^ {2}${name} +(\\S+)$`, 'm').exec(output)?.[1]
      assert.ok(value !== undefined && value.length >= 20, name)
      assert.equal(output.split(value).length, 2, name)
      shown.push(value)
    }
    const url = /http:\/\/\S+\/data-webhook\/([\w-]{43})$/m.exec(output)
    assert.ok(url !== null)
    shown.push(url[1]!)
    const [, key, secret] = shown as [string, string, string, string]
    await using again = await startProcess({ database, env: generated })
    assert.equal((await again.as({ key, secret }).api('GET', '/api/v2/api/key')).status, 200)
    await again.stop()
    for (const value of shown) assert.ok(!again.output().includes(value))
  }
})
