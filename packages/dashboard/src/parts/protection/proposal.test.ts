import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesInWords, proposalFor, stopMovesBack } from './proposal.ts'
import type { Protected, Protection } from './words.ts'

const settings: Protection = {
  stop_loss: '5%',
  take_profit: [
    { at: '2%', part: '0.5' },
    { at: '4%', part: '0.25' },
  ],
  trailing: { by: '2%', from: '4%', step: null },
  break_even: null,
  exit_after_seconds: null,
}

/** The first target is reached: half is left, and the stop has followed the price. */
const position: Protected = {
  ...{ side: 'long', size: '0.5', entry_price: '100' },
  protection: {
    ...{
      state: 'WATCHED',
      kept_at: 'service',
      exchange_stop: null,
      unprotected_seconds: null,
      note: '',
      best_price: '104',
      exit_at: null,
      settings,
    },
    ...{
      stop_price: '101.92',
      stop_reason: 'trailing',
      targets: [{ price: '104', size: '0.25', kept_at: 'service' as const }],
    },
  },
}

test('a form begins with what protects the position now', () => {
  assert.deepEqual(proposalFor(position), {
    ...settings,
    stop_loss: '101.92',
    take_profit: [{ at: '4%', part: '0.5' }],
  })
  assert.equal(proposalFor({ ...position, protection: null }), null)
})

test('a stop that would move back is named, and one from which multiples are measured stays as it was asked for', () => {
  const proposal = proposalFor(position)!
  assert.equal(stopMovesBack(position, proposal), false)
  assert.equal(stopMovesBack(position, settings), true)
  assert.equal(stopMovesBack(position, null), false)
  const byRisk = { ...settings, break_even: { after: '1R', plus: null } }
  const risky = { ...position, protection: { ...position.protection!, settings: byRisk } }
  assert.equal(proposalFor(risky)!.stop_loss, '5%')
  assert.equal(stopMovesBack(risky, proposalFor(risky)), true)
})

test('what changes is named before and after', () => {
  assert.deepEqual(changesInWords(position, { ...settings, stop_loss: '99', trailing: null }), [
    { name: 'Stop', from: '101.92, where it has moved', to: '99' },
    { name: 'Trailing stop', from: '2 % from the best price, once it has reached 4 % of profit', to: 'none' },
  ])
  assert.deepEqual(
    changesInWords({ ...position, protection: null }, { ...settings, take_profit: [], trailing: null }),
    [{ name: 'Stop', from: 'none', to: '5 %' }],
  )
})
