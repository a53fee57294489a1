import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { altbtc, eurusd } from '../../test/shared-candles.ts'
import { futuresRules, minuteCandle, noon, plainSettings, spotRules } from '../../test/trading.ts'
import type { MarketRules } from '../market/rules.ts'
import { readCandleFile } from '../market/simulated/candle-file.ts'
import { type Replay, type ReplayCandle, type ReplaySignal, replay, replayCandles } from './replay.ts'
import type { BotSettings } from './types.ts'

const minuteMs = 60_000

function candle(index: number, open: string, close: string): ReplayCandle {
  return minuteCandle(index, { open, close })
}

test('a decision at a close is executed at the next opening, and the last decision is not followed', async () => {
  const candles = [candle(0, '100', '110'), candle(1, '120', '130'), candle(2, '125', '140')]
  const result = await replay({
    rules: futuresRules,
    settings: { ...plainSettings, amount: '120' },
    candles,
    signals: (_, index) => (index === 1 ? null : { action: index === 0 ? 'LONG' : 'EXIT' }),
  })
  assert.deepEqual(
    result.fills.map(({ price, size, filledAt }) => [price, size, filledAt]),
    [['120', '1', noon + minuteMs]],
  )
  assert.deepEqual(
    result.equity.map(({ equity }) => equity),
    ['10000', '10010', '10020'],
  )
  assert.deepEqual(result.unfollowed, [{ action: 'EXIT', at: noon + 3 * minuteMs }])
})

test('a delayed signal is followed at the first opening after its delay, and its age counts from then on', async () => {
  const candles = [candle(0, '100', '110'), candle(1, '120', '130'), candle(2, '125', '140')]
  const { fills, unfollowed } = await replay({
    rules: futuresRules,
    settings: { ...plainSettings, amount: '125', delaySeconds: 90, maxSignalAgeSeconds: 30 },
    candles,
    signals: [
      { action: 'LONG', at: noon },
      { action: 'EXIT', at: noon + minuteMs },
    ],
  })
  assert.deepEqual(
    fills.map(({ price, filledAt }) => [price, filledAt]),
    [['125', noon + 2 * minuteMs]],
  )
  assert.deepEqual(unfollowed, [{ action: 'EXIT', at: noon + minuteMs }])
})

test('the deciding function gets the position and no later candle', async () => {
  const told: (string | null)[] = []
  await replay({
    rules: spotRules,
    settings: plainSettings,
    candles: [candle(0, '100', '100'), candle(1, '100', '100'), candle(2, '100', '100')],
    signals: (_, __, position) => {
      told.push(position.side)
      return { action: position.side === null ? 'LONG' : 'EXIT' }
    },
  })
  assert.deepEqual(told, [null, 'long', null])
})

for (const onLimit of ['stop', 'close'] as const) {
  test(`a replay reaches the daily limit at a close, and then does what on_limit ${onLimit} says`, async () => {
    const { fills, position, outcomes } = await replay({
      rules: futuresRules,
      settings: { ...plainSettings, amount: '1000', maxDailyLoss: '50', onLimit },
      candles: [candle(0, '100', '95'), candle(1, '96', '120'), candle(2, '120', '120')],
      signals: [
        { action: 'LONG', at: noon },
        { action: 'LONG', at: noon + 2 * minuteMs, options: { dilution: true } },
      ],
    })
    const prices = fills.map(({ side, price }) => `${side} ${price}`)
    assert.deepEqual(prices, onLimit === 'close' ? ['buy 100', 'sell 96'] : ['buy 100'])
    assert.equal(position.side, onLimit === 'close' ? null : 'long')
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome.status),
      ['DONE', 'REFUSED'],
    )
    assert.match(outcomes[1]!.outcome.reason!, /^The loss of the bot reached 50 USDT today at 12:01 UTC;/)
  })
}

