/** Code cannot choose the headers that name a sender. This service alone learns which strategy sends a request. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { withDatabase } from '../../test/databases.ts'
import { administratorKey } from '../../test/environment.ts'
import { expect, makeReaction } from '../../test/reaction.ts'
import { startRemote } from '../../test/remote.ts'
import { startService, type TestService } from '../../test/service.ts'
import { StrategyRequests, strategyHeader } from '../accounts/strategy-requests.ts'
import { Vault } from '../secrets/vault.ts'
import { OutgoingHttp } from './outgoing-http.ts'

const forged = [
  ...['X-Forwarded-For', 'x-forwarded-for', 'X_Forwarded_For', 'x-forwarded_for', 'X-FORWARDED-HOST'],
  ...['x-forwarded-proto', 'x-forwarded-port', 'x-forwarded', 'Forwarded', 'x-real-ip', 'X_Real_IP', 'via'],
  ...['cf-connecting-ip', 'CF_Connecting_IPv6', 'true-client-ip', 'x-client-ip', 'x-cluster-client-ip'],
  ...[
    'fastly-client-ip',
    'x-original-forwarded-for',
    'client-ip',
    'x-envoy-external-address',
    'fly-client-ip',
  ],
  ...[
    'Tickwright-Strategy',
    'tickwright_strategy',
    'proxy_connection',
    'content_length',
    'transfer_encoding',
  ],
]

const plain = { method: 'GET' as const, params: [], body: null }
const never = new AbortController().signal

test('no header that names a sender is sent, in any spelling, to any address', async () => {
  await using remote = await startRemote()
  const http = new OutgoingHttp({ publicUrl: 'https://own.example', allow: [remote.host] })
  const sent = Object.fromEntries(forged.map((name) => [name, '203.0.113.9']))
  const kept = {
    'x-own': 'kept',
    'x-request-id': 'kept',
    x_own: 'kept',
    forwardedx: 'kept',
    'api-key': 'kept',
  }
  await http.request(1, { ...plain, url: `${remote.url}/`, headers: { ...sent, ...kept } }, never)
  const { headers } = remote.asked[0]!
  http.close()
  for (const [name, value] of Object.entries(kept)) assert.equal(headers[name], value, name)
  const left = Object.keys(headers).filter((name) => !(name in kept))
  assert.deepEqual(left.sort(), ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'])
})

test('only this service learns which strategy sends a request, also after redirects', async () => {
  await using other = await startRemote((asked, response) => {
    if (asked.url === '/back') response.writeHead(302, { location: `${own.url}/api/v2/end` })
    response.end()
  })
  await using own = await startRemote((asked, response) => {
    if (asked.url.startsWith('/api/v2/away')) response.writeHead(307, { location: `${other.url}/elsewhere` })
    response.end()
  })
  const requests = new StrategyRequests(new Vault(randomBytes(32)))
  const http = new OutgoingHttp({
    publicUrl: own.url,
    allow: [other.host, own.host.replace('127.0.0.1', 'localhost')],
    mark: (id, target) => [strategyHeader, requests.mark(id, target)],
  })
  const ask = (url: string) => http.request(7, { ...plain, url, headers: {} }, never)
  await ask(`${own.url}/api/v2/away?a=%20b`)
  await ask(`${other.url}/back`)
  await ask(`${own.url}/data-webhook/secret`)
  await ask(own.url.replace('127.0.0.1', 'localhost'))
  http.close()
  const marks = (asked: typeof own.asked) =>
    asked.map(({ url, method, headers }) => [
      url,
      requests.read({ url, method, headers } as unknown as IncomingMessage),
    ])
  assert.deepEqual(marks(own.asked), [
    ['/api/v2/away?a=%20b', 7],
    ['/api/v2/end', 7],
    ['/data-webhook/secret', undefined],
    ['/', undefined],
  ])
  assert.ok(
    [...other.asked, ...own.asked.slice(2)].every(({ headers }) => headers[strategyHeader] === undefined),
  )
})

test('a mark is valid for one request, for a minute, and with one master key', () => {
  let nowMs = Date.UTC(2030, 0, 1)
  const key = randomBytes(32)
  const requests = new StrategyRequests(new Vault(key), () => nowMs)
  const target = { method: 'POST', path: '/api/v2/env' }
  const mark = requests.mark(12, target)
  const read = (given: string | string[], more = {}, by = requests) =>
    by.read({
      method: 'POST',
      url: '/api/v2/env',
      headers: { [strategyHeader]: given },
      ...more,
    } as unknown as IncomingMessage)
  assert.equal(read(mark), 12)
  assert.equal(read(mark, {}, new StrategyRequests(new Vault(key), () => nowMs)), 12)
  assert.equal(read(mark, {}, new StrategyRequests(new Vault(randomBytes(32)), () => nowMs)), undefined)
  assert.equal(read(requests.mark(-5, target)), 0)
  const forgeries = [
    '',
    '12',
    mark.slice(1),
    mark.slice(0, -1),
    `1${mark}`,
    mark.replace('12.', '13.'),
    [mark, mark],
  ]
  for (const forgery of forgeries) assert.equal(read(forgery), undefined, String(forgery))
  assert.equal(read(mark, { method: 'PUT' }), undefined)
  assert.equal(read(mark, { url: '/api/v2/env?' }), undefined)
  nowMs += 61_000
  assert.equal(read(mark), undefined)
})

/** Headers about the sender that a user can set in code, in a request signed with their own key. */
const code = (url: string) => `
  const timestamp = String(Math.floor(Date.now() / 1000))
  const body = JSON.stringify({ name: 'FROM_CODE', value: 'x' })
  const signature = await $.Http.generateSignature('POST/api/v2/env' + body + timestamp, $.Env.API_SECRET)
  const headers = { 'api-key': $.Env.API_KEY, timestamp, signature, 'tickwright-strategy': '999.1.x' }
  for (const name of ${JSON.stringify(forged)}) headers[name] = '203.0.113.9'
  const made = await $.Http.post('${url}/api/v2/env', body, headers)
  $.log(made.status)`

async function audited(service: TestService) {
  const events = await expect(200, service.api('GET', '/api/v2/user/audit'))
  return events.filter(({ event }: { event: string }) => event === 'variable_made')
}

withDatabase(
  'the audit log names the strategy that made a request, on any node, with an address that is not forged',
  async (place) => {
    await using front = await startService({
      database: place,
      env: { ROLES: 'api', TRUSTED_PROXIES: '127.0.0.1' },
    })
    await using worker = await startService({ database: place, env: { PUBLIC_URL: front.url } })
    for (const [name, value] of [
      ['API_KEY', administratorKey.key],
      ['API_SECRET', administratorKey.secret],
    ]) {
      await expect(201, worker.api('POST', '/api/v2/env', { name, value }))
    }
    const reaction = await makeReaction(worker, code(front.url))
    await worker.send('POST', reaction.path, { body: {} })
    const [run] = await reaction.ended(1)
    assert.equal(run.log, '201\n', JSON.stringify(run))
    const [made, ...before] = await audited(front)
    assert.deepEqual([made.by_strategy_id, made.ip], [reaction.id, '127.0.0.1'])
    for (const event of before) assert.equal(event.by_strategy_id, null)
  },
)
