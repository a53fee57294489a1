import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { HttpRequest, HttpResponse } from '@tickwright/sandbox'
import { until } from '../../test/until.ts'
import { startWatchedServer, type WatchedServer } from '../../test/watched-server.ts'
import { OutgoingHttp } from './outgoing-http.ts'
import { noPublicAddress } from './target.ts'

type World = {
  remote: WatchedServer
  http: OutgoingHttp
  /** `url` is a path of the remote, or a complete address. Each call is from a new strategy, so that nothing is cached. */
  ask(url: string, more?: Partial<HttpRequest>, signal?: AbortSignal): Promise<HttpResponse>
}

let strategies = 0

async function world(t: TestContext, listener: RequestListener, allow: string[] = []): Promise<World> {
  const remote = await startWatchedServer(listener)
  const http = new OutgoingHttp({
    publicUrl: 'https://own.example',
    allow: [remote.host, ...allow],
    resolve: async () => ['127.0.0.1'],
  })
  t.after(async () => {
    http.close()
    await remote[Symbol.asyncDispose]()
  })
  return {
    remote,
    http,
    ask: (url, more = {}, signal = new AbortController().signal) => {
      const request = { method: 'GET' as const, params: [], headers: {}, body: null, ...more }
      return http.request(++strategies, { ...request, url: new URL(url, remote.origin).href }, signal)
    },
  }
}

/** Answers with the request as JSON. */
const echo: RequestListener = async (request, response) => {
  const body = await request.setEncoding('utf8').reduce((text: string, part: string) => text + part, '')
  response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }))
}

const told = async (answer: Promise<HttpResponse>) => JSON.parse((await answer).text)

test('a request arrives unchanged, with the default headers', async (t) => {
  const { ask, remote } = await world(t, echo)
  assert.deepEqual(
    await told(
      ask('/a?b=%20c&d', {
        params: [
          ['e', '1 2'],
          ['f', 'ü&'],
        ],
        headers: { 'X-Own': 'é' },
      }),
    ),
    {
      method: 'GET',
      url: '/a?b=%20c&d&e=1+2&f=%C3%BC%26',
      headers: {
        host: remote.host,
        accept: '*/*',
        'accept-encoding': 'gzip, deflate, br, zstd',
        connection: 'keep-alive',
        'user-agent': 'Tickwright',
        'x-own': 'é',
      },
      body: '',
    },
  )
})

test('POST and PUT send their body as JSON, unless the code says otherwise', async (t) => {
  const { ask } = await world(t, echo)
  for (const method of ['POST', 'PUT'] as const) {
    const sent = await told(ask('/', { method, body: '{"a":"ü"}' }))
    assert.equal(sent.body, '{"a":"ü"}')
    assert.equal(sent.headers['content-type'], 'application/json')
    assert.equal(sent.headers['content-length'], '10')
    const other = await told(ask('/', { method, body: 'a', headers: { 'Content-type': 'text/plain' } }))
    assert.equal(other.headers['content-type'], 'text/plain')
    assert.equal((await told(ask('/', { method }))).headers['content-type'], undefined)
  }
  assert.equal((await told(ask('/', { method: 'DELETE' }))).method, 'DELETE')
})

test('headers of the connection and of this client cannot be set', async (t) => {
  const { ask, remote } = await world(t, echo)
  const names = [
    ...[
      'Host',
      'Content-Length',
      'Transfer-Encoding',
      'connection',
      'Upgrade',
      'Expect',
      'TE',
      'Trailer',
      'Keep-Alive',
    ],
    ...['Proxy-Authorization', 'Proxy-Connection', 'ACCEPT-ENCODING', 'HTTP2-Settings'],
  ]
  const headers = Object.fromEntries(names.map((name) => [name, 'chunked']))
  const sent = await told(ask('/', { method: 'POST', body: 'ab', headers }))
  assert.equal(sent.headers.host, remote.host)
  assert.equal(sent.headers['content-length'], '2')
  assert.equal(JSON.stringify(sent).includes('chunked'), false)
})

test('an address or a header that cannot be sent is a TypeError that names it, and nothing is sent', async (t) => {
  const { ask, remote } = await world(t, echo)
  const request = (headers: Record<string, string>) => ask('/', { headers })
  for (const value of ['a\r\nX-Other: b', 'a\nb', 'a\rb', 'a\0b', '\u007f', 'ā', '\ud800']) {
    await assert.rejects(request({ 'X-Own': value }), { name: 'TypeError', message: /value of X-Own/ })
  }
  for (const name of ['', 'a b', 'a:', 'a\r\nb', 'ü', 'a\0', '(a)']) {
    await assert.rejects(request({ [name]: 'value' }), {
      name: 'TypeError',
      message: /not a valid header name/,
    })
  }
  for (const url of ['ftp://example.com', 'file:///etc/passwd', 'data:,a', 'javascript:1']) {
    await assert.rejects(ask(url), { name: 'TypeError', message: /^url must be/ })
  }
  assert.equal(remote.connectionCount, 0)
})

