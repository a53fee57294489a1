import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readEntries } from '../../catalogue/entries.ts'
import { pairSymbol, parsePair } from './pair.ts'

const symbolOf = (spelling: string) => {
  const pair = parsePair(spelling)
  return pair === undefined ? undefined : pairSymbol(pair)
}

test('all spellings of one pair give one symbol', () => {
  const spellings: Record<string, string[]> = {
    'BTC/USDT': [
      ...['btcusdt', 'BTCUSDT', 'BTC/USDT', 'BTC-USDT', 'btc_usdt', ' BTC USDT ', 'BTC / USDT', 'xbtusdt'],
      ...['BTC/USDT:USDT', 'BTC/USDT:USDT-261225', 'BTCUSDT:USDT', 'BTC-USDT:USDT', 'btc/usdt:usdt'],
      ...['BTCUSDT.P', 'BTCUSDTPERP', 'BTC-USDT-SWAP', 'BTCUSDT PERP', 'PF_BTCUSDT', 'BTCUSDT_261225'],
      ...['BINANCE:BTCUSDT', 'BINANCE:BTCUSDT.P', 'Bybit:BTC-USDT', 'okx: btc/usdt', 'SIM:BTCUSDT'],
    ],
    'BTC/USD': ['BTCUSD', 'XXBTZUSD', 'XBT/USD', 'PI_XBTUSD', 'BTC/USD:BTC', 'XBT/USD:BTC', 'BTC/USD:XBT'],
    'ETH/USD': ['FI_ETHUSD_261225', 'KRAKEN:PF_ETHUSD', 'COINBASE:ETH-USD', 'DERIBIT:ETHUSD.P'],
    'EUR/USD': ['FX:EURUSD', 'FX_IDC:EURUSD'],
    'ETH/BTC': ['ethbtc', 'XETHXXBT', 'ETH-XBT'],
    'BTC/TUSD': ['BTC/TUSD:TUSD', 'BTCTUSD:TUSD'],
    'BTC/PYUSD': ['BTC/PYUSD:PYUSD', 'BTC-PYUSD:PYUSD'],
    'PI/USDT': ['PI/USDT', 'PI_USDT', 'pi-usdt', 'GATE:PI_USDT'],
  }
  for (const [symbol, written] of Object.entries(spellings)) {
    for (const spelling of written) assert.equal(symbolOf(spelling), symbol, spelling)
  }
})

test('an exchange before a symbol changes nothing, whichever exchange it is', () => {
  const names = new Set(readEntries().map(({ exchange }) => exchange))
  assert.ok(names.size > 100)
  for (const name of names) {
    for (const symbol of ['BTCUSDT', 'btc/usdt', 'BTCUSDT.P', 'BTC_USDT']) {
      assert.equal(symbolOf(`${name}:${symbol}`), 'BTC/USDT', `${name}:${symbol}`)
      assert.equal(symbolOf(`${name.toUpperCase()}:${symbol}`), 'BTC/USDT', `${name}:${symbol}`)
    }
  }
})

test('known assets decide where base and quote are split', () => {
  const seams: Record<string, string> = {
    DOTUSD: 'DOT/USD',
    BTCTUSD: 'BTC/TUSD',
    USDTUSD: 'USDT/USD',
    BNBBUSD: 'BNB/BUSD',
    EURUSD: 'EUR/USD',
    USDJPY: 'USD/JPY',
    '1000PEPEUSDT': '1000PEPE/USDT',
    NEWCOINUSDC: 'NEWCOIN/USDC',
    SOLETH: 'SOL/ETH',
  }
  for (const [spelling, symbol] of Object.entries(seams)) assert.equal(symbolOf(spelling), symbol)
})

test('a text that is not a pair gives none', () => {
  const others = [
    '',
    ' ',
    'BTC',
    'USDT',
    'hello',
    '/',
    'BTC/',
    '/USDT',
    'BTC/USDT/EUR',
    'USDT/USDT',
    'BTC/XBT',
    'BTCUSDT:ETHUSDT',
    'BTC/EUR:ETHUSDT',
    'BINANCE:',
    'BINANCE:BTC',
    ':BTCUSDT',
    'A:B:BTCUSDT',
    'BTC_261225',
  ]
  const hostile = ['__proto__', 'constructor', 'BTC\0USDT', 'BTC/US$T', '💥/USDT', '💥:BTCUSDT', '1/2']
  for (const spelling of [...others, ...hostile, `${'A'.repeat(1_000_000)}USDT`, ' '.repeat(1_000_000)]) {
    assert.equal(parsePair(spelling), undefined, spelling.slice(0, 40))
  }
})

test('a symbol is a spelling of itself, in any case and with any separator', () => {
  const name = fc.stringMatching(/^[A-Z0-9]{0,9}[A-Z]$/)
  fc.assert(
    fc.property(name, name, fc.constantFrom('/', '-', '_', ' '), (base, quote, between) => {
      const symbol = symbolOf(`${base}/${quote}`)
      fc.pre(symbol !== undefined && !/PERP|SWAP/.test(symbol))
      assert.equal(symbolOf(symbol!), symbol)
      assert.equal(symbolOf(symbol!.toLowerCase()), symbol)
      if (!/^[PF][FI]$/.test(base)) assert.equal(symbolOf(symbol!.replace('/', between)), symbol)
      for (const mark of ['.P', 'PERP', '_261225', `:${quote}`, `:${quote}-261225`]) {
        assert.equal(symbolOf(`${symbol}${mark}`), symbol, mark)
      }
      assert.equal(symbolOf(`BINANCE:${symbol}.P`), symbol)
    }),
  )
})

test('any text is either a pair or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (spelling) => {
      const symbol = symbolOf(spelling)
      if (symbol !== undefined) assert.match(symbol, /^[^/]{1,20}\/[^/]{1,20}$/)
    }),
  )
})
