import assert from 'node:assert/strict'
import { withSharedAccount } from '../../test/shared-account.ts'

const path = '/api/v2/market'

/** Texts that nobody means: markup, other notations, invisible and very long ones, and UTF-8 that is none. */
const hostile = [
  ...[
    '<script>alert(1)</script>',
    "btc'; drop table users; --",
    '../../etc/passwd',
    '{{7*7}}',
    '=1+1',
    '__proto__',
  ],
  ...[
    'constructor',
    '\u0000',
    '\u202ebtcusdt',
    '\u200b',
    '\ufffe',
    '💰/💰',
    'ﬀ/ﬀ',
    '%',
    '\r\nSet-Cookie: a=b',
    '/',
    ':',
    '//::',
  ],
  ...['a'.repeat(100), '/'.repeat(100), '１２/３４'],
].map(encodeURIComponent)
const undecodable = ['%ff', '%ed%a0%80', '%c0%af']

const fields = {
  candles: ['exchange', 'service', 'symbol', 'interval', 'count', 'since', 'until'],
  symbols: ['exchange', 'service', 'q', 'page', 'limit'],
  price: ['exchange', 'service', 'symbol'],
}
const usual: Record<string, string> = { exchange: 'binance', symbol: 'btcusdt', interval: '1h' }

for (const [route, names] of Object.entries(fields)) {
  withSharedAccount(
    `hostile texts in any field of /market/${route} name the field, or find nothing`,
    async (account) => {
      for (const name of names) {
        for (const text of [...hostile, ...undecodable]) {
          const query = {
            ...Object.fromEntries(names.flatMap((one) => (usual[one] ? [[one, usual[one]]] : []))),
          }
          const parts = Object.entries({ ...query, [name]: text }).map((pair) => pair.join('='))
          // The address as it is sent, since that is signed.
          const { pathname, search } = new URL(`${path}/${route}?${parts.join('&')}`, 'http://service')
          const asked = pathname + search
          const { status, body, headers } = await account.api('GET', asked)
          assert.match(headers.get('content-type')!, /^application\/json/, asked)
          if (status === 200) {
            // The simulated market has every pair, and a search may find nothing.
            assert.ok(['q', 'symbol'].includes(name), asked)
            continue
          }
          if (status === 429) continue
          assert.equal(status, 400, asked)
          assert.ok(
            body.details?.[0].field.includes(name) && body.error.length < 1_000,
            `${asked}: ${JSON.stringify(body)}`,
          )
        }
      }
    },
  )
}
