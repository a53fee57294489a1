import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { Answer } from '../../test/client.ts'
import { signedHeaders } from '../../test/client.ts'
import { oneService } from '../../test/each-service.ts'
import { administratorKey } from '../../test/environment.ts'
import { expect } from '../../test/reaction.ts'
import { sendOnWire, type WireAnswer } from '../../test/wire.ts'

const target = '/api/v2/api/key'
const nowSeconds = () => Math.floor(Date.now() / 1000)

/** Signs `payload` as it is given, so that a test can sign something else than what is sent. */
function headersFor(payload: string | Buffer, timestamp = String(nowSeconds())): Record<string, string> {
  const signature = createHmac('sha256', administratorKey.secret)
    .update(payload)
    .update(timestamp)
    .digest('hex')
  return { 'api-key': administratorKey.key, timestamp, signature }
}

const lines = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

function assertRefused(answer: Answer | WireAnswer, code: string, what: string): void {
  assert.equal(answer.status, 401, what)
  assert.deepEqual(Object.keys(answer.body), ['error', 'code', 'request_id'], what)
  assert.equal(answer.body.code, code, what)
}

oneService('all three headers are needed', async (service) => {
  const all = headersFor(`GET${target}`)
  assert.equal((await service.send('GET', target, { headers: all })).status, 200)
  for (const missing of Object.keys(all)) {
    const headers = Object.fromEntries(Object.entries(all).filter(([name]) => name !== missing))
    assertRefused(await service.send('GET', target, { headers }), 'auth_missing', missing)
  }
  assertRefused(await service.send('GET', target), 'auth_missing', 'none')
  const query = new URLSearchParams(all)
  assertRefused(await service.send('GET', `${target}?${query}`), 'auth_missing', 'in the query')
})

oneService(
  'every failure is answered with one body; only code and request_id tell them apart',
  async (service) => {
    const right = headersFor(`GET${target}`)
    const failures: [code: string, headers: Record<string, string>][] = [
      ['auth_missing', {}],
      ['auth_invalid', { ...right, 'api-key': 'nobody' }],
      ['auth_invalid', { ...right, signature: '0'.repeat(64) }],
      ['auth_timestamp', headersFor(`GET${target}`, String(nowSeconds() - 3600))],
    ]
    const answers = await Promise.all(
      failures.map(async ([code, headers]) => {
        const answer = await service.send('GET', target, { headers })
        assertRefused(answer, code, code)
        return answer
      }),
    )
    assert.equal(new Set(answers.map(({ body }) => body.error)).size, 1)
    assert.equal(new Set(answers.map(({ body }) => body.request_id)).size, answers.length)
    const names = answers.map(({ headers }) => [...headers.keys()].filter((name) => name !== 'date').join())
    assert.equal(new Set(names).size, 1)
  },
)

oneService('an unknown key and a wrong signature are told apart by nobody', async (service) => {
  const right = headersFor(`GET${target}`)
  const mac = createHmac('sha256', administratorKey.secret).update(`GET${target}${right.timestamp}`)
  const base64 = mac.digest('base64')
  const signed = (payload: string) => headersFor(payload, right.timestamp).signature!
  const wrong: [what: string, headers: Record<string, string>][] = [
    ['another key', { ...right, 'api-key': 'tw_unknown' }],
    ['the key in another case', { ...right, 'api-key': administratorKey.key.toUpperCase() }],
    ['an empty key', { ...right, 'api-key': '' }],
    ['a key of 4 KB', { ...right, 'api-key': 'k'.repeat(4096) }],
    ['a key with SQL in it', { ...right, 'api-key': `${administratorKey.key}' or ''='` }],
    ['a name that every object has', { ...right, 'api-key': '__proto__' }],
    ['an upper-case signature', { ...right, signature: right.signature!.toUpperCase() }],
    ['a signature in Base64', { ...right, signature: base64 }],
    ['a cut signature', { ...right, signature: right.signature!.slice(0, -1) }],
    ['a longer signature', { ...right, signature: `${right.signature}0` }],
    ['a signature with a prefix', { ...right, signature: `sha256=${right.signature}` }],
    ['an empty signature', { ...right, signature: '' }],
    ['a signature that is not hex', { ...right, signature: 'g'.repeat(64) }],
    ['a signature of 8 KB', { ...right, signature: 'a'.repeat(8192) }],
    ['another timestamp', { ...right, timestamp: String(Number(right.timestamp) + 1) }],
    ['a timestamp spelled otherwise', { ...right, timestamp: `0${right.timestamp}` }],
    ['another method', { ...right, signature: signed(`POST${target}`) }],
    ['a method in lower case', { ...right, signature: signed(`get${target}`) }],
    ['another path', { ...right, signature: signed('GET/api/v2/webhook/data') }],
    ['a path without its leading slash', { ...right, signature: signed(`GET${target.slice(1)}`) }],
    ['a path with a slash more', { ...right, signature: signed(`GET${target}/`) }],
    ['a whole URL', { ...right, signature: signed(`GET${service.url}${target}`) }],
    ['a body that there is none of', { ...right, signature: signed(`GET${target}{}`) }],
    ['separators', { ...right, signature: signed(`GET\n${target}\n`) }],
  ]
  for (const [what, headers] of wrong) {
    assertRefused(await service.send('GET', target, { headers }), 'auth_invalid', what)
  }
})

