import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NoSuchMarket } from '../price-source.ts'
import type { CcxtMarket } from './ccxt-types.ts'
import { Symbols } from './symbols.ts'

const dayMs = 86_400_000

function spot(base: string, quote: string, changes: Partial<CcxtMarket> = {}): CcxtMarket {
  const id = `${base}${quote}`
  return { id, symbol: `${base}/${quote}`, base, quote, type: 'spot', spot: true, info: {}, ...changes }
}

function perpetual(
  base: string,
  quote: string,
  settle: string,
  changes: Partial<CcxtMarket> = {},
): CcxtMarket {
  const linear = settle !== base
  return {
    id: `${base}${quote}${linear ? '' : '_PERP'}`,
    symbol: `${base}/${quote}:${settle}`,
    ...{ base, quote, settle, linear, inverse: !linear, type: 'swap', swap: true, info: {} },
    ...changes,
  }
}

function dated(base: string, quote: string, settle: string, day: string, expiry: number): CcxtMarket {
  return perpetual(base, quote, settle, {
    symbol: `${base}/${quote}:${settle}-${day}`,
    id: `${base}${quote}_${day}`,
    ...{ type: 'future', swap: false, future: true, expiry },
  })
}

function symbolsOf(markets: CcxtMarket[], service = 'spot', commonCurrencies: Record<string, string> = {}) {
  const options = { service, label: `Binance ${service}`, names: ['binance'], commonCurrencies }
  return new Symbols(markets, { ...options, commonCurrencies: { XBT: 'BTC', ...commonCurrencies } })
}

const binance = symbolsOf([
  spot('BTC', 'USDT'),
  spot('BTC', 'USDC'),
  spot('ETH', 'USDT'),
  spot('ETH', 'BTC'),
  spot('LUNA', 'USDT', { active: false }),
  perpetual('BTC', 'USDT', 'USDT'),
])

for (const spelling of [
  ...['btcusdt', 'BTCUSDT', 'BTC/USDT', 'btc/usdt', 'BTC-USDT', 'btc_usdt', ' BTC USDT ', 'Btc / Usdt'],
  ...['XBT/USDT', 'xbtusdt', 'BINANCE:BTCUSDT', 'binance:btc/usdt'],
]) {
  test(`"${spelling}" is BTC/USDT`, () => assert.equal(binance.resolve(spelling), 'BTC/USDT'))
}

for (const spelling of [
  ...['BTCUSD', 'btc/usd', 'BTC', 'USDTBTC', 'BTC/USDT:USDT', 'BTCUSDT.P', 'BTCUSDTPERP', 'KRAKEN:BTCUSDT'],
  ...[
    '',
    ' ',
    '/',
    ':',
    'BTC//',
    '$',
    '__proto__',
    'constructor',
    'toString',
    'BTC/USDT/ETH',
    '0',
    'x'.repeat(1e6),
  ],
]) {
  test(`"${spelling.slice(0, 20)}" is not one of the venue's spot markets`, () => {
    assert.throws(() => binance.resolve(spelling), NoSuchMarket)
  })
}

test('the error for an unknown symbol suggests similar ones', () => {
  assert.throws(() => binance.resolve('BTCUSD'), {
    message: 'Binance spot has no market "BTCUSD". Did you mean BTC/USDT or BTC/USDC?',
  })
  assert.throws(() => binance.resolve('nothinglikeit'), {
    message: 'Binance spot has no market "nothinglikeit".',
  })
})

test('a market that is not traded is an error, whatever name is used', () => {
  for (const spelling of ['LUNA/USDT', 'lunausdt', 'luna-usdt']) {
    assert.throws(() => binance.resolve(spelling), {
      message: 'Binance spot does not trade LUNA/USDT at the moment.',
    })
  }
})

test("Kraken's own names are accepted", () => {
  const kraken = symbolsOf(
    [
      spot('BTC', 'USD', {
        id: 'XXBTZUSD',
        altname: 'XBTUSD',
        wsId: 'XBT/USD',
        baseId: 'XXBT',
        quoteId: 'ZUSD',
      }),
      spot('DOGE', 'USD', { id: 'XDGUSD', wsId: 'XDG/USD', baseId: 'XXDG', quoteId: 'ZUSD' }),
    ],
    'spot',
    { XDG: 'DOGE' },
  )
  for (const spelling of ['XXBTZUSD', 'xbtusd', 'XBT/USD', 'BTC/USD', 'btcusd', 'xbt-usd']) {
    assert.equal(kraken.resolve(spelling), 'BTC/USD')
  }
  for (const spelling of ['XDGUSD', 'xdg/usd', 'dogeusd']) assert.equal(kraken.resolve(spelling), 'DOGE/USD')
})

const soon = Date.now() + 10 * dayMs
const futures = symbolsOf(
  [
    dated('BTC', 'USDT', 'USDT', '270326', soon + 90 * dayMs),
    dated('BTC', 'USDT', 'USDT', '261225', soon),
    perpetual('BTC', 'USDT', 'USDT'),
    perpetual('BTC', 'USD', 'BTC'),
    dated('ETH', 'USD', 'ETH', '270326', soon + 90 * dayMs),
    dated('ETH', 'USD', 'ETH', '261225', soon),
    perpetual('SOL', 'USD', 'SOL'),
    perpetual('SOL', 'USD', 'USD', { id: 'PF_SOLUSD' }),
    perpetual('ADA', 'USDT', 'USDT', { active: false }),
    dated('ADA', 'USDT', 'USDT', '261225', soon),
    spot('BTC', 'USDT'),
  ],
  'futures',
)

