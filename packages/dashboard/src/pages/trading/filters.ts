/** The filters of all that bots trade. They are part of the address, so that every view is a link. */

import { choiceOf, idOf, setOnly, textOf } from '../../base/search.ts'

const tabs = ['positions', 'orders', 'fills', 'trades'] as const
const modes = ['paper', 'demo', 'live'] as const

export type TradingTab = (typeof tabs)[number]
export type Mode = (typeof modes)[number]

export type TradingFilters = {
  tab?: TradingTab
  bot?: number
  symbol?: string
  /** `demo` is a live bot with an account without money. */
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

type BotLike = { id: number; mode: 'paper' | 'live'; demo: boolean }

export function modeOf({ mode, demo }: Omit<BotLike, 'id'>): Mode {
  return mode === 'live' && demo ? 'demo' : mode
}

/** The bots that the filters leave. `undefined`: all of them, and deleted ones too. */
export function chosenBots(
  { bot, mode }: TradingFilters,
  bots: Iterable<BotLike>,
): readonly number[] | undefined {
  if (mode === undefined) return bot === undefined ? undefined : [bot]
  const ofMode = [...bots].filter((each) => modeOf(each) === mode).map(({ id }) => id)
  return bot === undefined ? ofMode : ofMode.filter((id) => id === bot)
}

/** A file to download, or why there is none. `note` says what the file does not leave out. */
export type Export = { href: string; note: string } | { unavailable: string }

/** What the service can export for a view. Its files have the records of all bots or of one. */
export function exportOf({ tab = 'positions', bot, symbol, mode }: TradingFilters): Export {
  if (tab === 'positions')
    return { unavailable: 'Positions change with each price. Orders, fills and trades have files.' }
  const note = symbol === undefined ? '' : 'The file has all symbols.'
  if (tab === 'trades') {
    if (bot === undefined) return { unavailable: 'The service exports the trades of one bot: choose one.' }
    return { href: `/api/v2/bot/signal/cex/${bot}/trades.csv`, note }
  }
  const path = tab === 'orders' ? '/api/v2/order.csv' : '/api/v2/fill.csv'
  if (bot !== undefined) return { href: `${path}?bot_id=${bot}`, note }
  if (mode !== undefined)
    return { unavailable: 'The service exports one bot or all: choose a bot, or all modes.' }
  return { href: path, note }
}
