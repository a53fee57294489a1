import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulationFacts, simulationText } from './simulation.ts'

const bot = (mode: 'paper' | 'live', status = 'ACTIVE', demo = false, exchange_id = 2) => ({
  ...{ mode, status, demo, exchange_id },
})

test('the bar says whether prices are simulated, and whether orders can cost money', () => {
  const bots = [bot('paper'), bot('live'), bot('live', 'INACTIVE'), bot('live', 'ACTIVE', true)]
  const text = (market: 'live' | 'sim' | 'replay', isLiveOn: boolean, own = bots) =>
    Object.values(simulationText({ market, isLiveOn, bots: own }))
  assert.deepEqual(text('sim', false), ['Simulated prices', 'Paper only'])
  assert.deepEqual(text('replay', true, []), ['Replayed prices', 'Live trading on'])
  assert.deepEqual(text('live', true), [null, '1 live bot on'])
  assert.deepEqual(text('live', true, [bot('live', 'ACTIVE', true)]), [null, 'Live trading on'])
})

test('the facts name the prices that are made up, and each kind of bot', () => {
  const bots = [bot('paper', 'ACTIVE', false, 472), bot('paper', 'INACTIVE'), bot('live', 'ACTIVE', true)]
  const facts = simulationFacts({ market: 'live', isLiveOn: true, bots, simulatedId: 472 })
  assert.deepEqual(facts, [
    [
      'Prices',
      'Prices are those of exchanges. Only those of the simulated market are made up. Bots of yours that trade there: 1.',
    ],
    ['Live trading', 'On: live bots may send orders to exchanges.'],
    ['Demo bots', '1, of which 1 is on. An exchange executes their orders, without real money.'],
    ['Paper bots', '2, of which 1 is on. Their orders and fills are simulated.'],
  ])
  const [prices] = simulationFacts({ market: 'sim', isLiveOn: false, bots: [], simulatedId: undefined })
  assert.match(prices![1], /^All prices of this service are simulated/)
})
