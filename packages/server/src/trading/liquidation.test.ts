import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, PaperBench, spotRules } from '../../test/trading.ts'
import { VenueUnreachable } from '../market/price-source.ts'
import type { AccountPosition } from './account.ts'
import { accountUsedUp } from './account-worth.ts'
import { flatPosition } from './ledger.ts'
import { liquidationProblem, liquidationRefusal } from './liquidation.ts'
import { lateStopProblem } from './opening-margin.ts'
import { noProtection } from './protection/settings.ts'

const isolated = { leverage: 20, marginMode: 'isolated' } as const
const long = { settings: isolated, rules: futuresRules, side: 'buy', price: '100' } as const

test('a stop beyond the price at which an isolated margin is used up is refused, with both figures', () => {
  assert.equal(
    liquidationRefusal({ ...long, stop: '94' }),
    'At a leverage of 20, the margin of an isolated long opened at 100 is used up at 95, and its stop would be at 94, too late. Lower the leverage, or use a closer stop.',
  )
  assert.notEqual(liquidationRefusal({ ...long, stop: '95' }), null)
  assert.equal(liquidationRefusal({ ...long, stop: '95.01' }), null)
  const short = { ...long, side: 'sell' } as const
  assert.match(
    liquidationRefusal({ ...short, stop: '106' })!,
    /isolated short opened at 100 is used up at 105/,
  )
  assert.equal(liquidationRefusal({ ...short, stop: '104' }), null)
  // Nobody can know it for these.
  for (const settings of [
    {},
    { leverage: 20 },
    { marginMode: 'isolated' },
    { ...isolated, marginMode: 'cross' },
  ] as const)
    assert.equal(liquidationRefusal({ ...long, settings, stop: '1' }), null)
  assert.equal(liquidationRefusal({ ...long, rules: spotRules, stop: '1' }), null)
})

test('what the account has counts where the bot sets nothing, if its exchange says it', async () => {
  const stop = () => ({ price: '94' })
  type Found = { leverage: string | null; mode: string | null } | VenueUnreachable
  let asked = 0
  const problem = (settings: { leverage?: number; marginMode?: 'cross' | 'isolated' }, found: Found) => {
    const marginOf = async () => {
      asked += 1
      if (found instanceof VenueUnreachable) throw found
      return found
    }
    return lateStopProblem({ kind: 'live', marginOf }, { ...long, settings: { ...unset, ...settings }, stop })
  }
  const unset = { leverage: null, marginMode: null }
  const ofAccount = { leverage: '20', mode: 'isolated' }
  assert.match(
    (await problem({}, ofAccount))!,
    /At a leverage of 20, .* used up at 95, and its stop would be at 94/,
  )
  assert.match((await problem({ marginMode: 'isolated' }, ofAccount))!, /a leverage of 20/)
  assert.match((await problem({ leverage: 50 }, ofAccount))!, /a leverage of 50/)
  assert.equal(await problem({ leverage: 2 }, ofAccount), null)
  // Nobody can know it for these.
  assert.equal(await problem({}, { leverage: '20', mode: 'cross' }), null)
  assert.equal(await problem({ marginMode: 'isolated' }, { leverage: '20', mode: 'cross' }), null)
  for (const leverage of [null, '0', '', 'NaN'])
    assert.equal(await problem({}, { leverage, mode: 'isolated' }), null)
  assert.equal(await problem({}, new VenueUnreachable('away')), null)
  asked = 0
  assert.notEqual(await problem(isolated, ofAccount), null)
  assert.equal(await problem({ marginMode: 'cross' }, ofAccount), null)
  const none = { ...long, settings: unset, stop: () => ({ reason: 'none' }) }
  const marginOf = () => assert.fail('asked without a stop')
  assert.equal(await lateStopProblem({ kind: 'live', marginOf }, none), null)
  assert.equal(await lateStopProblem({ kind: 'paper', marginOf }, { ...none, stop }), null)
  assert.equal(asked, 0)
})

