/** The cards of the page: those that wait, and those that waited when the page was opened or later. */

type Seen = { id: number }

/**
 * Adds new approvals at the end, and takes over what has changed. A card that waits no more stays in its place: nothing
 * moves under a finger that is about to decide.
 * @returns the same list if nothing is new
 */
export function withWaiting<Item extends Seen>(
  seen: readonly Item[],
  waiting: readonly Item[],
): readonly Item[] {
  const now = new Map(waiting.map((item) => [item.id, item]))
  const kept = seen.map((item) => now.get(item.id) ?? item)
  const known = new Set(seen.map(({ id }) => id))
  const added = waiting.filter(({ id }) => !known.has(id)).sort((one, other) => one.id - other.id)
  const isSame = added.length === 0 && kept.every((item, index) => item === seen[index])
  return isSame ? seen : [...kept, ...added]
}
