import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chartPatterns, readChart } from './chart-settings.ts'

const settings = { symbol: 'binance:btc/usdt', interval: '1h', studies: [], range: null }

test('a symbol names its exchange and perhaps its service', () => {
  const cases: [string, string, string | undefined, string][] = [
    ['binance:btc/usdt', 'binance', undefined, 'btc/usdt'],
    ['BINANCE:BTCUSDT', 'BINANCE', undefined, 'BTCUSDT'],
    [' binance:Futures: BTC/USDT:USDT ', 'binance', 'futures', 'BTC/USDT:USDT'],
    ['2:spot:btcusdt', '2', 'spot', 'btcusdt'],
  ]
  for (const [text, exchange, service, symbol] of cases) {
    const { plan } = readChart({ ...settings, symbol: text })
    assert.deepEqual(
      [plan?.venue?.exchange ?? null, plan?.venue?.service, plan?.symbol],
      [exchange, service, symbol],
    )
  }
})

test('a range has as many candles as fit into it', () => {
  const countOf = (interval: string, range: string | null) =>
    readChart({ ...settings, interval, range }).plan?.count
  assert.equal(countOf('1h', null), 200)
  assert.equal(countOf('1h', '5d'), 120)
  assert.equal(countOf('1d', '3M'), 90)
  assert.equal(countOf('1d', '1y'), 365)
  assert.equal(countOf('1w', '4y'), 209)
  assert.equal(countOf('4h', '10h'), undefined)
})

test('settings that cannot be drawn are refused at their field', () => {
  const cases: [object, string, RegExp][] = [
    [{ symbol: null }, 'chart_symbol', /required/],
    [{ symbol: ' ' }, 'chart_symbol', /required/],
    [{ symbol: 'btcusdt' }, 'chart_symbol', /must be a symbol after its exchange/],
    [{ symbol: 'binance:' }, 'chart_symbol', /after its exchange/],
    [{ symbol: 'BTC/USDT:USDT' }, 'chart_symbol', /after its exchange/],
    [{ interval: '7x' }, 'chart_interval', /interval such as/],
    [{ studies: ['rsi', 'hype'] }, 'chart_studies', /must be of sma.*"hype" is not/],
    [
      { interval: '1m', range: '1y' },
      'chart_range',
      /10 to 500 candles of chart_interval; 1y has 525600 of 1m/,
    ],
    [{ interval: '1d', range: '2d' }, 'chart_range', /2d has 2 of 1d/],
  ]
  for (const [change, field, message] of cases) {
    const { problem } = readChart({ ...settings, ...change })
    assert.equal(problem?.field, field)
    assert.match(problem.message, message)
  }
})

test('the patterns of schemas let through what can be drawn', () => {
  for (const text of ['15m', '1h', '1M']) assert.match(text, new RegExp(chartPatterns.interval))
  for (const text of ['rsi', 'RSI:14', 'bb:20,2.5']) assert.match(text, new RegExp(chartPatterns.study))
  for (const text of ['12h', '5d', '3M', '1y']) assert.match(text, new RegExp(chartPatterns.range))
  for (const text of ['', '0d', '5', '1Y', '-1d', '5d\n'])
    assert.doesNotMatch(text, new RegExp(`(?:${chartPatterns.range})(?!\n)`))
})
