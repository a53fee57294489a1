import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readForm } from './form-body.ts'
import { textOfRates } from './form-conditions.ts'
import { readSweep, textsOf } from './form-sweep.ts'

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

test('only a model that is asked has a budget', () => {
  const of = (entries: [string, string][]) => {
    const { model, model_budget: budget } = readForm(formOf([['strategy_id', '7'], ...entries]), null).body
    return [model, budget]
  }
  const budget: [string, string] = ['model_budget', '5000']
  assert.deepEqual(of([['model', 'live'], budget]), ['live', 5_000])
  assert.deepEqual(of([['model', 'live']]), ['live', undefined])
  assert.deepEqual(of([['model', 'recorded'], budget]), [undefined, undefined])
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

test('the signals of a webhook come without code, and without what code begins with', () => {
  const signals: [string, string][] = [
    ...([
      ['source', 'signals'],
      ['candle_id', '3'],
      ['strategy_id', '7'],
      ['parameters', 'A=1'],
    ] as const),
    ...([
      ['storage', 'saved'],
      ['http', 'read'],
      ['amount', '5'],
      ['leverage', '10'],
    ] as const),
  ].map(([name, value]) => [name, value])
  assert.deepEqual(readForm(formOf(signals), 'draft()').problems, {
    bot_webhook_id: 'Choose the bot webhook.',
  })
  const { body, problems } = readForm(formOf([...signals, ['bot_webhook_id', '9']]), null)
  assert.deepEqual(problems, {})
  assert.deepEqual(body, {
    ...{ source: 'signals', bot_webhook_id: 9, candle_id: 3, at_end: 'hold', examine: false },
    bots: [{ amount: '5', leverage: 10 }],
  })
})

test('deliveries, what the code begins with, and the market are asked for as they are filled in', () => {
  const code: [string, string][] = [
    ['strategy_id', '7'],
    ['candle_id', '3'],
  ]
  const { body } = readForm(
    formOf([
      ...code,
      ...([
        ['source', 'deliveries'],
        ['webhook_id', '4'],
        ['storage', 'given'],
      ] as [string, string][]),
      ...([
        ['storage_json', '{"n":1}'],
        ['last_trigger', 'EXIT'],
        ['last_price', '1.5'],
      ] as [string, string][]),
      ...([
        ['http', 'read'],
        ['participation', '0.1'],
        ['latency_ms', '500'],
      ] as [string, string][]),
      ...([
        ['has_funding', 'yes'],
        ['funding_id', '8'],
        ['every_hours', '4'],
      ] as [string, string][]),
    ]),
    null,
  )
  assert.deepEqual(
    [body.source, body.webhook_id, body.storage, body.last_trigger, body.http, body.market],
    [
      'deliveries',
      4,
      { n: 1 },
      { action: 'EXIT', price: 1.5 },
      'read',
      { participation: '0.1', latency_ms: 500, funding: { candle_id: 8, every_hours: 4 } },
    ],
  )
  for (const text of ['', 'no', '[1]', 'null', '1']) {
    const { problems } = readForm(formOf([...code, ['storage', 'given'], ['storage_json', text]]), null)
    assert.match(problems.storage ?? '', /JSON object/, text)
  }
  const saved = readForm(formOf([...code, ['storage', 'saved'], ['last_trigger', 'saved']]), null).body
  assert.deepEqual([saved.storage, saved.last_trigger, saved.market], ['saved', 'saved', undefined])
})

test('rates of funding are read line by line, and come back as the same lines', () => {
  const fields = (text: string, id = 'own') =>
    formOf([
      ...[['strategy_id', '7'] as const, ['candle_id', '3'] as const, ['has_funding', 'yes'] as const],
      ...[['funding_id', id] as const, ['funding_rates', text] as const, ['assume', '0.01'] as const],
    ])
  const text = '2026-01-01T00:00:00Z, 0.0001\n1767254400000, -5e-5, 87500.5'
  const { body, problems } = readForm(fields(`time,rate,price\n\n${text}\n2026-01-01T16:00Z,0,`), null)
  assert.deepEqual(problems, {})
  const rates = [
    ['2026-01-01T00:00:00Z', '0.0001'],
    ['1767254400000', '-5e-5', '87500.5'],
    ['2026-01-01T16:00Z', '0'],
  ]
  assert.deepEqual(body.market?.funding, { rates, assume: '0.01' })
  assert.equal(textOfRates(rates.slice(0, 2)), text)
  assert.deepEqual(readForm(fields(text, '8'), null).body.market?.funding, { candle_id: 8, assume: '0.01' })
  for (const [wrong, message] of [
    ['', /^Write at least one rate/],
    ['2026-01-01', /^Line 1 must be a time, a rate/],
    [`${text}\n1,2,3,4`, /^Line 3 must be/],
  ] as const)
    assert.match(readForm(fields(wrong), null).problems.funding_rates ?? '', message, wrong)
})

const sweepOf = (fields: Record<string, string>) => readSweep((name) => fields[name] ?? '')

test('a sweep is read line by line, and comes back as the same lines', () => {
  const { sweep, problem } = sweepOf({
    ...{ sweep_kind: 'grid', sweep_values: 'FAST = 5, 10 ,20\n\nSLOW=50', sweep_random: '2' },
    ...{ sweep_fee_rate: '0, 0.001', sweep_objective: 'sharpe' },
  })
  assert.deepEqual(
    [sweep, problem],
    [
      {
        parameters: { FAST: ['5', '10', '20'], SLOW: ['50'] },
        settings: { fee_rate: ['0', '0.001'] },
        random: 2,
        objective: 'sharpe',
      },
      null,
    ],
  )
  assert.deepEqual(textsOf(sweep as never), { kind: 'grid', values: 'FAST=5, 10, 20\nSLOW=50' })
  const sets = sweepOf({ sweep_kind: 'sets', sweep_values: 'FAST=5, SLOW=50\nFAST=10,SLOW=100' }).sweep!
  assert.deepEqual(sets.sets, [
    { FAST: '5', SLOW: '50' },
    { FAST: '10', SLOW: '100' },
  ])
  assert.deepEqual(sweepOf({ sweep_values: 'FAST=5' }), { sweep: undefined, problem: null })
})

test('a range has the values that the command line gives it, and other texts stay what they are', () => {
  const valuesOf = (text: string) =>
    sweepOf({ sweep_kind: 'grid', sweep_values: `A=${text}`, sweep_objective: 'sqn' }).sweep?.parameters?.A
  assert.deepEqual(valuesOf('5..20/5'), ['5', '10', '15', '20'])
  assert.deepEqual(valuesOf(' 0.1..0.35/0.1 '), ['0.1', '0.2', '0.3'])
  assert.deepEqual(valuesOf('-2..0'), ['-2', '-1', '0'])
  assert.deepEqual(valuesOf('1..1000')!.length, 1_000)
  assert.deepEqual(valuesOf('../a, x..y, 1.5'), ['../a', 'x..y', '1.5'])
  assert.deepEqual(valuesOf('["5..20/5"]'), ['5..20/5'])
})

test('a wrong range says what is wrong with it', () => {
  for (const [text, problem] of [
    ['5..', /^Line 1 is no range: 5\.\.\. A range is like 5\.\.50\/5/],
    ['5..50/', /^Line 1 is no range: 5\.\.50\/\./],
    ['5...50', /^Line 1 is no range/],
    ['5..50/x', /^Line 1 is no range/],
    ['1e3..2e3', /^Line 1 is no range/],
    [`${'9'.repeat(16)}..${'9'.repeat(17)}`, /^Line 1 is no range/],
    ['9..1', /^Line 1 never ends: 9\.\.1\. A range goes from less to more/],
    ['1..9/0', /^Line 1 never ends/],
    ['1..9/-1', /^Line 1 never ends/],
    ['1..1001', /^Line 1 has more than 1000 values/],
    ['5..50/5, 60', /^Line 1 has a range and other values/],
  ] as const) {
    const { sweep, problem: found } = sweepOf({ sweep_kind: 'grid', sweep_values: `A=${text}` })
    assert.equal(sweep, undefined, text)
    assert.match(found ?? '', problem, text)
  }
})

test('a sweep may end combinations early, or walk forward', () => {
  const grid = { sweep_kind: 'grid', sweep_values: 'FAST=5, 10', sweep_objective: 'return_percent' }
  const plain = { parameters: { FAST: ['5', '10'] }, objective: 'return_percent' }
  assert.deepEqual(sweepOf(grid).sweep, plain)
  const early = { ...plain, end_at_drawdown_percent: 12.5 }
  assert.deepEqual(sweepOf({ ...grid, sweep_end_at_drawdown: '12.5' }).sweep, early)
  const days = { sweep_train_days: '90', sweep_test_days: '30' }
  for (const anchored of [true, false]) {
    const walk_forward = { train_days: 90, test_days: 30, anchored }
    const walking = sweepOf({ ...grid, ...days, sweep_anchored: String(anchored) }).sweep
    assert.deepEqual(walking, { ...plain, walk_forward })
  }
})

test('values with commas, spaces and brackets come back unchanged', () => {
  const parameters = { A: ['1,2', ' x', '[y', '{', ''], B: ['a b', 'c=d'], C: ['5..9'] }
  const again = (given: object) => {
    const { kind, values } = textsOf({ objective: 'sqn', ...given } as never)
    return sweepOf({ sweep_kind: kind, sweep_values: values, sweep_objective: 'sqn' })
  }
  assert.deepEqual(again({ parameters }).sweep, { parameters, objective: 'sqn' })
  const sets = [
    { A: '1,2', B: '{' },
    { A: '', B: 'b' },
  ]
  assert.deepEqual(again({ sets }).sweep, { sets, objective: 'sqn' })
})

test('a line of a sweep that has no name, no value or broken JSON says which it is', () => {
  for (const [kind, values, problem] of [
    ['grid', 'FAST', 'Line 1 is not NAME=value.'],
    ['grid', 'FAST=1\nFAST=2', 'Line 2 repeats FAST.'],
    ['grid', 'FAST=,', 'Line 1 has no value.'],
    ['grid', 'FAST=[1', 'Line 1 is no JSON.'],
    ['sets', '', 'Write at least one set.'],
    ['sets', 'A=1\n=2', 'Line 2 is not NAME=value.'],
    ['sets', '{"A"', 'Line 1 is no JSON.'],
  ] as const)
    assert.equal(sweepOf({ sweep_kind: kind, sweep_values: values }).problem, problem)
})
