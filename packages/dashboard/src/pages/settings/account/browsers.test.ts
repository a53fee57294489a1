import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserOf } from './browsers.ts'

const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

test('a browser is named by what it is, not by the others that it also names', () => {
  const known = [
    [`Mozilla/5.0 (X11; Linux x86_64) ${chrome}`, 'Chrome on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/140.0.0.0`, 'Edge on Windows'],
    ['Mozilla/5.0 (Android 15; Mobile; rv:142.0) Gecko/142.0 Firefox/142.0', 'Firefox on Android'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
  ]
  for (const [text, name] of known) assert.equal(browserOf(text!), name)
})

test('another program is not named', () => {
  for (const text of ['', 'curl/8.5.0', 'a test']) assert.equal(browserOf(text), null)
})
