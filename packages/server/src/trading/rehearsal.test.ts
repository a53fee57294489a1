import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, PaperBench, plainSettings } from '../../test/trading.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import { noProtection } from './protection/settings.ts'
import { type RehearsalInput, rehearse } from './rehearsal.ts'

/** Rehearses a signal with the books of a bench at a price of 100. */
async function rehearsed(
  bench: PaperBench,
  action: 'LONG' | 'SHORT' | 'EXIT',
  changes: Partial<RehearsalInput> = {},
) {
  const before = JSON.stringify([bench.books.orders, bench.books.fills])
  const { outcome, orders } = await rehearse({
    ...{ signal: bench.signal(action), settings: plainSettings, mode: 'paper', books: bench.books },
    market: { rules: async () => futuresRules, price: async () => '100' },
    whyHalted: () => null,
    now: () => bench.clock.now(),
    stop: new AbortController().signal,
    ...changes,
  })
  assert.equal(JSON.stringify([bench.books.orders, bench.books.fills]), before)
  return { ...outcome, orders: orders.map(({ purpose, side, price }) => `${purpose} ${side} ${price}`) }
}

test('a rehearsal places the orders of a signal, and leaves the books as they are', async () => {
  const bench = new PaperBench()
  assert.deepEqual(await rehearsed(bench, 'LONG'), { status: 'DONE', reason: null, orders: ['open buy 100'] })
  assert.equal((await rehearsed(bench, 'EXIT')).status, 'IGNORED')
  await bench.follow('LONG')
  assert.equal((await rehearsed(bench, 'LONG')).status, 'IGNORED')
  const flip = await rehearsed(bench, 'SHORT')
  assert.deepEqual([flip.status, flip.orders], ['DONE', ['close sell 100', 'open sell 100']])
})

test('a rehearsal counts the loss of its own close', async () => {
  const bench = new PaperBench()
  await bench.follow('LONG')
  const market = { rules: async () => futuresRules, price: async () => '90' }
  const cooling = await rehearsed(bench, 'SHORT', {
    market,
    settings: { ...plainSettings, cooldownSeconds: 60 },
  })
  assert.deepEqual([cooling.status, cooling.orders], ['REFUSED', ['close sell 90']])
  assert.match(
    String(cooling.reason),
    /The position was closed, but no new one was opened\..*cooldown_seconds/,
  )
})

test('a rehearsal of a live bot asks no account, and obeys a halt', async () => {
  const bench = new PaperBench()
  const settings = { ...plainSettings, startBalance: null }
  const live = await rehearsed(bench, 'LONG', { mode: 'live', settings })
  assert.deepEqual([live.status, live.orders], ['DONE', ['open buy 100']])
  const whyHalted = () => 'Trading is halted.'
  const halted = await rehearsed(bench, 'LONG', { mode: 'live', settings, whyHalted })
  assert.deepEqual([halted.status, halted.orders], ['REFUSED', []])
  await bench.follow('LONG')
  const waits = await rehearsed(bench, 'EXIT', { mode: 'live', settings, whyHalted })
  assert.deepEqual([waits.status, waits.orders], ['WAITING', []])
})

test('a rehearsal waits for nothing', async () => {
  const bench = new PaperBench()
  const price = async () => {
    throw new VenueUnreachable('There is no price.')
  }
  const unpriced = await rehearsed(bench, 'LONG', { market: { rules: async () => futuresRules, price } })
  assert.deepEqual([unpriced.status, unpriced.reason], ['FAILED', 'There is no price.'])
  const rules = async () => {
    throw new NoSuchMarket('There is no such market.')
  }
  const unknown = await rehearsed(bench, 'LONG', { market: { rules, price } })
  assert.deepEqual([unknown.status, unknown.orders], ['REFUSED', []])
})

test('a rehearsal refuses a stop at which the last known worth of the account is used up, as the bot would', async () => {
  const bench = new PaperBench()
  const worth = { currency: 'USDT', amount: '1' }
  const books = Object.assign(bench.books, { accountEquity: async () => worth })
  const settings = { ...plainSettings, protection: { ...noProtection, stop_loss: '50%' } }
  const live = (changes: Partial<RehearsalInput> = {}) =>
    rehearsed(bench, 'LONG', { mode: 'live', settings, books, ...changes })
  const { status, reason } = await live()
  assert.equal(status, 'REFUSED')
  assert.match(
    String(reason),
    /^The account is worth 1 USDT, which a long of .* its stop would be at 50, too late/,
  )
  assert.equal((await live({ mode: 'paper' })).status, 'DONE')
  // It could gain what this one loses.
  const other = { symbol: 'ETH/USDT:USDT', side: 'long' as const, size: '1' }
  assert.equal((await live({ others: async () => [other] })).status, 'DONE')
  // A flip closes first, so its old position is no other one.
  await bench.follow('LONG')
  const flip = await rehearsed(bench, 'SHORT', { mode: 'live', settings, books })
  assert.deepEqual([flip.status, flip.orders], ['REFUSED', ['close sell 100']])
  assert.match(String(flip.reason), /a short of .* its stop would be at 150, too late/)
  // Only the exchange knows which coins back a short.
  assert.match(String(flip.reason), /opens even so if the account holds other coins than USDT/)
  assert.doesNotMatch(String(reason), /other coins/)
})
