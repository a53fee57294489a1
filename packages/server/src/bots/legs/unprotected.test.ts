import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noProtection } from '../../trading/protection/settings.ts'
import type { LegsRow } from './store.ts'
import { isPartTooSmall } from './unprotected.ts'

const steps = {
  ...{ priceStep: '0.1', sizeStep: '0.00001' },
  smallestOrder: { size: '0.0001', notional: '5' },
}

function rowOf(size: string, of: Partial<NonNullable<LegsRow['protection']>> = {}) {
  const position = { side: 'long' as const, size, entryPrice: '100', openedSize: size, openedAt: 1 }
  const marks = { bestPrice: '100', targetsPassed: 0, stop: null }
  const settings = { ...noProtection, stop_loss: '2%' }
  return {
    protection: {
      ...{ generation: 1, settings, position, marks, isClosing: false, closeId: null, isFromOpening: true },
      ...{ isOpening: true, lastLeg: 'REJECTED' as const, ...of },
    },
  }
}

test('only a part below the smallest order, whose stop was refused and whose opening is open, is too small', () => {
  // 4.998 and 5.096 USDT at the stop.
  assert.equal(isPartTooSmall(rowOf('0.051'), steps), true)
  assert.equal(isPartTooSmall(rowOf('0.052'), steps), false)
  assert.equal(isPartTooSmall(rowOf('0.051', { isOpening: false }), steps), false)
  for (const lastLeg of ['PLANNED', 'UNKNOWN', 'OPEN', 'CANCELED', null] as const) {
    assert.equal(isPartTooSmall(rowOf('0.051', { lastLeg }), steps), false)
  }
  assert.equal(isPartTooSmall({ protection: null }, steps), false)
})
