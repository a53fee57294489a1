/** Whether arrays and objects stand within each other deeper than that. Without recursion, which could be as deep. */
export function nestsDeeperThan(root: unknown, limit: number): boolean {
  let level = [root]
  for (let depth = 0; level.length > 0; depth++) {
    level = level.filter((value) => typeof value === 'object' && value !== null)
    if (level.length > 0 && depth >= limit) return true
    level = level.flatMap((value) => Object.values(value as object))
  }
  return false
}