test('the answer has the status of the remote server, whatever it is', async (t) => {
  const { ask } = await world(t, (request, response) => {
    response.writeHead(Number(request.url!.slice(1)), { 'Retry-After': '1' }).end(request.url)
  })
  for (const status of [200, 201, 400, 401, 403, 404, 418, 429, 500, 502, 504]) {
    assert.deepEqual(await ask(`/${status}`), { status, text: `/${status}`, cache: false })
  }
  for (const status of [204, 304])
    assert.deepEqual(await ask(`/${status}`), { status, text: '', cache: false })
})

test('a redirect is followed up to five times', async (t) => {
  const { ask, remote } = await world(t, (request, response) => {
    const left = Number(request.url!.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(302, { Location: `/${left - 1}` }).end('ignored')
  })
  assert.deepEqual(await ask('/5'), { status: 200, text: 'there', cache: false })
  const refused = await ask('/6')
  assert.deepEqual(refused, { status: 502, text: 'There were more than 5 redirects.', cache: false })
  assert.equal(remote.requests.length, 6 + 6)
})

test('a redirect keeps or loses method and body by the Fetch standard', async (t) => {
  const { ask } = await world(t, (request, response) => {
    if (request.url === '/end') echo(request, response)
    else response.writeHead(Number(request.url!.slice(1)), { Location: 'end' }).end()
  })
  const kept = {
    301: 'PUT DELETE',
    302: 'PUT DELETE',
    303: '',
    307: 'POST PUT DELETE',
    308: 'POST PUT DELETE',
  }
  for (const [status, methods] of Object.entries(kept)) {
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      const sent = await told(ask(`/${status}`, { method, body: 'text' }))
      const isKept = methods.includes(method)
      assert.deepEqual(
        [sent.method, sent.body],
        isKept ? [method, 'text'] : ['GET', ''],
        `${status} ${method}`,
      )
      if (!isKept) assert.equal(sent.headers['content-type'], undefined)
    }
  }
})

test('a redirect without a usable address is an answer, or a failure with its reason', async (t) => {
  const { ask } = await world(t, (request, response) => {
    const location = new URL(request.url!, 'http://x').searchParams.get('to')
    response.writeHead(302, location === null ? {} : { Location: location }).end('as it is')
  })
  assert.deepEqual(await ask('/'), { status: 302, text: 'as it is', cache: false })
  for (const to of ['ftp://example.com', 'file:///etc/passwd', 'javascript:1', 'http://', 'http://[']) {
    const { status, text } = await ask(`/?to=${encodeURIComponent(to)}`)
    assert.equal(status, 502)
    assert.match(text, /^The redirect leads to no/)
  }
})

test('a redirect from an allowed host to another private one is refused, and reaches nothing', async (t) => {
  const inside = await startWatchedServer((_request, response) => void response.end('inside'))
  t.after(() => inside[Symbol.asyncDispose]())
  const { ask } = await world(t, (request, response) => {
    response.writeHead(307, { Location: new URL(request.url!, 'http://x').searchParams.get('to')! }).end()
  })
  const targets = [
    ...[inside.origin, `http://localhost:${inside.port}`, `http://[::ffff:127.0.0.1]:${inside.port}`],
    ...[`//0:${inside.port}`, `http://u:p@${inside.host}`, `\\\\${inside.host}`],
    ...['http://169.254.169.254/latest/meta-data/', 'https://10.0.0.1/'],
  ]
  for (const to of targets) {
    const { status, text } = await ask(`/?to=${encodeURIComponent(to)}`, { method: 'POST', body: 'secret' })
    assert.equal(status, 403, to)
    assert.match(text, /^This address is refused/)
  }
  const named = await ask(`/?to=http://inside.example:${inside.port}`, { method: 'POST', body: 'secret' })
  assert.deepEqual([named.status, named.text], [502, noPublicAddress], 'as for a name that is not there')
  assert.equal(inside.connectionCount, 0)
})

