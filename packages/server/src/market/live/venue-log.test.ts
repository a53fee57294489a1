import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { VenueLog } from './venue-log.ts'

/** A log with a clock that the test controls. */
function open(t: TestContext) {
  const clock = { nowMs: 0 }
  t.mock.method(performance, 'now', () => clock.nowMs)
  const lines: string[] = []
  const write = (line: string) => void lines.push(JSON.parse(line).msg)
  const venue = { exchange: 'binance', service: 'spot' }
  return { clock, lines, log: new VenueLog(pino({ level: 'info' }, { write }), venue, 'Binance') }
}

test('parts that fail together get the lines of the first one', (t) => {
  const { clock, lines, log } = open(t)
  log.lost('stream', 'why')
  clock.nowMs += 2_000
  log.lost('requests', 'why')
  // Hours later, the exchange is opened again in vain.
  clock.nowMs += 7_200_000
  for (let attempt = 0; attempt < 10; attempt++) {
    log.lost('markets', 'why')
    log.lost('requests', 'why')
    log.lost('stream', 'why')
  }
  log.back('markets')
  log.back('requests')
  log.back('stream')
  assert.deepEqual(lines, ['Binance: its price stream was lost', 'Binance: its price stream is back'])
})

test('if requests fail long after the stream was lost, both have their lines', (t) => {
  const { clock, lines, log } = open(t)
  log.lost('stream', 'why')
  clock.nowMs += 3_600_000
  log.lost('requests', 'why')
  log.back('requests')
  log.back('stream')
  assert.deepEqual(lines, [
    'Binance: its price stream was lost',
    'Binance: it does not answer requests for prices',
    'Binance: it answers requests for prices again',
    'Binance: its price stream is back',
  ])
})

test('a part that keeps failing after the line for both has ended gets its own line', (t) => {
  const { lines, log } = open(t)
  log.lost('stream', 'why')
  log.lost('requests', 'why')
  log.back('stream')
  log.lost('requests', 'why')
  log.lost('requests', 'why')
  assert.deepEqual(lines.slice(2), ['Binance: it does not answer requests for prices'])
})

test('an exchange that fails every ten seconds gets few lines', (t) => {
  const { clock, lines, log } = open(t)
  for (let time = 0; time < 1_000; time++) {
    log.lost('requests', 'why')
    clock.nowMs += 5_000
    log.back('requests')
    clock.nowMs += 5_000
  }
  assert.equal(lines.length, 3, lines.join('\n'))
})

test('unusable prices of a symbol get one line, and one when they end', (t) => {
  const { clock, lines, log } = open(t)
  for (let time = 0; time < 100; time++) {
    log.unusable('BTC/USDT')
    clock.nowMs += 120_000
  }
  log.usable('ETH/USDT')
  log.usable('BTC/USDT')
  log.usable('BTC/USDT')
  assert.deepEqual(lines, ['Binance: it sends unusable prices', 'Binance: it sends usable prices again'])
})
