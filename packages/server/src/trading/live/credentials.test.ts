import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBybit } from '../../../test/exchanges/bybit.ts'
import { startBinance, startKraken } from '../../../test/exchanges/index.ts'
import { checkCredentials, credentialFields } from './credentials.ts'

const cases = [
  { start: startBinance, exchange: 'binance', service: 'spot', funds: /account|accountv/ },
  { start: startBinance, exchange: 'binance', service: 'futures', funds: /account/ },
  { start: startKraken, exchange: 'kraken', service: 'spot', funds: /Balance/ },
  { start: startKraken, exchange: 'krakenfutures', service: 'futures', funds: /accounts/ },
]

for (const { start, exchange, service, funds } of cases) {
  test(`${exchange} ${service}: valid credentials, wrong ones and an unreachable exchange get different answers`, async () => {
    await using standIn = await start()
    const { credentials } = standIn.trading
    const check = (changes: Record<string, string>) =>
      checkCredentials({
        venue: { exchange, service },
        credentials: { ...credentials, ...changes },
        endpoints: { [exchange]: standIn.endpoints },
      })
    assert.equal((await check({})).ok, true)
    const reasons: string[] = []
    const wrong = { apiKey: 'a-key-of-nobody', secret: Buffer.from('a-wrong-secret').toString('base64') }
    for (const changes of [{ apiKey: wrong.apiKey }, { secret: wrong.secret }]) {
      const answer = await check(changes)
      assert.ok(!answer.ok)
      assert.match(answer.reason, /^The exchange (does not (accept|know)|refused).*\.$/)
      reasons.push(answer.reason)
    }
    standIn.failRest({ status: 503, body: 'Service Unavailable' }, funds)
    const down = await check({})
    assert.ok(!down.ok)
    assert.match(down.reason, /cannot be reached/)
    standIn.failRest({ status: 503, body: 'Service Unavailable' })
    const gone = await check({})
    assert.ok(!gone.ok)
    assert.match(gone.reason, /cannot be reached/)
    for (const reason of [...reasons, down.reason, gone.reason]) {
      for (const secret of [...Object.values(credentials), ...Object.values(wrong)]) {
        assert.ok(!reason.includes(secret), reason)
      }
    }
  })
}

test('valid credentials come with what the exchange says about the account, as far as it does', async () => {
  await using standIn = await startBybit()
  const { credentials } = standIn.trading
  standIn.trading.setBalance('USDT', '1500.25')
  const check = () =>
    checkCredentials({
      venue: { exchange: 'bybit', service: 'futures' },
      credentials,
      endpoints: { bybit: standIn.endpoints },
    })
  const answer = await check()
  assert.ok(answer.ok)
  assert.deepEqual(
    [answer.facts.accountId, answer.facts.mayTrade, answer.unread],
    ['24600000', true, undefined],
  )
  assert.equal(answer.equity?.currency, 'USD')
  assert.equal(Number(answer.equity?.amount), 1500.25)
  // The key works, whether or not the exchange says more.
  for (const [status, isTemporary] of [
    [503, true],
    [404, false],
  ] as const) {
    standIn.failRest({ status, body: '<html></html>' }, /user\/query-api/)
    const unread = await check()
    assert.ok(unread.ok)
    assert.deepEqual([unread.facts.mayTrade, unread.unread?.isTemporary], [null, isTemporary])
    assert.match(unread.unread?.reason ?? '', /^The exchange .*\.$/)
  }
})

test('missing credentials are named without a request', async () => {
  const answer = await checkCredentials({
    venue: { exchange: 'bitget', service: 'spot' },
    credentials: { apiKey: 'a' },
    endpoints: { bitget: { rest: 'http://127.0.0.1:1' } },
  })
  assert.deepEqual(answer, { ok: false, reason: 'These credentials are missing: password, secret.' })
})

test('credentials that cannot sign get an answer, not an error', async () => {
  await using standIn = await startKraken()
  for (const secret of ['not base64 ~~~', '\u0000', 'ä'.repeat(1_000)]) {
    const answer = await checkCredentials({
      venue: { exchange: 'kraken', service: 'spot' },
      credentials: { apiKey: 'a', secret },
      endpoints: { kraken: standIn.endpoints },
    })
    assert.equal(answer.ok, false)
  }
})

test('each exchange has its list of required credentials', () => {
  assert.deepEqual(credentialFields('binance'), ['apiKey', 'secret'])
  assert.deepEqual(credentialFields('bitget'), ['apiKey', 'password', 'secret'])
  assert.deepEqual(credentialFields('hyperliquid'), ['privateKey', 'walletAddress'])
  assert.deepEqual(credentialFields('dydx').includes('privateKey'), true)
  assert.deepEqual(credentialFields('nosuch'), [])
})
