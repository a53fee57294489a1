import { type Static, Type } from 'typebox'
import { type Decimal, Decimal as Decimals, plain } from '../../base/decimals.ts'
import { readableMoney, readablePrice } from '../../base/readable.ts'
import type { Realised } from '../../trading/statistics/calendar.ts'
import type { Fall } from '../../trading/statistics/drawdown.ts'
import type { Held } from '../../trading/statistics/holding.ts'
import type { Tallied } from '../../trading/statistics/tally.ts'
import type { ShownBot } from '../bot.ts'
import type { BotStatistics, Group, StrategyGroup } from './statistics.ts'

const text = (description: string) => Type.String({ description })
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const count = (description: string) => Type.Integer({ description })
const NullableTime = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])

const realisedFields = {
  realised: text('Realised profit and loss, after fees and with funding.'),
  fees: text('In quote currency.'),
  funding: text('Negative if the bots paid.'),
}

const TradeFigures = Type.Object(
  {
    closed: count('Trades that ended in the period. The figures below are about these.'),
    open: count('Trades that were open at the end of the period.'),
    won: Type.Integer(),
    lost: Type.Integer(),
    even: Type.Integer(),
    win_rate_percent: nullable('`null` without trades.'),
    profit_factor: nullable('What was won for each unit that was lost; `null` if nothing was lost.'),
    expectancy: nullable('The average profit of a trade; `null` without trades.'),
    average_win: nullable('`null` if none won.'),
    average_loss: nullable('`null` if none lost.'),
    largest_win: nullable('`null` if none won.'),
    largest_loss: nullable('`null` if none lost.'),
    longest_losing_streak: count('The most trades in a row that lost, in the order of their ends.'),
    average_duration_seconds: Type.Union([Type.Number(), Type.Null()]),
  },
  { description: 'Profits of trades are after all costs.' },
)

/** What bots, accounts and strategies have in common. */
const sums = {
  currency: nullable('All amounts of money are in this currency. `null` if the symbols do not show it.'),
  ...realisedFields,
  profit_before_costs: text('`realised` before fees and funding.'),
  uncounted_fees: Type.Record(Type.String(), Type.String(), {
    description: 'Fees of the closed trades in assets without a known price. No other figure includes them.',
  }),
  trades: TradeFigures,
}

const figures = {
  ...sums,
  days: Type.Array(Type.Object({ day: Type.String({ format: 'date' }), ...realisedFields }), {
    description: 'What each day (UTC) realised, the earliest first, without days on which nothing was.',
  }),
  months: Type.Array(Type.Object({ month: text('Such as `2026-03`.'), ...realisedFields }), {
    description: 'The same for each month.',
  }),
}

const period = { since: NullableTime, until: NullableTime }

export const FallRecord = Type.Union([
  Type.Object({
    amount: Type.String(),
    percent: nullable('Of the peak; `null` if the peak is not above zero.'),
    peak_at: Type.String({ format: 'date-time' }),
    lowest_at: Type.String({ format: 'date-time' }),
  }),
  Type.Null(),
])

const HeldSymbol = Type.Object({
  symbol: Type.String(),
  from_price: text('The price of the first fill in the period.'),
  from_at: Type.String({ format: 'date-time' }),
  to_price: text('The price of the last fill in the period.'),
  to_at: Type.String({ format: 'date-time' }),
  change_percent: nullable('`null` if there is only one fill.'),
})

/** The most symbols that a response lists. */
const mostSymbols = 100

export const BotStatsRecord = Type.Object({
  bot_id: Type.Integer(),
  mode: Type.Enum(['paper', 'live']),
  demo: Type.Boolean(),
  ...period,
  start_equity: nullable('The equity at the start of the period; `null` while the start balance is unknown.'),
  end_equity: nullable(
    'The equity at the end of the period, or now; `null` if it is unknown, or a current price is.',
  ),
  return_percent: nullable(
    'The change from `start_equity` to `end_equity`; `null` if one is unknown, or the first is not above zero.',
  ),
  max_drawdown: FallRecord,
  steepest_drawdown: FallRecord,
  exposure_percent: nullable('For how much of the time since the first fill at least one position was open.'),
  ...figures,
  other_currencies: Type.Array(Type.String(), {
    description: 'Quote currencies of other fills of the bot. No figure includes these fills.',
  }),
  holding: Type.Object(
    {
      change_percent: nullable('For equal parts in each symbol; `null` if the change of one is unknown.'),
      profit: nullable('That change of `start_equity`; `null` if it is unknown or not above zero.'),
      symbols: Type.Array(HeldSymbol, { description: `At most ${mostSymbols}.` }),
      symbol_count: Type.Integer(),
    },
    {
      description:
        'What holding the traded symbols would have earned, by the prices of the fills, without costs.',
    },
  ),
})

const ofGroup = {
  mode: Type.Union([Type.Enum(['paper', 'live']), Type.Null()], {
    description: '`null`: bots that were deleted, whose mode is unknown.',
  }),
  demo: Type.Union([Type.Boolean(), Type.Null()]),
  bots: Type.Integer({ description: 'How many bots the figures are from.' }),
}
const Groups = { description: 'One for each mode and currency. Nothing adds up different ones.' }

