import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minuteCandle, noon } from '../../../test/trading.ts'
import { alongMissed } from './missed.ts'
import { noMarks, type Protected } from './plan.ts'
import { noProtection, type Protection } from './settings.ts'

const position: Protected = {
  ...{ side: 'long', size: '1', openedSize: '1', entryPrice: '100', openedAt: noon },
}

function along(protection: Partial<Protection>, ...prices: Parameters<typeof minuteCandle>[1][]) {
  const candles = prices.map((each, index) => minuteCandle(index, each))
  return alongMissed(position, { ...noProtection, ...protection }, noMarks, candles)
}

test('a stop that was crossed is a close at its price, or at the opening of a minute that began beyond it', () => {
  const back = { open: '99', close: '105' }
  assert.deepEqual(along({ stop_loss: '2%' }, { open: '99', low: '90' }, back).close, {
    ...{ size: null, reason: 'stop_loss', price: '98' },
  })
  assert.equal(along({ stop_loss: '2%' }, { open: '95' }, back).close!.price, '95')
  assert.equal(along({ stop_loss: '2%' }, { open: '99', low: '98.01' }, back).close, null)
})

test('what several levels would have closed becomes one close at the average price', () => {
  const take_profit = [
    { at: '102', part: '0.5' },
    { at: '104', part: '0.25' },
  ]
  const up = { open: '100', high: '103' }
  const { close, marks } = along({ take_profit }, up, { open: '100', high: '110' })
  assert.deepEqual(close, { size: '0.75', reason: 'take_profit', price: '102.666666666666666666666667' })
  assert.deepEqual([marks.targetsPassed, marks.bestPrice], [2, '110'])
  const stopped = along({ stop_loss: '98', take_profit }, up, { open: '100', low: '97' })
  assert.deepEqual(stopped.close, { size: null, reason: 'stop_loss', price: '100' })
})

test('the marks go on from what the candles showed, and time counts, too', () => {
  const trailing = { by: '2%', from: null, step: null }
  const { close, marks } = along({ trailing }, { open: '100', high: '110', close: '109' })
  assert.deepEqual([close, marks.stop], [null, { price: '107.8', reason: 'trailing' }])
  const timed = along({ exit_after_seconds: 90 }, { open: '100' }, { open: '101', close: '103' })
  assert.deepEqual(timed.close, { size: null, reason: 'time', price: '103' })
})
