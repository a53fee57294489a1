/** One list from several, for what the service lists only for each bot. */

type Event = { id: number }
type Part = { limit: number; before?: number }

/**
 * One part of the merged list, newest first.
 * @param sources each reads a part of a list whose newest event comes first; ids are of one sequence over all of them
 */
export async function readMerged<Item extends Event>(
  sources: readonly ((part: Part) => Promise<readonly Item[]>)[],
  part: Part,
): Promise<{ items: Item[]; total: number; limit: number; next: number | null }> {
  const parts = await Promise.all(sources.map((read) => read(part)))
  const items = parts
    .flat()
    .sort((one, other) => other.id - one.id)
    .slice(0, part.limit)
  // Fewer than a whole part from all together means that no source has more.
  const next = items.length === part.limit ? items.at(-1)!.id : null
  return { items, total: items.length, limit: part.limit, next }
}
