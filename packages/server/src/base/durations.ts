/** A duration as answers, records and logs show it: in ms, rounded to a hundredth. */
export function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100
}
