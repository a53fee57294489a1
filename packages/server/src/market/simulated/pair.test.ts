import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pairSymbol, parsePair } from './pair.ts'

const symbolOf = (spelling: string) => {
  const pair = parsePair(spelling)
  return pair === undefined ? undefined : pairSymbol(pair)
}

test('all spellings of one pair give one symbol', () => {
  const spellings: Record<string, string[]> = {
    'BTC/USDT': [
      ...['btcusdt', 'BTCUSDT', 'BTC/USDT', 'BTC-USDT', 'btc_usdt', ' BTC USDT ', 'BTC / USDT', 'xbtusdt'],
      ...['BTC/USDT:USDT', 'BTC/USDT:USDT-261225', 'BTCUSDT.P', 'BTCUSDTPERP', 'BTC-USDT-SWAP', 'PF_BTCUSDT'],
    ],
    'BTC/USD': ['BTCUSD', 'XXBTZUSD', 'XBT/USD', 'PI_XBTUSD', 'BTC/USD:BTC'],
    'ETH/BTC': ['ethbtc', 'XETHXXBT', 'ETH-XBT'],
  }
  for (const [symbol, written] of Object.entries(spellings)) {
    for (const spelling of written) assert.equal(symbolOf(spelling), symbol, spelling)
  }
})

test('base and quote are told apart by what is known', () => {
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

test('what is no pair is none', () => {
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
  ]
  const hostile = ['__proto__', 'constructor', 'BTC\0USDT', 'BTC/US$T', 'BTCUSDT_251226', '💥/USDT', '1/2']
  for (const spelling of [...others, ...hostile, `${'A'.repeat(1_000_000)}USDT`, ' '.repeat(1_000_000)]) {
    assert.equal(parsePair(spelling), undefined, spelling.slice(0, 40))
  }
})

test('a symbol is a spelling of itself, in whatever case and with whatever between its parts', () => {
  const name = fc.stringMatching(/^[A-Z0-9]{0,9}[A-Z]$/)
  fc.assert(
    fc.property(name, name, fc.constantFrom('/', '-', '_', ' '), (base, quote, between) => {
      const symbol = symbolOf(`${base}/${quote}`)
      fc.pre(symbol !== undefined && !/PERP|SWAP/.test(symbol))
      assert.equal(symbolOf(symbol!), symbol)
      assert.equal(symbolOf(symbol!.toLowerCase()), symbol)
      if (!/^P[FI]$/.test(base)) assert.equal(symbolOf(symbol!.replace('/', between)), symbol)
    }),
  )
})

test('anything at all is a pair or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (spelling) => {
      const symbol = symbolOf(spelling)
      if (symbol !== undefined) assert.match(symbol, /^[^/]{1,20}\/[^/]{1,20}$/)
    }),
  )
})
