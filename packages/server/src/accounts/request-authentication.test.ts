import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { ApiAnswer } from '../../test/client.ts'
import { signedHeaders } from '../../test/client.ts'
import { administratorKey } from '../../test/environment.ts'
import { expect } from '../../test/reaction.ts'
import { sendOnWire, type WireAnswer } from '../../test/wire.ts'
import { withService } from '../../test/with-service.ts'

const target = '/api/v2/api/key'
const nowSeconds = () => Math.floor(Date.now() / 1000)

/** Signs `payload` as it is, so that a test can sign something else than it sends. */
function headersFor(payload: string | Buffer, timestamp = String(nowSeconds())): Record<string, string> {
  const signature = createHmac('sha256', administratorKey.secret)
    .update(payload)
    .update(timestamp)
    .digest('hex')
  return { 'api-key': administratorKey.key, timestamp, signature }
}

const lines = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

function assertRefused(answer: ApiAnswer | WireAnswer, code: string, what: string): void {
  assert.equal(answer.status, 401, what)
  assert.deepEqual(Object.keys(answer.body), ['error', 'code', 'request_id'], what)
  assert.equal(answer.body.code, code, what)
}

withService('all three headers are needed', async (service) => {
  const all = headersFor(`GET${target}`)
  assert.equal((await service.send('GET', target, { headers: all })).status, 200)
  for (const missing of Object.keys(all)) {
    const headers = Object.fromEntries(Object.entries(all).filter(([name]) => name !== missing))
    assertRefused(await service.send('GET', target, { headers }), 'auth_missing', missing)
    const empty = { ...all, [missing]: '' }
    assertRefused(await service.send('GET', target, { headers: empty }), 'auth_missing', missing)
  }
  assertRefused(await service.send('GET', target), 'auth_missing', 'none')
  const query = new URLSearchParams(all)
  assertRefused(await service.send('GET', `${target}?${query}`), 'auth_missing', 'in the query')
})