test('the stop of an open position must come before the price at which the exchange liquidates it', () => {
  assert.equal(
    liquidationProblem('long', '79', '80'),
    'The position would be liquidated at 80, and its stop would be at 79, too late.',
  )
  assert.match(liquidationProblem('short', '120', '120')!, /at 120, and its stop would be at 120, too late/)
  assert.equal(liquidationProblem('long', '80.01', '80'), null)
  assert.equal(liquidationProblem('short', '119.99', '120'), null)
})

test('an opening whose stop would cost the whole account is refused, if nothing else can gain meanwhile', async () => {
  let asked = 0
  const refusal = async ({
    side = 'buy' as 'buy' | 'sell',
    worth = '50',
    last = worth as string | null,
    currency = 'USDT',
    positions = [] as Pick<AccountPosition, 'symbol' | 'side' | 'size'>[],
    coins = 'USDT',
  }) => {
    const position = { marginMode: null, leverage: null, entryPrice: null, liquidationPrice: null }
    const account = {
      equity: async () => {
        asked += 1
        return { currency, amount: worth }
      },
      positions: async () => positions.map((one) => ({ ...position, ...one })),
      balances: async () => [{ asset: coins, total: '1', free: '1' }],
    }
    const books = { accountEquity: async () => (last === null ? null : { currency, amount: last }) }
    const stop = () => ({ price: side === 'buy' ? '90' : '110' })
    // A loss of 50 at the stop.
    const opening = { side, price: '100', size: '5', stop, position: flatPosition() }
    return accountUsedUp({ books, account }, futuresRules, opening)
  }
  assert.equal(
    await refusal({}),
    'The account is worth 50 USDT, which a long of 5 from 100 on has used up at 90, and its stop would be at 90, too late. Open less, or use a closer stop.',
  )
  assert.match((await refusal({ side: 'sell' }))!, /a short of 5 from 100 on has used up at 110/)
  const { symbol } = futuresRules
  assert.match(
    (await refusal({ worth: '99', last: '40', positions: [{ symbol, side: 'long', size: '5' }] }))!,
    /of 10 from/,
  )
  asked = 0
  assert.equal(await refusal({ worth: '51' }), null)
  assert.equal(await refusal({ last: null }), null)
  assert.equal(await refusal({ currency: 'USD' }), null)
  assert.equal(asked, 0, 'a usual opening asks nothing')
  assert.equal(await refusal({ worth: '51', last: '50' }), null)
  assert.equal(await refusal({ positions: [{ symbol, side: 'short', size: '1' }] }), null)
  assert.equal(await refusal({ positions: [{ symbol: 'ETH/USDT:USDT', side: 'long', size: '1' }] }), null)
  assert.equal(await refusal({ side: 'sell', coins: 'BTC' }), null)
})

test('a live bot refuses such an opening, and gives the others what the account must have', async () => {
  const settings = { ...isolated, protection: { ...noProtection, stop_loss: '6%' } }
  const bench = new PaperBench({ settings })
  const placed: unknown[] = []
  const live = {
    kind: 'live' as const,
    rules: (symbol: string) => bench.venue.rules(symbol),
    price: (symbol: string) => bench.venue.price(symbol),
    place: (order: Parameters<typeof bench.venue.place>[0]) => {
      placed.push(order.margin)
      return bench.venue.place(order)
    },
    lookUp: (order: Parameters<typeof bench.venue.lookUp>[0]) => bench.venue.lookUp(order),
    cancel: async () => undefined,
  }
  const { status, reason } = await bench.follow('LONG', {}, { venue: live })
  assert.equal(status, 'REFUSED')
  assert.match(reason!, /is used up at 95, and its stop would be at 94/)
  await bench.follow('LONG', { protection: { stop_loss: '96' } }, { venue: live })
  await bench.follow('EXIT', {}, { venue: live })
  assert.deepEqual(placed, [{ leverage: 20, mode: 'isolated' }, undefined])
  // On paper, nothing is liquidated.
  assert.equal((await new PaperBench({ settings }).follow('LONG')).status, 'DONE')
})
