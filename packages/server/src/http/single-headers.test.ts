import assert from 'node:assert/strict'
import { signedHeaders } from '../../test/client.ts'
import { administratorKey } from '../../test/environment.ts'
import { makeWebhook } from '../../test/webhook.ts'
import { sendBytes } from '../../test/wire.ts'
import { withService } from '../../test/with-service.ts'

const send = (url: string, line: string, headers: string[], body = '') =>
  sendBytes(url, Buffer.from([line, ...headers, 'Connection: close', '', body].join('\r\n'), 'latin1'))

const refused = (answer: Awaited<ReturnType<typeof send>>, what: string) => {
  assert.equal(answer.status, 400, `${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
  assert.equal(answer.body.code, 'request_malformed', what)
}

withService('two hosts, no host and an invalid host are refused on every route', async (service) => {
  const { path } = await makeWebhook(service)
  const document = await service.send('GET', '/api/v2/openapi.json')
  const routes = Object.entries<object>(document.body.paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), route.replaceAll(/\{\w+\}/g, '1')] as const),
  )
  const more = [
    '/docs',
    '/docs/',
    '/signup',
    '/health/live',
    '/health/ready',
    '/metrics',
    '/absent',
    '/mcp',
    path,
  ]
  for (const [method, target] of [...routes, ...more.map((each) => ['GET', each] as const)]) {
    const line = `${method} ${target} HTTP/1.1`
    refused(await send(service.url, line, ['Host: localhost', 'Host: other.example']), line)
  }
  for (const target of ['/health/live', path, '/api/v2/user/me', '/absent']) {
    const line = `GET ${target} HTTP/1.1`
    refused(await send(service.url, line, []), `${line} without a host`)
    refused(await send(service.url, line, ['Host: localhost', 'hOST: localhost']), `${line} twice the same`)
    for (const host of [
      '',
      'a b',
      'a/b',
      'user@localhost',
      'localhost:80:80',
      'localhost,other',
      '[::1',
      'a\tb',
    ]) {
      const answer = await send(service.url, line, [`Host: ${host}`])
      refused(answer, `${line} with the host ${host}`)
    }
  }
  assert.equal((await send(service.url, 'GET /health/live HTTP/1.0', [])).status, 200)
  for (const host of [
    'localhost',
    '[::1]:3000',
    'trading.example.com:443',
    'under_score.example',
    'localhost:',
  ]) {
    assert.equal((await send(service.url, 'GET /health/live HTTP/1.1', [`Host: ${host}`])).status, 200, host)
  }
})

withService('no header that identifies or describes a request may appear twice', async (service) => {
  const { path, deliveries } = await makeWebhook(service)
  const plain = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 2']
  const post = (headers: string[], body = '{}') => send(service.url, `POST ${path} HTTP/1.1`, headers, body)
  assert.equal((await post(plain)).status, 202)
  const twice = [
    ...[
      'Content-Type: application/json',
      'content-type: text/plain',
      'Content-Length: 2',
      'Content-Length: 0',
    ],
    ...['Transfer-Encoding: chunked', 'Transfer-Encoding: identity', 'Transfer-Encoding: xchunked'],
  ]
  for (const line of twice) {
    refused(await post([...plain, line]), line)
    refused(await post([plain[0]!, line, ...plain.slice(1)]), `${line}, first`)
  }
  for (const name of [
    'X-Key',
    'Idempotency-Key',
    'webhook-id',
    'Content-Encoding',
    'Authorization',
    'Origin',
  ]) {
    const lines = [`${name}: a`, `${name.toLowerCase()}: b`]
    refused(await post([...plain, ...lines]), name)
  }
  for (const chunked of [
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked, chunked'],
  ]) {
    refused(await post([...plain.slice(0, 2), ...chunked], '2\r\n{}\r\n0\r\n\r\n'), chunked.join())
  }
  assert.equal((await deliveries()).length, 1)
})

withService(
  'a signed request whose key, time or signature comes twice is refused before it is looked at',
  async (service) => {
    const target = '/api/v2/user/me'
    const signed = Object.entries(signedHeaders(administratorKey, 'GET', target, undefined))
    const lines = ['Host: localhost', ...signed.map(([name, value]) => `${name}: ${value}`)]
    const ask = (headers: string[]) => send(service.url, `GET ${target} HTTP/1.1`, headers)
    assert.equal((await ask(lines)).status, 200)
    for (const [name, value] of signed) {
      refused(await ask([...lines, `${name}: ${value}`]), name)
      refused(await ask([lines[0]!, `${name}: x`, ...lines.slice(1)]), name)
    }
  },
)
