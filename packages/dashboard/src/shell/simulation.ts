/** What is simulated, in words: prices, and the orders of bots. */

import { count } from '../base/numbers.ts'

export type Market = 'live' | 'sim' | 'replay'

type BotLike = { mode: 'paper' | 'live'; demo: boolean; status: string; exchange_id: number }

type Facts = {
  market: Market
  isLiveOn: boolean
  bots: readonly BotLike[]
  /** The exchange that makes its prices up, whatever the market is. */
  simulatedId: number | undefined
}

/** For the status bar. `prices` is `null` if they are those of exchanges. */
export function simulationText({ market, isLiveOn, bots }: Pick<Facts, 'market' | 'isLiveOn' | 'bots'>): {
  prices: string | null
  orders: string
} {
  const prices = market === 'live' ? null : market === 'sim' ? 'Simulated prices' : 'Replayed prices'
  if (!isLiveOn) return { prices, orders: 'Paper only' }
  const live = bots.filter(({ mode, demo, status }) => mode === 'live' && !demo && status === 'ACTIVE').length
  return { prices, orders: live === 0 ? 'Live trading on' : `${count(live, 'live bot')} on` }
}

/** The same in full, as names and sentences. */
export function simulationFacts({
  market,
  isLiveOn,
  bots,
  simulatedId,
}: Facts): (readonly [name: string, text: string])[] {
  const onMadeUp = bots.filter(({ exchange_id }) => exchange_id === simulatedId).length
  const others = onMadeUp === 0 ? '' : ` Bots of yours that trade there: ${onMadeUp}.`
  const groups = [
    ['Live bots', bots.filter(({ mode, demo }) => mode === 'live' && !demo), 'Their orders cost real money.'],
    [
      'Demo bots',
      bots.filter(({ mode, demo }) => mode === 'live' && demo),
      'An exchange executes their orders, without real money.',
    ],
    ['Paper bots', bots.filter(({ mode }) => mode === 'paper'), 'Their orders and fills are simulated.'],
  ] as const
  return [
    [
      'Prices',
      market === 'sim'
        ? 'All prices of this service are simulated. None is that of an exchange.'
        : market === 'replay'
          ? 'All prices of this service are replayed from a file. None is current.'
          : `Prices are those of exchanges. Only those of the simulated market are made up.${others}`,
    ],
    [
      'Live trading',
      isLiveOn
        ? 'On: live bots may send orders to exchanges.'
        : 'Off: no order reaches an exchange until an administrator turns it on.',
    ],
    ...groups
      .filter(([, members]) => members.length > 0)
      .map(([name, members, what]) => {
        const on = members.filter(({ status }) => status === 'ACTIVE').length
        return [name, `${members.length}, of which ${on} ${on === 1 ? 'is' : 'are'} on. ${what}`] as const
      }),
  ]
}
