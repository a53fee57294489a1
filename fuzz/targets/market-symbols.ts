import assert from 'node:assert/strict'
import { Symbols } from '../../packages/server/src/market/live/symbols.ts'
import { NoSuchMarket } from '../../packages/server/src/market/price-source.ts'
import { pairSymbol, parsePair } from '../../packages/server/src/market/simulated/pair.ts'
import { quoteOf } from '../../packages/server/src/trading/symbols.ts'
import { textTarget } from '../target.ts'

const pairs = ['BTC/USDT', 'ETH/BTC', 'kPEPE/USDC', 'USDT/BTC', '1INCH/USDT', 'T/TUSD', 'TT/USD', 'ÄÖ/EUR']
const markets = pairs.flatMap((pair, index) => {
  const [base = '', quote = ''] = pair.split('/')
  const id = base + quote
  const spot = { id, symbol: pair, base, quote, type: 'spot', spot: true, info: {}, active: index !== 3 }
  const swap = {
    ...spot,
    id: `${id}_PERP`,
    symbol: `${pair}:${quote}`,
    settle: quote,
    type: 'swap',
    spot: false,
  }
  return [spot, { ...swap, swap: true, linear: true }]
})
const venues = ['spot', 'futures'].map((service) => {
  const symbols = new Symbols(markets, {
    service,
    label: 'Venue',
    names: ['venue'],
    commonCurrencies: { XBT: 'BTC' },
  })
  return {
    symbols,
    traded: new Set(
      markets.filter((one) => one.active && one.spot === (service === 'spot')).map((one) => one.symbol),
    ),
  }
})

/** A spelling means a traded market or none, and the market's name means the same market. */
export default textTarget({
  seeds: [
    ...pairs,
    'BTCUSDT',
    'btc-usdt',
    'VENUE:XBTUSDT',
    'BTC/USDT:USDT',
    'BTCUSDT.P',
    'XXBTZUSD',
    'PI_XBTUSD',
  ],
  words: ['/', ':', '-', '_', ' ', '.P', 'PERP', 'SWAP', 'USDT', 'XBT', 'VENUE:', 'ß', 'ŉ', '\u200b', 'İ'],
  byteLimit: 200,
  check: (spelling) => {
    for (const { symbols, traded } of venues) {
      try {
        const symbol = symbols.resolve(spelling)
        assert.ok(traded.has(symbol), symbol)
        assert.equal(symbols.resolve(symbol), symbol)
      } catch (error) {
        assert.ok(error instanceof NoSuchMarket, String(error))
        assert.ok(error.message.length < 400)
      }
    }
    const quote = quoteOf(spelling)
    assert.ok(quote === null || (quote !== '' && spelling.includes(`/${quote}`)))
    const pair = parsePair(spelling)
    if (pair !== undefined) assert.deepEqual(parsePair(pairSymbol(pair)), pair)
  },
})