for (const [spelling, symbol] of [
  ['btcusdt', 'BTC/USDT:USDT'],
  ['BTC/USDT', 'BTC/USDT:USDT'],
  ['btc/usdt:usdt', 'BTC/USDT:USDT'],
  ['btc-usdt:usdt', 'BTC/USDT:USDT'],
  ['BTCUSDT.P', 'BTC/USDT:USDT'],
  ['BINANCE:BTCUSDT.P', 'BTC/USDT:USDT'],
  ['btcusdtperp', 'BTC/USDT:USDT'],
  ['BTC-USDT-PERP', 'BTC/USDT:USDT'],
  ['BTC/USD', 'BTC/USD:BTC'],
  ['BTCUSD_PERP', 'BTC/USD:BTC'],
  ['BTCUSDT_261225', 'BTC/USDT:USDT-261225'],
  ['BTC/USDT:USDT-261225', 'BTC/USDT:USDT-261225'],
  ['ethusd', 'ETH/USD:ETH-261225'],
  ['solusd', 'SOL/USD:USD'],
  ['pf_solusd', 'SOL/USD:USD'],
  ['adausdt', 'ADA/USDT:USDT-261225'],
] as const) {
  test(`on futures "${spelling}" is ${symbol}`, () => assert.equal(futures.resolve(spelling), symbol))
}

test('a dated future is never taken for a perpetual', () => {
  assert.throws(() => futures.resolve('ETHUSD.P'), NoSuchMarket)
  assert.throws(() => futures.resolve('ADAUSDT.P'), /does not trade ADA\/USDT:USDT/)
})

test('a pair that can be split in two ways gets the quote currency of more markets', () => {
  const markets = [spot('AB', 'CUSD'), spot('ABC', 'USD'), spot('BTC', 'USD')]
  for (const order of [markets, markets.toReversed()]) {
    assert.equal(
      symbolsOf(order.map((market) => ({ ...market, id: `id-${market.symbol}` }))).resolve('abcusd'),
      'ABC/USD',
    )
  }
})

test("a currency's usual name wins over an alias of another currency", () => {
  const markets = [spot('BTC', 'USD', { id: 'one' }), spot('XBT', 'USD', { id: 'two' })]
  for (const order of [markets, markets.toReversed()]) {
    const symbols = symbolsOf(order)
    for (const spelling of ['xbtusd', 'XBT/USD', 'xbt-usd'])
      assert.equal(symbols.resolve(spelling), 'XBT/USD')
  }
})

test('case matters only if nothing else distinguishes two markets', () => {
  const symbols = symbolsOf([spot('kPEPE', 'USDC', { id: '107' }), spot('KPEPE', 'USDC', { id: '108' })])
  assert.equal(symbols.resolve('kPEPE/USDC'), 'kPEPE/USDC')
  assert.equal(symbols.resolve('KPEPE/USDC'), 'KPEPE/USDC')
  assert.throws(() => symbols.resolve('107'), NoSuchMarket)
})

const code = fc.stringMatching(/^[A-Z][A-Z0-9]{1,5}$/)
const marketLists = fc
  .uniqueArray(fc.tuple(code, code), { selector: ([base, quote]) => `${base}/${quote}`, maxLength: 40 })
  .map((pairs) => pairs.filter(([base, quote]) => base !== quote).map(([base, quote]) => spot(base, quote)))

test('every spelling with a separator names its market; without one, it names a market with these letters', () => {
  fc.assert(
    fc.property(marketLists, fc.constantFrom('/', '-', '_', ' ', ' / '), (markets, gap) => {
      const symbols = symbolsOf(markets)
      for (const { symbol, base, quote } of markets) {
        assert.equal(symbols.resolve(symbol), symbol)
        assert.equal(symbols.resolve(`${base}${gap}${quote}`.toLowerCase()), symbol)
        const joined = symbols.resolve(`${base}${quote}`.toLowerCase())
        assert.equal(joined.replace('/', ''), `${base}${quote}`)
      }
    }),
  )
})

test('for any text, the result is one of its symbols, or there is none', () => {
  const markets = [spot('BTC', 'USDT'), spot('XBT', 'USD'), spot('ETH', 'BTC')]
  const symbols = symbolsOf(markets)
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'BTCXUSDEH/:-_. Pp') }),
  )
  fc.assert(
    fc.property(text, (spelling) => {
      try {
        assert.ok(markets.some(({ symbol }) => symbol === symbols.resolve(spelling)))
      } catch (error) {
        assert.ok(error instanceof NoSuchMarket)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('the order of the markets does not matter', () => {
  fc.assert(
    fc.property(marketLists, (markets) => {
      const there = symbolsOf(markets)
      const back = symbolsOf(markets.toReversed())
      for (const { id } of markets) assert.equal(there.resolve(id), back.resolve(id))
    }),
  )
})
