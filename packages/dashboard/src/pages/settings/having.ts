/** The items with a text in one of their texts. Upper and lower case are the same. Without a text, all of them. */
export function having<Item>(
  items: readonly Item[],
  sought: string | undefined,
  textsOf: (item: Item) => readonly (string | null)[],
): readonly Item[] {
  if (sought === undefined) return items
  const wanted = sought.toLowerCase()
  return items.filter((item) => textsOf(item).some((text) => text?.toLowerCase().includes(wanted)))
}
