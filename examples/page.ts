import type { List } from '@tickwright/client'

/** The items of a list, or of one page of it. */
export function itemsOf<Item>(list: List<Item>): Item[] {
  return Array.isArray(list) ? list : list.items
}
