/** Reads markets from a stand-in of the prediction exchanges, through the real ccxt. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { startPredictions } from '../../../test/exchanges/predictions.ts'
import { fastPace, type LogLine } from '../../../test/live-prices.ts'
import { readEntries } from '../../catalogue/entries.ts'
import type { Pace } from '../live/pace.ts'
import { PredictionMarkets } from './prediction-markets.ts'

const venues = readEntries().filter(({ type }) => type === 'PREDICTION')
const venue = (exchange: string) => venues.find((each) => each.exchange === exchange)!
const unreachable = { name: 'VenueUnreachable' }

async function open(t: TestContext, pace: Partial<Pace> = {}) {
  const standIn = await startPredictions()
  t.after(() => standIn[Symbol.asyncDispose]())
  const lines: LogLine[] = []
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const { endpoints } = standIn
  const markets = new PredictionMarkets({
    endpoints: { polymarket: endpoints, limitless: endpoints, kalshi: endpoints },
    ...{ logger, pace: { ...fastPace, ...pace }, now: () => 1_800_000_000_000 },
  })
  t.after(() => markets.close())
  const read = (exchange: string, slug: string, userId = 1) => markets.read(userId, venue(exchange), slug)
  return { standIn, markets, read, lines, calls: (path: string) => standIn.restCalls().get(path) ?? 0 }
}

test('a market of each exchange is read with its outcomes, in the same fields', async (t) => {
  const { read } = await open(t)
  const { description, ...rain } = await read('polymarket', 'will-it-rain')
  assert.match(description!, /^This market resolves/)
  assert.deepEqual(rain, {
    ...{ exchange_id: 15, exchange: 'Polymarket', slug: 'will-it-rain', id: `0x${'3d'.repeat(32)}` },
    ...{ question: 'Will it rain in Paris on May 1?', status: 'OPEN', active: true },
    closes_at: '2027-05-01T12:00:00.000Z',
    outcomes: [
      { name: 'Yes', token_id: '7132', price: 0.0455, won: null },
      { name: 'No', token_id: '5267', price: 0.9545, won: null },
    ],
    ...{ volume: 549_414.493468, volume_unit: 'USDC', url: 'https://polymarket.com/market/will-it-rain' },
    read_at: '2027-01-15T08:00:00.000Z',
  })
  const out = await read('limitless', 'OUT-before-2027')
  assert.deepEqual(
    [out.question, out.closes_at, out.volume, out.outcomes],
    [
      'Out before 2027?',
      '2027-01-01T04:59:00.000Z',
      290.091252,
      [
        { name: 'Yes', token_id: '5615', price: 0.164, won: null },
        { name: 'No', token_id: '3257', price: 0.836, won: null },
      ],
    ],
  )
  const balance = await read('kalshi', 'kxbalance-29')
  assert.deepEqual(
    [balance.slug, balance.id, balance.volume, balance.volume_unit, balance.url],
    ['KXBALANCE-29', null, 40_208, 'contracts', null],
  )
  assert.deepEqual(
    balance.outcomes.map(({ name, token_id, price }) => [name, token_id, price]),
    [
      ['Yes', null, 0.11],
      ['No', null, 0.89],
    ],
  )
})

test('a decided market says who won, and a disputed one does not', async (t) => {
  const { read } = await open(t)
  const decided = await read('polymarket', 'did-it-rain')
  assert.deepEqual([decided.status, decided.active], ['RESOLVED', false])
  assert.deepEqual(
    decided.outcomes.map(({ won }) => won),
    [true, false],
  )
  const disputed = await read('polymarket', 'who-objects')
  assert.deepEqual([disputed.status, disputed.outcomes[0]!.won], ['CLOSED', null])
})

test('all who ask for a market share one request, also for one that does not exist', async (t) => {
  const { read, calls } = await open(t)
  await Promise.all(Array.from({ length: 50 }, (_, userId) => read('polymarket', 'will-it-rain', userId)))
  await read('polymarket', 'Will-It-Rain')
  assert.equal(calls('/markets/slug/will-it-rain'), 1)
  for (let times = 0; times < 2; times++) {
    await assert.rejects(read('polymarket', 'nothing'), {
      name: 'NoSuchMarket',
      message: 'Polymarket has no market "nothing".',
    })
  }
  assert.equal(calls('/markets/slug/nothing'), 1)
})

test('a name that no market can have asks nobody', async (t) => {
  const { read, standIn } = await open(t)
  for (const slug of ['..', '../events', 'a/b', 'a?b=c', 'a#b', '%2e%2e', ' ', '', 'ä', '\0']) {
    await assert.rejects(read('limitless', slug), { name: 'NoSuchMarket' }, slug)
  }
  assert.equal(standIn.restCalls().size, 0)
})

test('a group of markets names some of its members', async (t) => {
  const { read } = await open(t)
  await assert.rejects(read('limitless', 'which-month'), { name: 'NoSuchMarket', message: /may, june/ })
})

test('an exchange that does not answer is left alone for a while, and says why', async (t) => {
  const { read, standIn, calls, lines } = await open(t, { firstPauseMs: 60_000, maxPauseMs: 60_000 })
  standIn.failRest({ status: 503, body: '<html>' })
  await assert.rejects(read('polymarket', 'will-it-rain'), {
    ...unreachable,
    message: 'Polymarket cannot be reached: it is not available (HTTP 503).',
  })
  standIn.failRest(undefined)
  await assert.rejects(read('polymarket', 'did-it-rain'), unreachable)
  assert.equal(calls('/markets/slug/did-it-rain'), 0)
  assert.equal((await read('kalshi', 'KXBALANCE-29')).active, true)
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['Polymarket: its markets cannot be read'],
  )
})

test('an answer that is no market keeps nobody from reading others', async (t) => {
  const { read, standIn } = await open(t)
  for (const body of ['{}', '[]', '{"slug":"a"}', '{"slug":1,"question":null}', 'null', '"x"']) {
    standIn.failRest({ status: 200, body }, /strange/)
    await assert.rejects(read('polymarket', `strange-${body.length}${body.charCodeAt(1)}`), {
      ...unreachable,
      message: 'The answer of Polymarket could not be read.',
    })
  }
  assert.equal((await read('polymarket', 'will-it-rain')).active, true)
})

test('numbers that no price can have are no prices', async (t) => {
  const { read, standIn } = await open(t)
  const outcomePrices = '["NaN", "1e999", "-1", "2", "", null]'
  const strange = { slug: 'strange', question: 'Q?', outcomes: '["a","b","c","d","e","f"]', outcomePrices }
  standIn.failRest(
    { status: 200, body: JSON.stringify({ ...strange, volume: 'much', endDate: 'soon' }) },
    /./,
  )
  const market = await read('polymarket', 'strange')
  assert.deepEqual([market.volume, market.closes_at, market.status], [null, null, 'CLOSED'])
  assert.deepEqual(new Set(market.outcomes.map(({ price }) => price)), new Set([null]))
})

test('every prediction exchange of the catalogue can be read, or says why not', async (t) => {
  const { read } = await open(t)
  const refused: string[] = []
  for (const { exchange } of venues) {
    await read(exchange, 'will-it-rain').catch((error: Error & { code?: string }) => {
      if (error.name === 'NoSuchMarket') return
      assert.equal(error.code, 'resource_conflict', String(error))
      assert.doesNotMatch(error.message, /does not know how/)
      refused.push(exchange)
    })
  }
  assert.deepEqual(refused.sort(), ['binance', 'hyperliquid', 'myriad', 'opinion', 'predictfun', 'sxbet'])
})

test('an account may read only so many markets at once', async (t) => {
  const { read } = await open(t)
  const answers = await Promise.allSettled(
    Array.from({ length: 40 }, (_, at) => read('polymarket', `nothing-${at}`)),
  )
  const limited = answers.filter((each) => each.status === 'rejected' && each.reason.code === 'rate_limited')
  assert.ok(limited.length >= 10, String(limited.length))
  assert.equal((await read('polymarket', 'will-it-rain', 2)).active, true)
})
