/** The part of a bot's address that chooses what is shown. */

import { choiceOf, setOnly, textOf } from '../../base/search.ts'
import { type Interval, intervals } from '../../parts/chart/intervals.ts'

export type BotSearch = { tab?: string; symbol?: string; interval?: Interval }

/** An unknown tab shows the first. */
export function readBotSearch({ tab, symbol, interval }: Record<string, unknown>): BotSearch {
  return setOnly({
    tab: typeof tab === 'string' ? tab : undefined,
    symbol: textOf(symbol, 64),
    interval: choiceOf(intervals, interval),
  })
}
