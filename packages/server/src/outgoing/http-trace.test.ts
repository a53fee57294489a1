import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { traceOf, urlWithoutSecrets } from './http-trace.ts'

const show = (url: string, env: Record<string, string> = {}, params: [string, string][] = []) =>
  urlWithoutSecrets({ url, params }, env)

test('a call is recorded with its method, address, status, cache and time', () => {
  const request = {
    method: 'POST',
    url: 'https://a.example/b',
    params: [['c', 'd']],
    headers: {},
    body: 'e',
  } as const
  const response = { status: 201, text: 'f', cache: true }
  assert.deepEqual(traceOf({ ...request, params: [['c', 'd']] }, response, 12.6, {}), {
    method: 'POST',
    url: 'https://a.example/b?c=d',
    status: 201,
    cache: true,
    ms: 13,
  })
})

test('an address without secrets is shown unchanged', () => {
  for (const url of [
    'https://api.example.com/api/v3/klines?symbol=BTCUSDT&interval=1m&limit=200',
    'http://127.0.0.1:8080/orders/1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed?a&b=&c=1%202',
    'https://example.com/0x71c7656ec7ab88b098defb751b7401b5f6d8976f?from=1700000000000',
    'https://[2606:4700::1111]/',
  ]) {
    assert.equal(show(url), url)
  }
})

test('user name, password and fragment are left out', () => {
  assert.equal(show('https://user:pass@example.com/a#token'), 'https://example.com/a')
})

test('values with secret names are masked, in every spelling of the name', () => {
  const names = [
    ...[
      'key',
      'apikey',
      'api_key',
      'API-KEY',
      'apiKey',
      'listenKey',
      'token',
      'access_token',
      'secret',
      'client_secret',
    ],
    ...[
      'signature',
      'sign',
      'sig',
      'password',
      'passphrase',
      'pwd',
      'auth',
      'authorization',
      'credential',
      'session_id',
    ],
    ...['jwt', 'otp', 'cookie', 'code', 'pin', '%6bey', 'k%65y', 'X-Amz-Signature', 'X-Amz-Credential'],
  ]
  for (const name of names) {
    assert.equal(show(`https://a.example/?${name}=abc=d&b=1`), `https://a.example/?${name}=***&b=1`)
  }
  assert.equal(
    show('https://a.example/?a=1', {}, [['signature', 'x y']]),
    'https://a.example/?a=1&signature=***',
  )
})

test('ids of webhooks are masked', () => {
  assert.equal(show('https://own.example/data-webhook/abc-1'), 'https://own.example/data-webhook/***')
  assert.equal(show('https://own.example/webhook/abc?a=1'), 'https://own.example/webhook/***?a=1')
  assert.equal(show('https://chat.example/api/webhooks/123/abc'), 'https://chat.example/api/webhooks/***/abc')
  assert.equal(show('https://own.example/api/v2/webhook/'), 'https://own.example/api/v2/webhook/')
})

test('random texts that look like keys are masked in path and query', () => {
  assert.equal(
    show('https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendMessage?chat_id=-100'),
    'https://api.telegram.org/***/sendMessage?chat_id=-100',
  )
  assert.equal(
    show(
      'https://hooks.example/services/T00000000/B00000000/XXXXabcd1234XXXXabcd1234?a=XXXXabcd1234XXXXabcd1234',
    ),
    'https://hooks.example/services/T00000000/B00000000/***?a=***',
  )
  assert.equal(show('https://a.example/?XXXXabcd1234XXXXabcd1234'), 'https://a.example/?***')
})

