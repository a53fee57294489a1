/** The parts of the addresses of bots that choose what is shown. */

import { choiceOf, idOf, type Open, setOnly, textOf, withOpen } from '../../base/search.ts'
import { type Interval, intervals } from '../../parts/chart/intervals.ts'
import { type AnyFolder, type ChosenFolder, isInFolder, readFolder } from '../../parts/folders/tree.ts'

type BotView = { tab?: string; symbol?: string; interval?: Interval }

/** `open`: the result of a signal that is shown beside the list of them. */
export type BotSearch = BotView & Open

/** An unknown tab shows the first. */
export const readBotSearch = withOpen(
  ({ tab, symbol, interval }): BotView =>
    setOnly({
      tab: typeof tab === 'string' ? tab : undefined,
      symbol: textOf(symbol, 64),
      interval: choiceOf(intervals, interval),
    }),
)

/** What a new bot begins with. */
export type NewBotSearch = { webhook?: number; folder?: number }

export function readNewBotSearch({ webhook, folder }: Record<string, unknown>): NewBotSearch {
  return setOnly({ webhook: idOf(webhook), folder: idOf(folder) })
}

/** Which of the bots without a venue are shown: one of them, or those of a folder. */
export type WithoutVenueSearch = { bot?: number; folder?: number }

export function readWithoutVenueSearch({ bot, folder }: Record<string, unknown>): WithoutVenueSearch {
  return setOnly({ bot: idOf(bot), folder: idOf(folder) })
}

const statuses = ['ACTIVE', 'INACTIVE'] as const
const modes = ['paper', 'live'] as const

/** The filters of the list of bots. */
export type BotFilters = {
  mode?: (typeof modes)[number]
  status?: (typeof statuses)[number]
  folder?: Exclude<ChosenFolder, undefined>
  /** In the name or the symbols. */
  q?: string
}

export const modeChoices = [
  { value: 'paper', text: 'Paper' },
  { value: 'live', text: 'Live' },
] as const satisfies { value: (typeof modes)[number]; text: string }[]

export const statusChoices = [
  { value: 'ACTIVE', text: 'Active' },
  { value: 'INACTIVE', text: 'Off' },
] as const satisfies { value: (typeof statuses)[number]; text: string }[]

export function readBotFilters({ mode, status, folder, q }: Record<string, unknown>): BotFilters {
  return setOnly({
    mode: choiceOf(modes, mode),
    status: choiceOf(statuses, status),
    folder: readFolder(folder),
    q: textOf(q, 200),
  })
}

type Filtered = {
  id: number
  name: string
  mode: string
  status: string
  symbol: string | null
  folder_id: number | null
}

/** The bots that fit, in their order. A text fits a name, a symbol or a number. */
export function filterBots<Item extends Filtered>(
  items: readonly Item[],
  folders: readonly AnyFolder[],
  { mode, status, folder, q }: BotFilters,
): Item[] {
  const isInside = isInFolder(folders, folder)
  const text = q?.toLowerCase()
  return items.filter(
    (item) =>
      (mode === undefined || item.mode === mode) &&
      (status === undefined || item.status === status) &&
      isInside(item) &&
      (text === undefined ||
        item.name.toLowerCase().includes(text) ||
        (item.symbol ?? '').toLowerCase().includes(text) ||
        String(item.id) === text),
  )
}
