/** The parts of the addresses of backtests that choose what is shown. Each report is a link. */
import { idOf, setOnly, textOf } from '../../base/search.ts'

/** `bot` counts the bots of a backtest from 1, `with` is the backtest that stands beside it, `interval` that of the chart. */
export type BacktestSearch = { tab?: string; bot?: number; with?: number; interval?: string }

/** An unknown tab shows the first. */
export function readBacktestSearch({
  tab,
  bot,
  with: other,
  interval,
}: Record<string, unknown>): BacktestSearch {
  return setOnly({
    ...{ tab: textOf(tab, 20), bot: idOf(bot), with: idOf(other) },
    interval: textOf(interval, 10),
  })
}

/** What a new backtest begins with: a strategy, or the request of an earlier backtest. */
export type NewBacktestSearch = { strategy?: number; again?: number }

export function readNewBacktestSearch({ strategy, again }: Record<string, unknown>): NewBacktestSearch {
  return setOnly({ strategy: idOf(strategy), again: idOf(again) })
}