test('a redirect to another origin takes no credentials along', async (t) => {
  const other = await startWatchedServer(echo)
  t.after(() => other[Symbol.asyncDispose]())
  const { ask, remote } = await world(
    t,
    (request, response) => {
      const isFirst = request.url === '/own' || request.url === '/other'
      if (!isFirst) return void echo(request, response)
      response.writeHead(307, { Location: request.url === '/own' ? '/end' : `${other.origin}/end` }).end()
    },
    [other.host],
  )
  const credentials = {
    ...{
      Authorization: 'Bearer 1',
      Cookie: 'a=1',
      'X-Key': '1',
      'api-key': '1',
      signature: '1',
      timestamp: '1',
    },
    ...{ 'X-MBX-APIKEY': '1', 'KC-API-PASSPHRASE': '1', 'OK-ACCESS-SIGN': '1' },
  }
  const harmless = { Accept: 'text/html', 'User-Agent': 'Own', 'Content-Type': 'text/plain' }
  const request = { method: 'POST' as const, body: 'text', headers: { ...credentials, ...harmless } }
  const atOwn = await told(ask('/own', request))
  const atOther = await told(ask('/other', request))
  for (const name of Object.keys(credentials)) {
    assert.ok(atOwn.headers[name.toLowerCase()], name)
    assert.equal(atOther.headers[name.toLowerCase()], undefined, name)
  }
  for (const [name, value] of Object.entries(harmless)) {
    assert.equal(atOther.headers[name.toLowerCase()], value)
  }
  assert.equal(atOther.headers.host, other.host)
  assert.equal(remote.requests.length, 3)
})

test('requests in a row share one connection, and parallel ones have separate connections', async (t) => {
  const { ask, remote } = await world(t, echo)
  for (let n = 0; n < 5; n++) assert.equal((await ask(`/${n}`)).status, 200)
  assert.equal(remote.connectionCount, 1)
  await Promise.all(Array.from({ length: 5 }, (_, n) => ask(`/${n}`)))
  assert.equal(remote.connectionCount, 5)
})

test('a GET survives a connection that the server has closed, and other requests are not sent twice', async (t) => {
  let closing = false
  const { ask, remote } = await world(t, (request, response) => {
    // Simulates a server that closes the connection while the request is on its way.
    if (closing) request.socket.destroy()
    else response.end('here')
    closing = false
  })
  await ask('/')
  closing = true
  assert.equal((await ask('/again')).text, 'here')
  closing = true
  const { status, text } = await ask('/order', { method: 'POST', body: '{}' })
  assert.equal(status, 502)
  assert.match(text, /^The connection ended without an answer/)
  assert.deepEqual(remote.requests, ['GET /', 'GET /again', 'GET /again', 'POST /order'])
})

test('an abort ends the request and its connection at once', async (t) => {
  const { ask, remote } = await world(t, (_request, response) => {
    response.write('a beginning')
  })
  const run = new AbortController()
  const answer = ask('/', {}, run.signal)
  await until('the request', async () => remote.requests.length === 1)
  run.abort(new Error('The run is over.'))
  await assert.rejects(answer, { message: 'The run is over.' })
  await until('the end of the connection', async () => remote.openSockets.size === 0)
  await assert.rejects(ask('/', {}, run.signal), { message: 'The run is over.' })
  assert.equal(remote.connectionCount, 1)
})

test('closing answers current and later requests', async (t) => {
  const { ask, http, remote } = await world(t, () => {})
  const answer = ask('/')
  await until('the request', async () => remote.requests.length === 1)
  http.close()
  const closed = { status: 502, text: 'The service is shutting down.', cache: false }
  assert.deepEqual(await answer, closed)
  assert.deepEqual(await ask('/'), closed)
  await until('the end of the connection', async () => remote.openSockets.size === 0)
  http.close()
})

test('the same request within five seconds gets the cached answer of its strategy', async (t) => {
  const { http, remote } = await world(t, echo)
  const { signal } = new AbortController()
  const ask = (strategyId: number, more: Partial<HttpRequest> = {}) => {
    const request: HttpRequest = {
      method: 'POST',
      url: remote.origin,
      params: [],
      headers: { A: '1', B: '2' },
      body: 'x',
    }
    return http.request(strategyId, { ...request, ...more }, signal)
  }
  const first = await ask(1)
  assert.equal(first.cache, false)
  assert.deepEqual(await ask(1), { ...first, cache: true })
  assert.deepEqual(await ask(1, { headers: { b: '2', a: '1' } }), { ...first, cache: true })
  assert.deepEqual(await ask(1, { url: `${remote.origin}/#part` }), { ...first, cache: true })
  const others: Partial<HttpRequest>[] = [
    { method: 'PUT' },
    { url: `${remote.origin}/a` },
    { params: [['a', '1']] },
    { headers: { A: '1', B: '3' } },
    { body: 'y' },
    { body: null },
  ]
  for (const other of others) assert.equal((await ask(1, other)).cache, false, JSON.stringify(other))
  assert.equal((await ask(2)).cache, false)
  assert.equal(remote.requests.length, 2 + others.length)
})