withService('the sentence of a 401 says what was wrong', async (service) => {
  const sentence = async (headers: Record<string, string>, code: string) => {
    const answer = await service.send('GET', target, { headers })
    assertRefused(answer, code, code)
    return answer.body.error as string
  }
  const { timestamp, signature, ...rest } = headersFor(`GET${target}`)
  const missing = (headers: Record<string, string>) => sentence(headers, 'auth_missing')
  assert.equal(
    await missing({}),
    'Not authenticated: the headers api-key, timestamp, and signature are missing.',
  )
  assert.equal(await missing(rest), 'Not authenticated: the headers timestamp and signature are missing.')
  assert.equal(
    await missing({ ...rest, signature: signature! }),
    'Not authenticated: the header timestamp is missing.',
  )
  const at = (text: string) => sentence(headersFor(`GET${target}`, text), 'auth_timestamp')
  assert.match(
    await at(String(nowSeconds() - 3600)),
    /: the timestamp is 360\d s behind the clock of the service; at most 60 s are allowed\.$/,
  )
  assert.match(await at(String(nowSeconds() + 90)), /: the timestamp is (8\d|90) s ahead of the clock/)
  assert.match(await at(String(Date.now())), /looks like milliseconds \(as such, it is right\)/)
  assert.match(await at(String(Date.now() - 7_200_000)), /milliseconds \(as such, it is 720\d s behind/)
  for (const text of ['soon', `0${timestamp}`, timestamp!.slice(1), `${timestamp}.0`]) {
    assert.match(await at(text), /must be Unix time in whole seconds: ten digits without a leading zero/)
  }
})

withService('an unknown key and a wrong signature get the same answer', async (service) => {
  const right = headersFor(`GET${target}`)
  const mac = createHmac('sha256', administratorKey.secret).update(`GET${target}${right.timestamp}`)
  const base64 = mac.digest('base64')
  const signed = (payload: string) => headersFor(payload, right.timestamp).signature!
  const wrong: [what: string, headers: Record<string, string>][] = [
    ['another key', { ...right, 'api-key': 'tw_unknown' }],
    ['the key in another case', { ...right, 'api-key': administratorKey.key.toUpperCase() }],
    ['a key of 4 KB', { ...right, 'api-key': 'k'.repeat(4096) }],
    ['a key with SQL in it', { ...right, 'api-key': `${administratorKey.key}' or ''='` }],
    ['a name that every object has', { ...right, 'api-key': '__proto__' }],
    ['an upper-case signature', { ...right, signature: right.signature!.toUpperCase() }],
    ['a signature in Base64', { ...right, signature: base64 }],
    ['a cut signature', { ...right, signature: right.signature!.slice(0, -1) }],
    ['a longer signature', { ...right, signature: `${right.signature}0` }],
    ['a signature with a prefix', { ...right, signature: `sha256=${right.signature}` }],
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
    ['a body that is not sent', { ...right, signature: signed(`GET${target}{}`) }],
    ['separators', { ...right, signature: signed(`GET\n${target}\n`) }],
  ]
  const sentences = new Set<string>()
  for (const [what, headers] of wrong) {
    const answer = await service.send('GET', target, { headers })
    assertRefused(answer, 'auth_invalid', what)
    sentences.add(answer.body.error)
  }
  assert.equal(sentences.size, 1)
})

withService('the timestamp may be off by a minute, and must be whole seconds', async (service) => {
  const ask = (timestamp: string) =>
    service.send('GET', target, { headers: headersFor(`GET${target}`, timestamp) })
  for (const off of [-57, -1, 1, 57])
    assert.equal((await ask(String(nowSeconds() + off))).status, 200, `${off}`)
  for (const off of [-3600, -62, 63, 3600]) {
    assertRefused(await ask(String(nowSeconds() + off)), 'auth_timestamp', `${off}`)
  }
  const now = nowSeconds()
  const garbage = [
    ...['abc', '0', '-1', 'NaN', 'Infinity', '1e9', String(Date.now()), `${now}.0`, `${now}.5`, `+${now}`],
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

withService('a GET can be signed with or without its query', async (service) => {
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

withService('every other method is signed with its query', async (service) => {
  // The routes that change something and take a query are few. This one answers 404 for an absent webhook.
  const share = '/api/v2/webhook/data/share/77777'
  const remove = async (payload: string) => {
    const headers = headersFor(payload)
    return (await service.send('DELETE', `${share}?userId=77778`, { headers })).status
  }
  assert.equal(await remove(`DELETE${share}`), 401)
  assert.equal(await remove(`DELETE${share}?userId=77778`), 404)
  const body = JSON.stringify({ name: 'with a query', algorithm: 'HMAC' })
  const post = async (payload: string) =>
    (await service.send('POST', `${target}?x=1`, { body, headers: headersFor(payload) })).body.code
  assert.equal(await post(`POST${target}${body}`), 'auth_invalid')
  // The signature is right, but the parameter is unknown.
  assert.equal(await post(`POST${target}?x=1${body}`), 'request_invalid')
})

withService('the body is signed byte for byte, as sent', async (service) => {
  const spellings = [
    '{"name":"a","algorithm":"HMAC"}',
    ' \t\n{ "name" :\r\n"a" , "algorithm":"HMAC" } ',
    '{"name":"grüße 😀","algorithm":"HMAC"}',
    '{"name":"gr\\u00fc\\u00dfe","algorithm":"\\u0048MAC"}',
    '{"algorithm":"HMAC","name":"a","name":"b"}\n',
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

withService('no body is parsed before its signature was checked', async (service) => {
  for (const body of ['{', '{"name":1}', '[]', '{}']) {
    assertRefused(await service.send('POST', target, { body }), 'auth_missing', body)
    const headers = { ...headersFor(`POST${target}${body}`), 'api-key': 'unknown' }
    assertRefused(await service.send('POST', target, { body, headers }), 'auth_invalid', body)
  }
})

withService('the path is signed as sent, whatever its other spellings', async (service) => {
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

withService('a header that is sent twice is refused, whatever it contains', async (service) => {
  const right = headersFor(`GET${target}`)
  for (const name of Object.keys(right)) {
    for (const other of [right[name]!, 'x']) {
      const headers = [...lines(right), `${name}: ${other}`]
      const { status, body } = await sendOnWire(service.url, { target, headers })
      assert.deepEqual([status, body.code], [400, 'request_malformed'], name)
    }
  }
})

withService('a HEAD is signed as a HEAD, and answered without a body', async (service) => {
  const ask = (method: string) =>
    sendOnWire(service.url, { method: 'HEAD', target, headers: lines(headersFor(`${method}${target}`)) })
  const answer = await ask('HEAD')
  assert.equal(answer.status, 200)
  assert.equal(answer.body, '')
  assert.equal((await ask('GET')).status, 401)
})

withService('a GET and a DELETE take no body, signed or not', async (service) => {
  const made = await expect(201, service.api('POST', target, { name: 'to delete', algorithm: 'HMAC' }))
  const own = `${target}/${made.id}`
  for (const [method, path] of [
    ['GET', target],
    ['DELETE', own],
  ] as const) {
    for (const signed of ['', '{"name":"x"}']) {
      const headers = ['Content-Type: application/json', ...lines(headersFor(`${method}${path}${signed}`))]
      const answer = await sendOnWire(service.url, { method, target: path, headers, body: '{"name":"x"}' })
      // A body that was not signed already gets 401.
      assert.ok([400, 401].includes(answer.status), `${method} ${signed}: ${answer.status}`)
    }
  }
  const typed = { ...headersFor(`DELETE${own}`), 'content-type': 'application/json' }
  assert.equal((await service.send('DELETE', own, { headers: typed })).status, 200)
})

withService(
  'a DELETE that declares a body signs it; only the end of a share may leave it unsigned',
  async (service) => {
    const remove = async (path: string, body: string, signed: string) => {
      const { status, body: answer } = await service.send('DELETE', path, {
        body,
        headers: headersFor(`DELETE${path}${signed}`),
      })
      return `${status} ${answer.code}`
    }
    const factor = '{"password":"wrong password","code":"000000"}'
    const unsigned = '401 auth_invalid'
    assert.equal(await remove('/api/v2/user/totp', factor, ''), unsigned)
    assert.notEqual(await remove('/api/v2/user/totp', factor, factor), unsigned)
    for (const kind of ['data', 'bot']) {
      const { id } = await expect(201, service.api('POST', `/api/v2/webhook/${kind}`, { name: 'shared' }))
      const share = `/api/v2/webhook/${kind}/share/${id}`
      const body = '{"userId":77777}'
      const nobody = '404 resource_not_found'
      assert.equal(await remove(share, body, body), nobody)
      assert.equal(await remove(share, body, ''), nobody)
      assert.equal(await remove(share, body, '{"userId":77778}'), unsigned)
      // If the signed query names the user, no body can name another.
      assert.equal(await remove(`${share}?userId=77778`, body, ''), '400 request_invalid')
    }
  },
)

withService('a body is empty or a JSON object', async (service) => {
  const valid = '{"name":"x","algorithm":"HMAC"}'
  const post = async (body: string | Buffer) => {
    const signed = Buffer.concat([Buffer.from(`POST${target}`), Buffer.from(body)])
    return (await service.send('POST', target, { body, headers: headersFor(signed) })).status
  }
  for (const body of [valid, ` \t\r\n${valid}`, `${valid} \n`]) assert.equal(await post(body), 201, body)
  const others = [
    `\ufeff${valid}`,
    `\u00a0${valid}`,
    `\v${valid}`,
    `/**/${valid}`,
    `[${valid}]`,
    '"x"',
    '7',
    'null',
    ' ',
  ]
  for (const body of others) assert.equal(await post(body), 400, JSON.stringify(body))
})

withService('a signed target contains only characters that RFC 3986 allows', async (service) => {
  const ask = async (sent: string) => {
    const signed = Buffer.from(`GET${sent}`, 'latin1').toString('latin1')
    return sendOnWire(service.url, { target: sent, headers: lines(headersFor(signed)) })
  }
  assert.equal((await ask(`/api/v2/exchange?chainId=%7B%22!$'()*+,;:@/?-._~=`)).status, 200)
  const odd = [
    '{',
    '}',
    '"',
    '<',
    '>',
    '|',
    '\\',
    '^',
    '`',
    '[',
    ']',
    '#',
    '%',
    '%4',
    '%zz',
    '\u00e9',
    '\u007f',
  ]
  for (const text of odd) {
    const { status, body } = await ask(`${target}?a=${text}`)
    assert.deepEqual([status, body.code], [400, 'request_malformed'], text)
  }
  // Only the header can name the host.
  assert.equal((await ask(`http://localhost${target}`)).status, 400)
})

withService('a thing has one address, with its id in plain form', async (service) => {
  const { id } = await expect(201, service.api('POST', '/api/v2/webhook/data', { name: 'one address' }))
  const ask = async (spelled: string) => {
    const sent = `/api/v2/webhook/data/${spelled}`
    return (await sendOnWire(service.url, { target: sent, headers: lines(headersFor(`GET${sent}`)) })).status
  }
  assert.equal(await ask(String(id)), 200)
  for (const odd of [`0${id}`, `+${id}`, `${id}.0`, `${id}e0`, `${id}%20`, `%20${id}`, `0x${id}`]) {
    assert.equal(await ask(odd), 400, odd)
  }
  for (const odd of [`${id}/`, `/${id}`, `${id};a=1`]) assert.ok([400, 404].includes(await ask(odd)), odd)
})

withService(
  'every route under /api/v2 requires a signature, except the description and those for guests',
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
    assert.equal(under.length - signed.length, 5)
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