export const StatsRecord = Type.Object({
  ...period,
  strategy_id: Type.Union([Type.Integer(), Type.Null()]),
  groups: Type.Array(Type.Object({ ...ofGroup, ...figures }), Groups),
})

export const StrategyStatsRecord = Type.Object({
  ...period,
  strategies: Type.Array(
    Type.Object({
      strategy_id: Type.Union([Type.Integer(), Type.Null()], {
        description: '`null`: trades that no strategy opened, such as those of signals from outside.',
      }),
      groups: Type.Array(Type.Object({ ...ofGroup, ...sums }), Groups),
    }),
    { description: 'Strategies that opened trades, by their ids.' },
  ),
})

export type Span = { since: string | null; until: string | null }

export function presentBotStats(
  bot: ShownBot,
  stats: BotStatistics,
  span: Span,
): Static<typeof BotStatsRecord> {
  const { startEquity, heldPercent } = stats
  const heldProfit =
    startEquity === null || heldPercent === null || !startEquity.gt('0')
      ? null
      : startEquity.times(heldPercent).div('100')
  return {
    ...{ bot_id: bot.id, mode: bot.mode, demo: bot.isDemo, ...span },
    start_equity: money(startEquity),
    end_equity: money(stats.endEquity),
    return_percent: percent(stats.returnPercent),
    max_drawdown: presentFall(stats.drawdowns.largest),
    steepest_drawdown: presentFall(stats.drawdowns.steepest),
    exposure_percent: percent(stats.exposurePercent),
    currency: stats.currency,
    ...presentTallied(stats),
    other_currencies: stats.otherCurrencies,
    holding: {
      change_percent: percent(heldPercent),
      profit: money(heldProfit),
      symbols: stats.held.slice(0, mostSymbols).map(presentHeld),
      symbol_count: stats.held.length,
    },
  }
}

export function presentStats(
  groups: readonly Group[],
  span: Span,
  strategyId: number | undefined,
): Static<typeof StatsRecord> {
  const shown = groups.map((group) => ({ ...presentGroup(group), ...presentTallied(group.tallied) }))
  return { ...span, strategy_id: strategyId ?? null, groups: shown }
}

export function presentStrategyStats(
  groups: readonly StrategyGroup[],
  span: Span,
): Static<typeof StrategyStatsRecord> {
  const byStrategy = [...Map.groupBy(groups, ({ strategyId }) => strategyId)]
  byStrategy.sort(([one], [other]) => (one ?? 0) - (other ?? 0))
  const strategies = byStrategy.map(([strategy_id, own]) => ({
    strategy_id,
    groups: own.map((group) => ({ ...presentGroup(group), ...presentSums(group.tallied) })),
  }))
  return { ...span, strategies }
}

function presentGroup({ mode, isDemo, currency, bots }: Group) {
  return { mode, demo: isDemo, bots, currency }
}

function presentTallied({ days, months, ...sums }: Tallied) {
  return {
    ...presentSums(sums),
    days: days.map(([day, each]) => ({ day, ...presentRealised(each) })),
    months: months.map(([month, each]) => ({ month, ...presentRealised(each) })),
  }
}

function presentSums({ gross, realised, closed, open, uncounted }: Omit<Tallied, 'days' | 'months'>) {
  const { won, lost, even, longestLosingStreak } = closed
  return {
    ...presentRealised(realised),
    profit_before_costs: readableMoney(gross),
    uncounted_fees: Object.fromEntries([...uncounted].map(([asset, fee]) => [asset, plain(fee)])),
    trades: {
      ...{ closed: closed.count, open, won, lost, even },
      win_rate_percent: percent(closed.winRatePercent),
      profit_factor: percent(closed.profitFactor),
      expectancy: money(closed.expectancy),
      average_win: money(closed.averageWin),
      average_loss: money(closed.averageLoss),
      largest_win: money(closed.largestWin),
      largest_loss: money(closed.largestLoss),
      longest_losing_streak: longestLosingStreak,
      average_duration_seconds: closed.averageOpenMs === null ? null : closed.averageOpenMs / 1000,
    },
  }
}

function presentRealised({ profit, fees, funding }: Realised) {
  return { realised: readableMoney(profit), fees: readableMoney(fees), funding: readableMoney(funding) }
}

export function presentFall(fall: Fall | null): Static<typeof FallRecord> {
  if (fall === null) return null
  return {
    amount: readableMoney(fall.amount),
    percent: percent(fall.percent),
    peak_at: new Date(fall.peakAt).toISOString(),
    lowest_at: new Date(fall.lowestAt).toISOString(),
  }
}

function presentHeld({ symbol, from, to, changePercent }: Held): Static<typeof HeldSymbol> {
  return {
    symbol,
    from_price: readablePrice(from.price),
    from_at: new Date(from.at).toISOString(),
    to_price: readablePrice(to.price),
    to_at: new Date(to.at).toISOString(),
    change_percent: percent(changePercent),
  }
}

function money(amount: Decimal | null): string | null {
  return amount && readableMoney(amount)
}

/** Four decimals: a hundredth of a basis point. */
/** A percentage for a reader: at most 4 decimals. */
export function percent(value: Decimal | null): string | null {
  return value && plain(value.round(4, Decimals.roundHalfUp))
}
