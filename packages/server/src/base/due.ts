/**
 * Whether a moment has come that was set one of these pauses ahead, or twice as much. One that is still further ahead is
 * from before the clock was set back, and counts as over: otherwise, work would stop until the clock is there again.
 */
export function isDue(atMs: number, nowMs: number, pausesMs: readonly number[]): boolean {
  return atMs <= nowMs || atMs - nowMs > 2 * Math.max(...pausesMs)
}
