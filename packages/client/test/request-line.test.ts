import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { requestLine } from '../src/request-line.ts'

const list = 'GET /api/v2/exchange?{query}'
const dex = 'GET /api/v2/exchange/dex/{chain}'
const change = 'PUT /api/v2/exchange/{id} {body}'

test('arguments fill the places of an operation in order', () => {
  assert.deepEqual(requestLine(change, [7, { enabled: true }]), {
    method: 'PUT',
    target: '/api/v2/exchange/7',
    body: '{"enabled":true}',
  })
  assert.deepEqual(requestLine('GET /runs/{id}/log?{query}', ['7', { page: 2 }]), {
    method: 'GET',
    target: '/runs/7/log?page=2',
    body: undefined,
  })
})

test('options follow a body', () => {
  const line = (options: unknown) => requestLine(change, [7, {}, options])
  assert.equal(line({ ifMatch: '"5", "6-abc"' }).ifMatch, '"5", "6-abc"')
  for (const none of [undefined, {}, { ifMatch: undefined }]) assert.ok(!('ifMatch' in line(none)))
  for (const wrong of [5, '', ' "5"', '"5"\r\nx: y', '"5"\n', '"\u{1f600}"', null]) {
    assert.throws(() => line({ ifMatch: wrong }), /options\.ifMatch must be an ETag/)
  }
  assert.throws(() => line({ ifmatch: '"5"' }), /options\.ifmatch must be absent/)
  assert.throws(() => line('"5"'), /options must be an object/)
})

test('absent and null fields of a query are not sent', () => {
  for (const query of [undefined, null, {}, { enabled: undefined, chainId: null }]) {
    assert.equal(requestLine(list, [query]).target, '/api/v2/exchange')
  }
  assert.equal(requestLine(list, []).target, '/api/v2/exchange')
  assert.equal(
    requestLine(list, [{ enabled: false, chainId: '' }]).target,
    '/api/v2/exchange?enabled=false&chainId=',
  )
})

test('extra arguments are ignored, so that methods can be passed to map', () => {
  const lines = ['1', '56'].map((...args) => requestLine(dex, args))
  assert.deepEqual(
    lines.map(({ target }) => target),
    ['/api/v2/exchange/dex/1', '/api/v2/exchange/dex/56'],
  )
})

test('an operation without a place for a body sends none, and one with it always sends JSON', () => {
  assert.equal(requestLine('POST /api/v2/delivery/{id}/replay', [1]).body, undefined)
  assert.equal(requestLine('POST /api/v2/api/key/{id}/rotate {body}', [1]).body, '{}')
})

test('no URL parser changes the signed path, whatever the arguments are', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => !['.', '..'].includes(value))
  fc.assert(
    fc.property(text, text, text, (chain, name, value) => {
      const { target } = requestLine('GET /a/{chain}/b?{query}', [chain, { [name]: value }])
      const parsed = new URL(`http://127.0.0.1:1${target}`)
      assert.equal(parsed.pathname + parsed.search, target)
      assert.equal(decodeURIComponent(parsed.pathname.split('/')[2]!), chain)
      assert.deepEqual([...new URLSearchParams(target.split('?')[1])], [[name, value]])
    }),
    {
      examples: [
        ["'", "'", "'"],
        ['a/../b?c#d', '+&=', '%2e%2e'],
        ['\\', ';', ' '],
      ],
    },
  )
})

const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic

for (const [operation, args, message] of [
  [dex, [], /^chain must be a whole number, or a string/],
  [dex, [''], /^chain must be/],
  [dex, ['..'], /^chain must be something other than "\." and "\.\."$/],
  [dex, ['\ud800'], /^chain must be/],
  [dex, [{ chain: '1' }], /^chain must be/],
  [change, [1.5, {}], /^id must be/],
  [change, [Number.NaN, {}], /^id must be/],
  [change, [2 ** 53, {}], /^id must be/],
  [change, [1, 'enabled'], /^body must be an object$/],
  [change, [1, [true]], /^body must be an object$/],
  [change, [1, null], /^body must be an object$/],
  [change, [1, { enabled: 1n }], /^body must be an object that can be written as JSON$/],
  [change, [1, cyclic], /^body must be an object that can be written as JSON$/],
  [change, [1, { toJSON: () => undefined }], /^body must be an object that can be written as JSON$/],
  [list, [true], /^query must be an object$/],
  [list, [{ enabled: {} }], /^query\.enabled must be a string, a finite number or a boolean$/],
  [list, [{ enabled: [true] }], /^query\.enabled must be/],
  [list, [{ page: Number.POSITIVE_INFINITY }], /^query\.page must be/],
  [list, [{ chainId: '\udfff' }], /^query\.chainId must be/],
  [list, [{ '\ud800': 1 }], /^The name of a field of query must be/],
] as [string, unknown[], RegExp][]) {
  test(`${operation} refuses ${String(message)}`, () => {
    assert.throws(() => requestLine(operation, args), { name: 'TypeError', message })
  })
}
