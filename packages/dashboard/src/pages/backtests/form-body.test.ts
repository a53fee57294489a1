import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptOf, marketOf, readForm } from './form-body.ts'

function formOf(entries: readonly (readonly [string, string])[]): FormData {
  const data = new FormData()
  for (const [name, value] of entries) data.append(name, value)
  return data
}

test('a form asks for whole days in UTC, for parameters by their names, and for a new bot', () => {
  const { body, problems } = readForm(
    formOf([
      ['strategy_id', '7'],
      ['candle_id', '3'],
      ['from', '2026-01-01'],
      ['to', '2026-01-31'],
      ['parameters', 'FAST=5\n\n SLOW = 20 \nNOTE=a=b\nEMPTY='],
      ['amount', '500'],
      ['fee_rate', ''],
      ['at_end', 'close'],
    ]),
    null,
  )
  assert.deepEqual(problems, {})
  assert.deepEqual(body, {
    strategy_id: 7,
    candle_id: 3,
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-02-01T00:00:00.000Z',
    parameters: { FAST: '5', SLOW: '20', NOTE: 'a=b', EMPTY: '' },
    bots: [{ amount: '500' }],
    at_end: 'close',
    examine: false,
  })
})

test('chosen bots follow instead of a new one, and a draft instead of the saved code', () => {
  const { body } = readForm(
    formOf([
      ['strategy_id', '7'],
      ['candle_id', '3'],
      ['who', 'own'],
      ['bot', '4'],
      ['bot', '5'],
      ['seed', '9'],
      ['examine', 'on'],
    ]),
    'draft()',
  )
  assert.deepEqual(body.bots, [4, 5])
  assert.deepEqual([body.code, body.seed, body.examine, body.at_end], ['draft()', 9, true, 'hold'])
})

test('a form without candles and with a line that is no parameter says so', () => {
  for (const [parameters, problem] of [
    ['FAST=1\nSLOW', 'Line 2 is not NAME=value.'],
    ['=1', 'Line 1 is not NAME=value.'],
    ['A=1\nA=2', 'Line 2 repeats A.'],
  ] as const) {
    const { problems } = readForm(
      formOf([
        ['strategy_id', '7'],
        ['parameters', parameters],
      ]),
      null,
    )
    assert.deepEqual(problems, { candle_id: 'Choose the candles.', parameters: problem })
  }
})

test('a form without code, or with the bots of its user and none of them chosen, says so', () => {
  const { body, problems } = readForm(
    formOf([
      ['candle_id', '3'],
      ['who', 'own'],
    ]),
    null,
  )
  assert.deepEqual(problems, { strategy_id: 'Choose the code.', bots: 'Choose at least one bot.' })
  assert.deepEqual(body.bots, [])
})

test('a backtest that runs again keeps its market, except for rates that the service does not keep', () => {
  const figures = {
    ...{ participation: '0.1', latency_ms: 0, size_step: '0.01', min_size: '0.01', min_notional: '0' },
    maintenance: '0.005',
  }
  const paid = { assume: null, every_hours: 8, moments: 3, unknown: 1 }
  const of = (market: unknown) => marketOf({ market } as Parameters<typeof marketOf>[0])
  assert.deepEqual(of(null), {})
  assert.deepEqual(of({ ...figures, funding: null }), { market: figures })
  assert.deepEqual(of({ ...figures, funding: { ...paid, candle_id: 7 } }).market?.funding, {
    candle_id: 7,
    every_hours: 8,
  })
  assert.deepEqual(of({ ...figures, funding: { ...paid, candle_id: null } }).market?.funding, {
    every_hours: 8,
  })
})

test('a backtest that runs again keeps its deliveries, and what its code begins with, if the service knows it', () => {
  const plain = {
    ...{ market: null, source: 'candles', webhook_id: null, http: 'none' },
    ...{ storage: 'empty', last_trigger: 'empty' },
  }
  const of = (changes: object) => keptOf({ ...plain, ...changes } as Parameters<typeof keptOf>[0])
  assert.deepEqual(of({}), {})
  assert.deepEqual(of({ storage: 'given', last_trigger: 'given' }), {})
  const kept = { source: 'deliveries', webhook_id: 7, storage: 'saved', last_trigger: 'saved', http: 'read' }
  assert.deepEqual(of(kept), kept)
})
