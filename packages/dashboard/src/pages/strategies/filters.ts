/** The filters of the list of strategies. They are part of the address, so that every view is a link. */
import type { StrategyType } from '../../data/paths.ts'
import { type AnyFolder, type ChosenFolder, isInFolder, readFolder } from '../../parts/folders/tree.ts'
import { type Kind, kindOf, kinds } from './kinds.ts'

const statuses = ['ACTIVE', 'INACTIVE', 'SUSPENDED'] as const

export type StrategyFilters = {
  kind?: Kind
  status?: (typeof statuses)[number]
  /** `none`: those in no folder. */
  folder?: Exclude<ChosenFolder, undefined>
  q?: string
}

export const statusChoices = [
  { value: 'ACTIVE', text: 'Active' },
  { value: 'INACTIVE', text: 'Off' },
  { value: 'SUSPENDED', text: 'Suspended' },
] as const satisfies { value: (typeof statuses)[number]; text: string }[]

/** Reads the filters of an address. What is no filter is left out: anybody can write an address. */
export function readStrategyFilters({ kind, status, folder, q }: Record<string, unknown>): StrategyFilters {
  const chosen = readFolder(folder)
  return {
    ...(kinds.includes(kind as Kind) ? { kind: kind as Kind } : {}),
    ...(statuses.includes(status as never) ? { status: status as (typeof statuses)[number] } : {}),
    ...(chosen === undefined ? {} : { folder: chosen }),
    // The router reads a text of digits as a number.
    ...(typeof q === 'string' || typeof q === 'number' ? textFilter(String(q)) : {}),
  }
}

function textFilter(text: string): { q?: string } {
  return text === '' ? {} : { q: text.slice(0, 200) }
}

type Filtered = {
  id: number
  type: StrategyType
  name: string
  status: string
  symbol: string | null
  folder_id: number | null
}

/** The strategies that fit, by name. A text fits a name, a symbol or a number. */
export function filterStrategies<Item extends Filtered>(
  items: readonly Item[],
  folders: readonly AnyFolder[],
  { kind, status, folder, q }: StrategyFilters,
): Item[] {
  const isInside = isInFolder(folders, folder)
  const text = q?.toLowerCase()
  const fits = (item: Item) =>
    (kind === undefined || kindOf(item.type) === kind) &&
    (status === undefined || item.status === status) &&
    isInside(item) &&
    (text === undefined ||
      item.name.toLowerCase().includes(text) ||
      (item.symbol ?? '').toLowerCase().includes(text) ||
      String(item.id) === text)
  return items.filter(fits).sort((one, other) => one.name.localeCompare(other.name) || one.id - other.id)
}
