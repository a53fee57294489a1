/** The filters of all that bots trade. They are part of the address, so that every view is a link. */

import { choiceOf, idOf, setOnly, textOf } from '../../base/search.ts'
import { type Mode, queryOf } from '../../parts/records/scope.ts'

const tabs = ['positions', 'orders', 'fills', 'trades'] as const
const modes: readonly Mode[] = ['paper', 'demo', 'live']

export type TradingTab = (typeof tabs)[number]

export type TradingFilters = {
  tab?: TradingTab
  bot?: number
  symbol?: string
  mode?: Mode
}

export const modeChoices = [
  { value: 'live', text: 'Live' },
  { value: 'demo', text: 'Demo' },
  { value: 'paper', text: 'Paper' },
] as const satisfies { value: Mode; text: string }[]

export function readTradingFilters({ tab, bot, symbol, mode }: Record<string, unknown>): TradingFilters {
  return setOnly({
    tab: choiceOf(tabs, tab),
    bot: idOf(bot),
    symbol: textOf(symbol, 64),
    mode: choiceOf(modes, mode),
  })
}

const files = { positions: 'position', orders: 'order', fills: 'fill', trades: 'trade' }

/** The address of the file with the records of a view. */
export function exportOf({ tab = 'positions', ...scope }: TradingFilters): string {
  const query = new URLSearchParams(
    Object.entries(queryOf(scope)).map(([name, value]) => [name, String(value)]),
  )
  return `/api/v2/${files[tab]}.csv${query.size === 0 ? '' : `?${query}`}`
}
