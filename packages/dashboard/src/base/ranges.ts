/** Spans of time that end now, as filters of lists of events. */
export const ranges = [
  { value: 'hour', text: 'The last hour', ms: 3_600_000 },
  { value: 'day', text: 'The last 24 hours', ms: 86_400_000 },
  { value: 'week', text: 'The last 7 days', ms: 604_800_000 },
] as const

export type Range = (typeof ranges)[number]['value']

/** @returns `undefined` for a text of an address that is no range */
export function rangeOf(text: unknown): Range | undefined {
  return ranges.find(({ value }) => value === text)?.value
}

/** When a range begins that ends at `now`, as the API takes it. */
export function beginningOfRange(range: Range, now: number): string {
  return new Date(now - ranges.find(({ value }) => value === range)!.ms).toISOString()
}
