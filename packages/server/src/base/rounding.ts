/** A duration as answers show it: two decimals are enough, and the clock's other digits mean nothing. */
export function roundedMs(durationMs: number): number {
  return Math.round(durationMs * 100) / 100
}