test('values of variables are replaced by their names, in every place and spelling', () => {
  const env = {
    TOKEN: 'a b/ü+c"1',
    HOST: 'MyTenant42',
    LONGER: 'a b/ü+c"1-more',
    SHORT: 'abc',
    LINE: 'line-1\n',
  }
  assert.equal(show('https://mytenant42.example/', env), 'https://{HOST}.example/')
  assert.equal(show('https://a.example/a%20b%2F%C3%BC%2Bc%221/x', env), 'https://a.example/{TOKEN}/x')
  assert.equal(show('https://a.example/a b/ü+c"1/x', env), 'https://a.example/{TOKEN}/x')
  assert.equal(show('https://a.example/?q=a%20b%2f%c3%bc%2bc%221', env), 'https://a.example/?q={TOKEN}')
  assert.equal(show('https://a.example/', env, [['q', 'a b/ü+c"1-more']]), 'https://a.example/?q={LONGER}')
  assert.equal(show('https://a.example/?key=MyTenant42', env), 'https://a.example/?key={HOST}')
  assert.equal(show('https://a.example/?key=MyTenant42x', env), 'https://a.example/?key=***')
  assert.equal(show('https://a.example/?q=abc', env), 'https://a.example/?q=abc')
  assert.equal(show('https://a.example/line-1\n', env), 'https://a.example/{LINE}')
  assert.equal(show('https://a.example/?key={OTHER}', env), 'https://a.example/?key=***')
})

test('the value of a variable is never shown, whatever it contains', () => {
  const value = fc
    .string({ unit: 'grapheme', minLength: 8, maxLength: 40 })
    .filter((text) => /^[^\s\\/.]{8,}$/u.test(text))
  fc.assert(
    fc.property(value, fc.constantFrom('path', 'query', 'params'), (secret, place) => {
      const encoded = encodeURIComponent(secret)
      const shown =
        place === 'path'
          ? show(`https://a.example/x${encoded}y`, { V: secret })
          : place === 'query'
            ? show(`https://a.example/?q=x${encoded}y`, { V: secret })
            : show('https://a.example/', { V: secret }, [['q', `x${secret}y`]])
      assert.ok(shown.includes('x{V}y'), shown)
    }),
  )
})

test('a long address is cut after masking; an invalid address is not shown', () => {
  const long = show(`https://a.example/${'a'.repeat(2_000)}?key=secret`)
  assert.equal(long.length, 1_000)
  assert.ok(long.endsWith('a…'))
  assert.equal(show('secret'), '(no address)')
})

test('a variable with many line breaks costs little, and is not shown', () => {
  const env = { KEY: `begin${'\t'.repeat(60)}\r\nend` }
  const url = `https://a.example/beginend?q=begin${'%09'.repeat(30)}x`
  const started = process.threadCpuUsage()
  assert.equal(show(url, env), `https://a.example/{KEY}?q=begin${'%09'.repeat(30)}x`)
  assert.equal(show(`https://a.example/begin%0A%09%0dend`, env), 'https://a.example/{KEY}')
  assert.ok(msSince(started) < 200, `${msSince(started)} ms`)
})

test('values that are suffixes of each other cost no more than the longest', () => {
  const ends = Array.from({ length: 120 }, (_, n) => [`V${n}`, `${'a'.repeat(2_000 - n)}b`])
  const started = process.threadCpuUsage()
  const shown = show(`https://a.example/${'a'.repeat(4_000)}c${'a'.repeat(2_000)}b`, Object.fromEntries(ends))
  assert.ok(msSince(started) < 400, `${msSince(started)} ms`)
  assert.match(shown, /^https:\/\/a\.example\/aaa/)
})

test('an address full of possible secrets costs little', () => {
  const env = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`V${n}`, `${'a+%'.repeat(300)}${n}`]))
  const started = process.threadCpuUsage()
  show(`https://a.example/${'a+%25'.repeat(1_500)}?${'a=%61+&'.repeat(1_000)}`, env)
  assert.ok(msSince(started) < 400, `${msSince(started)} ms`)
})

/** Processor time, so that a busy machine does not count. */
function msSince(started: NodeJS.CpuUsage): number {
  return process.threadCpuUsage(started).user / 1000
}