oneService('the timestamp may be off by a minute, and has to be whole seconds', async (service) => {
  const ask = (timestamp: string) =>
    service.send('GET', target, { headers: headersFor(`GET${target}`, timestamp) })
  for (const off of [-57, -1, 1, 57])
    assert.equal((await ask(String(nowSeconds() + off))).status, 200, `${off}`)
  for (const off of [-3600, -62, 63, 3600]) {
    assertRefused(await ask(String(nowSeconds() + off)), 'auth_timestamp', `${off}`)
  }
  const now = nowSeconds()
  const garbage = [
    ...[
      'abc',
      '',
      '0',
      '-1',
      'NaN',
      'Infinity',
      '1e9',
      String(Date.now()),
      `${now}.0`,
      `${now}.5`,
      `+${now}`,
    ],
    ...[
      `${now},`,
      `0x${now.toString(16)}`,
      new Date().toISOString(),
      '9'.repeat(400),
      '99999999999999999999',
    ],
  ]
  for (const timestamp of garbage) assertRefused(await ask(timestamp), 'auth_timestamp', timestamp)
})

oneService('of a GET with a query, the path with it or without it is signed', async (service) => {
  const query = '?limit=1&page=1'
  const ask = (payload: string, sent = target + query) =>
    service.send('GET', sent, { headers: headersFor(payload) })
  assert.equal((await ask(`GET${target}${query}`)).status, 200)
  assert.equal((await ask(`GET${target}`)).status, 200)
  assert.equal((await ask(`GET${target}?`)).status, 401)
  assert.equal((await ask(`GET${target}?page=1&limit=1`)).status, 401)
  assert.equal((await ask(`GET${target}?limit=2`)).status, 401)
  assert.equal((await ask(`GET${target}${query}`, target)).status, 401)
  const wire = await sendOnWire(service.url, {
    target: `${target}?`,
    headers: lines(headersFor(`GET${target}?`)),
  })
  assert.equal(wire.status, 200)
})

oneService('of any other method the query belongs to what is signed', async (service) => {
  const body = JSON.stringify({ name: 'with a query', algorithm: 'HMAC' })
  const post = (payload: string) =>
    service.send('POST', `${target}?x=1`, { body, headers: headersFor(payload) })
  assert.equal((await post(`POST${target}${body}`)).status, 401)
  const made = await expect(201, post(`POST${target}?x=1${body}`))
  const own = `${target}/${made.id}`
  const remove = (payload: string) => service.send('DELETE', `${own}?x=1`, { headers: headersFor(payload) })
  assert.equal((await remove(`DELETE${own}`)).status, 401)
  assert.equal((await remove(`DELETE${own}?x=1`)).status, 200)
})

oneService('the body is signed byte for byte as it is sent', async (service) => {
  const spellings = [
    '{"name":"a","algorithm":"HMAC"}',
    ' \t\n{ "name" :\r\n"a" , "algorithm":"HMAC" } ',
    '{"name":"grüße 😀","algorithm":"HMAC"}',
    '{"name":"gr\\u00fc\\u00dfe","algorithm":"\\u0048MAC"}',
    '{"algorithm":"HMAC","name":"a","name":"b","unknown":1.0}\n',
  ]
  for (const body of spellings) {
    const signed = Buffer.from(`POST${target}${body}`)
    assert.equal(
      (await service.send('POST', target, { body, headers: headersFor(signed) })).status,
      201,
      body,
    )
    const inChunks = await sendOnWire(service.url, {
      method: 'POST',
      target,
      headers: ['Content-Type: application/json', ...lines(headersFor(signed))],
      body: [body.slice(0, 3), body.slice(3)],
    })
    assert.equal(inChunks.status, 201, body)
    const others = [JSON.stringify(JSON.parse(body)), `${body}\n`, ` ${body}`, body.trim(), '']
    for (const other of others.filter((each) => each !== body)) {
      const headers = headersFor(Buffer.from(`POST${target}${other}`))
      assertRefused(await service.send('POST', target, { body, headers }), 'auth_invalid', body)
    }
  }
  const latin1 = Buffer.from('{"name":"é","algorithm":"HMAC"}', 'latin1')
  const signed = Buffer.concat([Buffer.from(`POST${target}`), latin1])
  assert.equal(
    (await service.send('POST', target, { body: latin1, headers: headersFor(signed) })).status,
    400,
  )
})

