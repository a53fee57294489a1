import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inSentences, inShort, type Protected, type Protection, settingsInShort } from './words.ts'

const none: Protection = {
  stop_loss: null,
  take_profit: [],
  trailing: null,
  break_even: null,
  exit_after_seconds: null,
}

function held(
  settings: Partial<Protection>,
  changes: Partial<NonNullable<Protected['protection']>> = {},
  side: 'long' | 'short' = 'long',
): Protected {
  const protection = {
    ...{
      state: 'WATCHED' as const,
      kept_at: 'service' as const,
      exchange_stop: null,
      unprotected_seconds: null,
      note: 'Watched.',
    },
    ...{ stop_price: null, stop_reason: null, targets: [] },
    ...{ best_price: null, exit_at: null, settings: { ...none, ...settings }, ...changes },
  }
  return { side, size: '0.02', entry_price: '62448.98', protection }
}

test('a stop says where it is, and what it would bring', () => {
  const stop = { stop_price: '61200.0004', stop_reason: 'stop_loss' as const }
  assert.equal(inShort(held({ stop_loss: '2%' }, stop)), 'Stop 61,200 (−2 %)')
  assert.deepEqual(inSentences(held({ stop_loss: '2%' }, stop)), [
    'Stop at 61,200, 2 % below the entry price.',
  ])
  const above = { ...stop, stop_price: '63697.9596' }
  assert.equal(inShort(held({ stop_loss: '2%' }, above, 'short')), 'Stop 63,697.96 (−2 %)')
  assert.match(inSentences(held({ stop_loss: '2%' }, above, 'short'))[0]!, /2 % above the entry price/)
  const moved = { stop_price: '62448.98', stop_reason: 'break_even' as const }
  assert.deepEqual(inSentences(held({ stop_loss: '2%', break_even: { after: '1R', plus: null } }, moved)), [
    'Stop at 62,448.98, at the entry price, where break-even has moved it.',
    '1 R is the distance from the entry price to the first stop, 2 %.',
  ])
})

test('a stop at the exchange says so, and where it is while the service replaces it', () => {
  const stop = { stop_price: '61200', stop_reason: 'stop_loss' as const }
  const kept = { ...stop, kept_at: 'exchange' as const, exchange_stop: { price: '61000', size: '0.01' } }
  const protectedThere = held({ stop_loss: '2%' }, { ...kept, state: 'PROTECTED' })
  assert.equal(inShort(protectedThere), 'Stop 61,200 (−2 %), at the exchange')
  assert.deepEqual(inSentences(protectedThere), [
    'Stop at 61,200, 2 % below the entry price. It is an order at the exchange.',
  ])
  assert.deepEqual(inSentences(held({ stop_loss: '2%' }, { ...kept, state: 'ADJUSTING' })), [
    'Stop at 61,200, 2 % below the entry price.',
    'The order at the exchange closes 50 % of it (0.01) at 61,000.',
  ])
})

test('targets say what they close, and a trailing stop where it begins', () => {
  const settings = {
    ...{ take_profit: [{ at: '2%', part: '0.5' }], exit_after_seconds: 3600 },
    trailing: { by: '1%', from: '65000', step: '0.5%' },
  }
  const targets = [{ price: '63697.9596', size: '0.01', kept_at: 'service' as const }]
  const position = held(settings, { targets, best_price: '63000' })
  assert.equal(inShort(position), 'No stop, 1 target, trailing, time limit')
  assert.deepEqual(inSentences(position), [
    'There is no stop yet: no loss closes this position.',
    'Target at 63,697.96, 2 % above the entry price: closes 50 % of it (0.01).',
    'The stop follows the best price (63,000 so far) at a distance of 1 %, once that has reached 65,000, in steps of at least 0.5 %.',
  ])
  assert.equal(
    settingsInShort({ ...none, ...settings }),
    'targets: 2 % closes 50 %. trailing stop: 1 % from the best price, once it has reached 65,000, in steps of 0.5 %. time limit: 1 h',
  )
})

test('a position without protection says so, also after its close was dropped', () => {
  const bare = { ...held({}), protection: null }
  assert.equal(inShort(bare), 'Not protected')
  assert.match(inSentences(bare)[0]!, /stays open until a signal or you close it/)
  assert.equal(inShort(held({ stop_loss: '2%' }, { state: 'CALLED_OFF' })), 'Not protected any more')
  assert.deepEqual(inSentences(held({ stop_loss: '2%' }, { state: 'CALLED_OFF' })), [])
  assert.equal(settingsInShort(null), 'nothing')
  assert.equal(inShort(held({}, { state: 'ADRIFT' })), 'No stop, books and account differ')
})
