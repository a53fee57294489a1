import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../base/errors.ts'
import { checkMargins, conditionsOf } from './conditions.ts'
import { readMoments } from './funding-rates.ts'
import { readMarketModel } from './market.ts'
import { type BacktestRequest, Problems } from './request.ts'

const perpetual = 'BTC/USDT:USDT'
const start = Date.parse('2026-01-01T00:00:00Z')
const hour = 3_600_000

type Market = BacktestRequest['market']

function problemsOf(work: (problems: Problems) => void): string[] {
  const problems = new Problems()
  work(problems)
  try {
    problems.throwIfAny()
    return []
  } catch (error) {
    assert.ok(error instanceof AppError)
    return error.details!.map(({ field, message }) => `${field} ${message}`)
  }
}

function read(market: Market, symbol = perpetual) {
  const problems = new Problems()
  const model = readMarketModel(market, symbol, problems)
  problems.throwIfAny()
  return model
}

test('a request without a market is as one without these options of the command', () => {
  const market = read(undefined, 'BTC/USDT')
  assert.deepEqual(market, {
    ...{ participation: null, latencyMs: 0, sizeStep: '0.00000001', minSize: '0.00000001' },
    ...{ minNotional: '0', maintenance: '0.005', funding: null },
  })
  assert.deepEqual(conditionsOf(market, { symbol: 'BTC/USDT', settings: {} }, null), {})
  assert.deepEqual(conditionsOf(undefined, { symbol: perpetual, settings: { leverage: 10 } }, null), {})
})

test('each figure of the market that cannot be used is named', () => {
  const wrong: [Market, RegExp][] = [
    [{ participation: 1.5 }, /^body\.market\.participation must be above 0 and at most 1, got 1\.5$/],
    [{ participation: '0' }, /^body\.market\.participation must be above 0/],
    [{ size_step: 0 }, /^body\.market\.size_step must be above 0$/],
    [{ min_size: '-1' }, /^body\.market\.min_size must be a decimal number that is not negative/],
    [{ min_notional: 'ten' }, /^body\.market\.min_notional must be a decimal number/],
    [{ maintenance: '1e3' }, /^body\.market\.maintenance must be a decimal number/],
    [{ funding: { assume: '2' } }, /^body\.market\.funding\.assume must be a fraction from -1 to 1/],
    [{ funding: { candle_id: 1, rates: [] } }, /^body\.market\.funding\.rates cannot come with `candle_id`$/],
  ]
  for (const [market, message] of wrong) {
    const [first, ...others] = problemsOf((problems) => readMarketModel(market, perpetual, problems))
    assert.match(first!, message)
    assert.deepEqual(others, [])
  }
  assert.match(
    problemsOf((problems) => readMarketModel({ funding: {} }, 'BTC/USDT', problems)).join(),
    /^body\.market\.funding is only paid on a perpetual/,
  )
  assert.equal(read({ size_step: 1e-7 }).sizeStep, '0.0000001')
})

test('positions of bots with a leverage have isolated margin on futures, unless their margin is that of the account', () => {
  const market = read({ maintenance: '0.01', participation: 0.1, latency_ms: 250 })
  const given = { participation: '0.1', latencyMs: 250 }
  const of = (symbol: string, settings: Parameters<typeof conditionsOf>[1]['settings']) =>
    conditionsOf(market, { symbol, settings }, null)
  assert.deepEqual(of(perpetual, { leverage: 10 }), { ...given, maintenanceRate: '0.01' })
  assert.deepEqual(of(perpetual, { leverage: 10, marginMode: 'cross' }), given)
  assert.deepEqual(of(perpetual, {}), given)
  assert.deepEqual(of('BTC/USDT', { leverage: 10 }), given)
  const bots = [50, 100, null].map((leverage) => ({ settings: { leverage } }))
  assert.deepEqual(
    problemsOf((problems) => checkMargins(market, bots, perpetual, problems)),
    [
      'body.market.maintenance must be below 0.01, got 0.01: with the leverage of bots[1], 100, a position would be liquidated at once',
    ],
  )
})

async function momentsOf(funding: NonNullable<NonNullable<Market>['funding']>, hours = 24) {
  const problems = new Problems()
  const terms = read({ funding }).funding!
  const period = { fromMs: start, toMs: start + hours * hour }
  const asked = { userId: 1, symbol: perpetual, terms, given: funding.rates ?? [], period }
  const moments = await readMoments(undefined as never, asked, problems)
  problems.throwIfAny()
  return moments!.map(({ at, rate, price }) => [(at - start) / hour, rate, price])
}

test('the moments of funding are those of the rates, and what they lack is unknown or assumed', async () => {
  const rates = [
    [start, '0.0001'],
    ['2026-01-01T16:00:00Z', -0.0002, '101.5'],
  ]
  assert.deepEqual(await momentsOf({ rates, every_hours: 8 }), [
    [0, '0.0001', null],
    [8, null, null],
    [16, '-0.0002', '101.5'],
  ])
  assert.deepEqual(await momentsOf({ assume: '0.001', every_hours: 12 }), [
    [0, '0.001', null],
    [12, '0.001', null],
  ])
  assert.equal((await momentsOf({})).length, 3)
  const wrong: [Parameters<typeof momentsOf>[0], RegExp][] = [
    [{ rates: [[start, 5]] }, /body\.market\.funding\.rates\[0\] cannot be used: rate must be a fraction/],
    [
      {
        rates: [
          [start, 0],
          [start, 0],
        ],
      },
      /rates\[1\] cannot be used: each time must be at least a minute later/,
    ],
  ]
  for (const [funding, message] of wrong) await assert.rejects(momentsOf(funding), { message })
  await assert.rejects(momentsOf({ every_hours: 1 }, 200_000), {
    message: /body\.market\.funding has 200000 moments in this time; at most 100000 are allowed/,
  })
})