oneService('nothing of a body is read before its signature is known to be right', async (service) => {
  for (const body of ['{', '{"name":1}', '[]', '{}']) {
    assertRefused(await service.send('POST', target, { body }), 'auth_missing', body)
    const headers = { ...headersFor(`POST${target}${body}`), 'api-key': 'unknown' }
    assertRefused(await service.send('POST', target, { body, headers }), 'auth_invalid', body)
  }
})

oneService('the path is signed as it is sent, whatever it could have been written as', async (service) => {
  const ask = (sent: string, signed = sent) => {
    const headers = lines(headersFor(`GET${signed}`))
    return sendOnWire(service.url, { target: sent, headers })
  }
  const spellings = [
    '/api/v2/exchange?chainId=%31',
    '/api/v2/exchange?chainId=%c3%a9',
    '/api/v2/exchange?chainId=%C3%A9&enabled=true',
    '/api/v2/exchange?chainId=a+b%20c',
    '/api/v2/exchange/dex/%31',
    '/api/v2/%65xchange',
  ]
  for (const sent of spellings) assert.equal((await ask(sent)).status, 200, sent)
  const pairs: [sent: string, signed: string][] = [
    ['/api/v2/exchange/dex/%31', '/api/v2/exchange/dex/1'],
    ['/api/v2/exchange/dex/1', '/api/v2/exchange/dex/%31'],
    ['/api/v2/exchange?chainId=%c3%a9', '/api/v2/exchange?chainId=%C3%A9'],
    ['/api/v2/exchange?chainId=a+b', '/api/v2/exchange?chainId=a%20b'],
    ['/api/v2/%65xchange', '/api/v2/exchange'],
  ]
  for (const [sent, signed] of pairs) assertRefused(await ask(sent, signed), 'auth_invalid', sent)
})

oneService('a header that is sent twice is none', async (service) => {
  const right = headersFor(`GET${target}`)
  for (const name of Object.keys(right)) {
    for (const other of [right[name]!, 'x']) {
      const headers = [...lines(right), `${name}: ${other}`]
      assertRefused(await sendOnWire(service.url, { target, headers }), 'auth_invalid', name)
    }
  }
})

oneService('a HEAD is signed as a HEAD, and answered without a body', async (service) => {
  const ask = (method: string) =>
    sendOnWire(service.url, { method: 'HEAD', target, headers: lines(headersFor(`${method}${target}`)) })
  const answer = await ask('HEAD')
  assert.equal(answer.status, 200)
  assert.equal(answer.body, '')
  assert.equal((await ask('GET')).status, 401)
})

oneService('of a DELETE with a body, the body is signed or left out', async (service) => {
  const make = async (): Promise<string> => {
    const wish = { name: 'to delete', algorithm: 'HMAC' }
    return `${target}/${(await expect(201, service.api('POST', target, wish))).id}`
  }
  const [one, other, third] = [await make(), await make(), await make()]
  const body = '{"userId":1}'
  const remove = (path: string, payload: string, sent = body) =>
    service.send('DELETE', path, { body: sent, headers: headersFor(payload) })
  assertRefused(await remove(one, `DELETE${one}{}`), 'auth_invalid', 'another body')
  assertRefused(await remove(one, `DELETE${one}${body}`, '{}'), 'auth_invalid', 'a body that was changed')
  assertRefused(await remove(`${one}?x=1`, `DELETE${one}`), 'auth_invalid', 'without its query')
  assert.equal((await remove(one, `DELETE${one}`)).status, 200)
  assert.equal((await remove(third, `DELETE${third}${body}`)).status, 200)
  const typed = { ...headersFor(`DELETE${other}`), 'content-type': 'application/json' }
  assert.equal((await service.send('DELETE', other, { headers: typed })).status, 200)
})

oneService(
  'every route under /api/v2 but the description and those for guests asks for a signature',
  async (service) => {
    const { paths } = (await service.send('GET', '/api/v2/openapi.json')).body
    type Operation = { security?: unknown[] }
    const operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { security }]) =>
          [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'), security?.length === 0] as const,
      ),
    )
    const under = operations.filter(([, path]) => path.startsWith('/api/v2/'))
    const signed = under.filter(([, , isForGuests]) => !isForGuests)
    assert.equal(under.length - signed.length, 4)
    assert.ok(signed.length > 20)
    for (const [method, path] of signed) {
      const body = ['POST', 'PUT', 'PATCH'].includes(method) ? '{}' : undefined
      assertRefused(await service.send(method, path, { body }), 'auth_missing', `${method} ${path}`)
      const stale = signedHeaders(administratorKey, method, path, body, nowSeconds() - 600)
      assertRefused(
        await service.send(method, path, { body, headers: stale }),
        'auth_timestamp',
        `${method} ${path}`,
      )
    }
  },
)
