/** What open positions are worth: sums that never mix currencies, or paper and money. */

import { productOf, sumOf } from '../../base/decimals.ts'
import { quoteOf } from '../../base/symbols.ts'
import { modeOf } from '../../parts/records/scope.ts'

type PositionLike = {
  bot_id: number
  symbol: string
  size: string
  price: string | null
  unrealised: string | null
}
type BotLike = { mode: 'paper' | 'live'; demo: boolean }

export type Total = {
  key: string
  mode: 'paper' | 'live'
  demo: boolean
  /** `null`: the symbols do not show it, so nothing is added up. */
  currency: string | null
  positions: number
  value: string | null
  unrealised: string | null
  /** How many have no price now. The sums do not contain them. */
  unknown: number
}

/** The value of a position at the current price. */
export function positionValue({ size, price }: Pick<PositionLike, 'size' | 'price'>): string | null {
  return price === null ? null : productOf(size, price)
}

/** One total for each mode and currency, live first. Positions of bots that are not known are left out. */
export function totalsOf(
  positions: Iterable<PositionLike>,
  bots: { get(id: number): BotLike | undefined },
): Total[] {
  const known = [...positions].flatMap((position) => {
    const bot = bots.get(position.bot_id)
    return bot === undefined ? [] : { position, bot, currency: quoteOf(position.symbol) }
  })
  const groups = Map.groupBy(known, ({ bot, currency }) => `${modeOf(bot)} ${currency}`)
  return [...groups]
    .map(([key, members]): Total => {
      const { bot, currency } = members[0]!
      const priced = members.filter(({ position }) => position.price !== null)
      const sum = (values: (string | null)[]) =>
        currency === null ? null : sumOf(values.map((value) => value ?? '0'))
      return {
        ...{ key, mode: bot.mode, demo: bot.demo, currency, positions: members.length },
        value: sum(priced.map(({ position }) => positionValue(position))),
        unrealised: sum(priced.map(({ position }) => position.unrealised)),
        unknown: members.length - priced.length,
      }
    })
    .sort((one, other) => rank(one) - rank(other) || one.key.localeCompare(other.key))
}

function rank(total: BotLike): number {
  return ['live', 'demo', 'paper'].indexOf(modeOf(total))
}
