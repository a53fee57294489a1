import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PaperBench } from '../../../test/trading.ts'
import { type ProtectionSettings, protectionAtOpening } from './opening.ts'
import { noProtection, type ProtectionChanges } from './settings.ts'

function opened(settings: ProtectionSettings, changes?: ProtectionChanges, side: 'long' | 'short' = 'long') {
  return protectionAtOpening({ settings, changes, side, symbol: 'BTC/USDT', price: '100' })
}

function reasonOf(
  settings: ProtectionSettings,
  changes?: ProtectionChanges,
  side: 'long' | 'short' = 'long',
) {
  const outcome = opened(settings, changes, side)
  return outcome !== null && 'reason' in outcome ? outcome.reason : null
}

const withStop = { ...noProtection, stop_loss: '2%' }

test('a position opens with the protection of its bot, field by field replaced by that of its signal', () => {
  assert.equal(opened({}), null)
  assert.deepEqual(opened({ protection: withStop }), withStop)
  const targets = [{ at: '4%', part: '1' }]
  assert.deepEqual(opened({ protection: withStop }, { take_profit: targets }), {
    ...withStop,
    take_profit: targets,
  })
  assert.deepEqual(opened({}, { stop_loss: '1%' }), { ...noProtection, stop_loss: '1%' })
})

test('a bot that requires a stop opens nothing without one that stands at once', () => {
  const settings = { requireStop: true }
  assert.match(reasonOf(settings)!, /names a stop, and the bot opens nothing without one \(require_stop\)\.$/)
  assert.match(reasonOf({ ...settings, protection: withStop }, { stop_loss: null })!, /require_stop/)
  const late = { trailing: { by: '1%', from: '3%', step: null } }
  assert.match(reasonOf(settings, late)!, /require_stop/)
  assert.equal(reasonOf(settings, { trailing: { by: '1%', from: null, step: null } }), null)
  assert.equal(reasonOf({ ...settings, protection: withStop }), null)
})

test('a stop that is further away than the bot allows refuses the opening, with both figures', () => {
  const settings = { maxStopDistance: '2%' }
  assert.equal(reasonOf(settings, { stop_loss: '2%' }), null)
  assert.equal(reasonOf(settings, { stop_loss: '98' }), null)
  assert.equal(
    reasonOf(settings, { stop_loss: '97.999' }),
    'The stop would be 2.01% away from the price; at most 2% is allowed (max_stop_distance).',
  )
  assert.match(reasonOf(settings, { stop_loss: '103' }, 'short')!, /would be 3% away/)
  assert.match(reasonOf(settings, { trailing: { by: '5%', from: null, step: null } })!, /would be 5% away/)
})

test('levels on the wrong side of the price refuse the opening', () => {
  assert.equal(
    reasonOf({}, { stop_loss: '101' }),
    'The stop of a long must be below the price, and stop_loss is 101, but the price of BTC/USDT is 100.',
  )
  assert.match(reasonOf({}, { stop_loss: '100' }, 'short')!, /^The stop of a short must be above the price/)
  assert.match(
    reasonOf({}, { take_profit: [{ at: '99', part: '1' }] })!,
    /^The targets of a long must be above/,
  )
  assert.match(
    reasonOf({}, { take_profit: [{ at: '150%', part: '1' }] }, 'short')!,
    /^The targets of a short/,
  )
  assert.match(reasonOf({}, { break_even: { after: '90', plus: null } })!, /break_even\.after is 90/)
  assert.match(reasonOf({}, { trailing: { by: '1%', from: '90', step: null } })!, /trailing\.from is 90/)
  const mixed = [
    { at: '110', part: '0.5' },
    { at: '5%', part: '0.5' },
  ]
  assert.match(reasonOf({}, { take_profit: mixed })!, /^The targets must come in order/)
  assert.match(reasonOf({}, { take_profit: [{ at: '2R', part: '1' }] })!, /needs a stop_loss to measure from/)
})

test('the order that opens a position carries its protection, and one that adds to it carries none', async () => {
  const bench = new PaperBench({ settings: { protection: withStop, slippageRate: '0' } })
  const protections = () => bench.books.orders.map(({ protection }) => protection)
  await bench.follow('LONG', { protection: { exit_after_seconds: 60 } })
  await bench.follow('LONG', { dilution: true, protection: { stop_loss: '1%' } })
  await bench.follow('SHORT', { protection: { stop_loss: null } })
  // Of a flip, the close carries none either. The new position opens with what is left of the bot's settings: nothing.
  assert.deepEqual(protections(), [{ ...withStop, exit_after_seconds: 60 }, undefined, undefined, undefined])
})

test('a position that opens on a remainder without protection says so, because the remainder may have one', async () => {
  const bench = new PaperBench({ settings: { slippageRate: '0', feeRate: '0' } })
  await bench.follow('LONG', { protection: { stop_loss: '2%' } })
  const order = {
    symbol: bench.rules.symbol,
    side: 'sell' as const,
    purpose: 'close' as const,
    reduceOnly: true,
  }
  // As after an exchange that has executed all except a remainder.
  await bench.books.plan(9, { ...order, clientOrderId: 'rest', size: '0.9996' })
  const execution = { tradeId: '1', size: '0.9996', price: '100', fee: '0', feeAsset: 'USDT', filledAt: 0 }
  const report = { exchangeOrderId: null, status: 'FILLED' as const, executions: [execution], reason: null }
  await bench.books.report('rest', report, { ...bench.rules, feeRates: {} })
  await bench.follow('LONG')
  assert.deepEqual(bench.books.orders.at(-1)!.protection, {})
})

test('an opening that may not have its protection is refused, and a flip still closes', async () => {
  const bench = new PaperBench({ settings: { requireStop: true } })
  const refused = await bench.follow('LONG')
  assert.equal(refused.status, 'REFUSED')
  assert.match(`${refused.reason}`, /require_stop/)
  await bench.follow('LONG', { protection: { stop_loss: '2%' } })
  const flip = await bench.follow('SHORT', { protection: { stop_loss: '50' } })
  assert.equal(flip.status, 'REFUSED')
  assert.match(`${flip.reason}`, /^The position was closed, but no new one was opened\. The stop of a short/)
})
