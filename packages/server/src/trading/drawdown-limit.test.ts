import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { minuteCandle, noon, PaperBench, plainSettings, spotRules } from '../../test/trading.ts'
import { decimal, plain } from '../base/decimals.ts'
import { VenueUnreachable } from '../market/price-source.ts'
import { drawdownReached, drawdownRefusal, equityOf } from './drawdown-limit.ts'
import { flatPosition } from './ledger.ts'
import { replay } from './replay.ts'

const cents = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((count) => plain(decimal(String(count)).div('100')))

test('a bot is stopped exactly from the limit on, and a bot that is stopped is refused', () => {
  fc.assert(
    fc.property(
      ...([cents(-10_000, 1_000_000), cents(1, 1_000_000), fc.integer({ min: 1, max: 9_999 })] as const),
      (equity, highest, limit) => {
        const maxDrawdown = plain(decimal(String(limit)).div('100'))
        const input = { equity: { amount: equity }, highest, maxDrawdown, stopped: null }
        const lost = BigInt(Math.round((Number(highest) - Number(equity)) * 100)) * 10_000n
        const most = BigInt(Math.round(Number(highest) * 100)) * BigInt(limit)
        const reached = drawdownReached(input, noon)
        assert.equal(reached !== null, lost >= most)
        assert.equal(drawdownRefusal(input, 'USDT') !== null, lost >= most)
        if (reached === null) return
        // Nothing but a reset lets it open again.
        const later = { ...input, equity: { amount: '9999999' }, stopped: { at: noon, equity } }
        assert.equal(drawdownReached(later, noon), null)
        assert.equal(drawdownRefusal(later, 'USDT'), drawdownRefusal(input, 'USDT'))
      },
    ),
  )
})

test('an equity that nobody knows refuses, and never stops', () => {
  const position = { ...flatPosition(), side: 'long', size: '1', entryPrice: '10' } as const
  const held = [{ symbol: 'A/USDT', position, price: null }]
  const equity = equityOf({ startBalance: '100', realised: '0', held })
  const input = { equity, highest: '100', maxDrawdown: '20', stopped: null }
  assert.equal(drawdownReached(input, noon), null)
  assert.equal(
    drawdownRefusal(input, 'USDT'),
    'There is no current price of A/USDT, so nobody knows the equity of the bot, and it opens nothing (max_drawdown).',
  )
  const unknown = equityOf({ startBalance: null, realised: '0', held: [] })
  assert.match(
    drawdownRefusal({ ...input, equity: unknown }, 'USDT')!,
    /^The start balance .* not known yet,/,
  )
  const worthless = { ...input, equity: { amount: '0' }, highest: '0' }
  assert.match(drawdownRefusal(worthless, 'USDT')!, /highest equity of the bot is 0 USDT/)
})

const reason =
  'The equity of the bot fell to 780 USDT, 22 % below its highest of 1000 USDT; from 20 %, it opens nothing until its owner resets it (max_drawdown).'

test('a bot that has fallen too far opens nothing more, even if the price recovers, and closes', async () => {
  const settings = { maxDrawdown: '20', startBalance: '1000', amount: '500' }
  const bench = new PaperBench({ settings })
  await bench.follow('LONG')
  bench.price = '56'
  const refused = await bench.follow('LONG', { dilution: true })
  assert.deepEqual(refused, { status: 'REFUSED', reason })
  bench.price = '200'
  assert.equal((await bench.follow('LONG', { dilution: true })).reason, reason)
  const flip = await bench.follow('SHORT')
  assert.equal(flip.reason, `The position was closed, but no new one was opened. ${reason}`)
})

test('the highest equity counts what open positions had gained', async () => {
  const settings = { maxDrawdown: '20', startBalance: '1000', amount: '500', amountUnit: 'quote' } as const
  const bench = new PaperBench({ settings })
  await bench.follow('LONG')
  bench.price = '200'
  assert.equal((await bench.follow('LONG', { dilution: true, size: 10 })).status, 'DONE')
  bench.price = '139.9'
  assert.match((await bench.follow('LONG', { dilution: true })).reason!, /of 1500 USDT; from 20 %/)
})

test('without a price of another position, nobody knows the equity', async () => {
  const bench = new PaperBench({ settings: { maxDrawdown: '20' } })
  const other = { clientOrderId: 'before', symbol: 'ETH/USDT:USDT', side: 'buy', size: '1' } as const
  await bench.books.plan(0, { ...other, purpose: 'open', reduceOnly: false })
  const fill = { tradeId: '1', size: '1', price: '100', fee: '0', feeAsset: 'USDT', filledAt: noon }
  const report = { exchangeOrderId: null, status: 'FILLED', executions: [fill], reason: null } as const
  await bench.books.report('before', { ...report, executions: [fill] }, { ...bench.rules, feeRates: {} })
  assert.match((await bench.follow('LONG')).reason!, /no current price of ETH\/USDT:USDT, so nobody knows/)
  bench.price = new VenueUnreachable('There is no price.')
  assert.equal((await bench.follow('EXIT')).status, 'IGNORED')
})

test('a replay that falls too far closes at the next opening, and opens nothing more', async () => {
  const { fills, outcomes } = await replay({
    rules: spotRules,
    settings: { ...plainSettings, amount: '500', startBalance: '1000', maxDrawdown: '20' },
    candles: [
      minuteCandle(0, { open: '100' }),
      minuteCandle(1, { open: '100', close: '56' }),
      minuteCandle(2, { open: '60', close: '200' }),
      minuteCandle(3, { open: '200' }),
    ],
    signals: [
      { action: 'LONG', at: noon },
      { action: 'LONG', at: noon + 180_000 },
    ],
  })
  assert.deepEqual(
    fills.map(({ side, price }) => `${side} ${price}`),
    ['buy 100', 'sell 60'],
  )
  assert.deepEqual(outcomes.at(-1)!.outcome, { status: 'REFUSED', reason })
})