test('a gap in the candles counts for the age of a signal', async () => {
  const result = await replay({
    rules: spotRules,
    settings: { ...plainSettings, maxSignalAgeSeconds: 60 },
    candles: [candle(0, '100', '100'), candle(5, '100', '100')],
    signals: [{ action: 'LONG', at: noon + minuteMs }],
  })
  assert.match(result.outcomes[0]!.outcome.reason!, /240 s old/)
})

// Calculates the figures of whole files independently, from the text of the candles, in BigInt units of 10^-40.

const one = 10n ** 40n
function units(text: string): bigint {
  const [, sign, whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)!
  return BigInt(`${sign}${whole}${part.padEnd(40, '0')}`)
}
function times(a: bigint, b: bigint): bigint {
  assert.equal((a * b) % one, 0n)
  return (a * b) / one
}

type Row = { openedAt: number; open: bigint; close: bigint }

async function rowsOf(path: string): Promise<Row[]> {
  const [, ...lines] = (await readFile(path, 'utf8')).trim().split('\n')
  return lines.map((line) => {
    const [time, open, , , close] = line.split(',')
    return { openedAt: Number(time), open: units(open!), close: units(close!) }
  })
}

/** Cash and holding after each candle, with a signal at the opening of every n-th candle: long, short, exit, and again. */
function workOut(rows: Row[], every: number, rules: MarketRules, settings: BotSettings) {
  const step = units(rules.sizeStep)
  const slippage = units(settings.slippageRate)
  let cash = 0n
  let held = 0n
  let fees = 0n
  const trade = (size: bigint, open: bigint) => {
    const price = times(open, size > 0n ? one + slippage : one - slippage)
    const worth = times(size, price)
    const fee = times(worth < 0n ? -worth : worth, units(settings.feeRate))
    cash -= worth + fee
    fees += fee
    held += size
  }
  const equities = rows.map(({ open, close }, index) => {
    if (index % every === 0) {
      if (held !== 0n) trade(-held, open)
      const turn = (index / every) % 3
      const size = ((units(settings.amount) * one) / open / step) * step
      if (turn === 0) trade(size, open)
      if (turn === 1 && rules.service === 'futures') trade(-size, open)
    }
    return units(settings.startBalance!) + cash + times(held, close)
  })
  return { equities, fees, cash, held }
}

function signalsOf(rows: Row[], every: number): ReplaySignal[] {
  const actions = ['LONG', 'SHORT', 'EXIT'] as const
  return rows
    .filter((_, index) => index % every === 0)
    .map(({ openedAt }, index) => ({ action: actions[index % 3]!, at: openedAt }))
}

const files = [
  { file: altbtc, every: 17, settings: { amount: '0.05', startBalance: '2', feeRate: '0.001' } },
  { file: eurusd, every: 5, settings: { amount: '2500', startBalance: '10000', feeRate: '0.00002' } },
]

for (const { file, every, settings: changes } of files) {
  for (const base of [futuresRules, spotRules]) {
    test(`books over ${file.name} on ${base.service} match an independent calculation, to the last digit`, {
      skip: file.skip,
    }, async () => {
      const rules = { ...base, sizeStep: '0.01', minSize: '0.01', minNotional: '0.0001' }
      const settings = { ...plainSettings, ...changes, slippageRate: '0.0005' }
      const rows = await rowsOf(file.path)
      const candles = replayCandles(await readCandleFile(file.path))
      const result: Replay = await replay({ rules, settings, candles, signals: signalsOf(rows, every) })

      const expected = workOut(rows, every, rules, settings)
      assert.equal(result.equity.length, file.rows)
      result.equity.forEach(({ equity, balance, unrealised }, index) => {
        assert.equal(units(equity), expected.equities[index], `candle ${index}`)
        assert.equal(units(balance) + units(unrealised), units(equity))
      })
      assert.equal(units(result.position.fees), expected.fees)
      assert.equal(result.outcomes.length, Math.ceil(rows.length / every))
      assert.ok(result.fills.length > 500)
      if (expected.held === 0n) assert.equal(units(result.position.realised), expected.cash)
      assert.ok(result.orders.every(({ status }) => status === 'FILLED'))
    })
  }
}
