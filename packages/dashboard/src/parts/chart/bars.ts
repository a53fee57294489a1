/** Where the bars of a chart are, in whole pixels. */

/** A bar, and its height as a part of the highest one. */
export type Bar = { left: number; width: number; part: number }

/** Wider bars have a gap between them. */
const gapFrom = 4

/**
 * The bars of the volumes that are in view, from left to right. Of those that share a column of pixels, the highest is
 * drawn. A volume of nothing has no bar.
 * @param range the first and the last index in view; both may be fractions, and beyond the ends
 * @param place in pixels: the middle of the first bar, and the distance to the next
 */
export function barsOf(
  candles: readonly { volume: number }[],
  range: { from: number; to: number },
  place: { middle: number; width: number },
): Bar[] {
  const from = Math.max(0, Math.floor(range.from))
  const to = Math.min(candles.length - 1, Math.ceil(range.to))
  const edgeOf = (index: number) => Math.round(place.middle + (index - 0.5) * place.width)
  const gap = place.width >= gapFrom ? 1 : 0
  const bars: Bar[] = []
  let most = 0
  for (let index = from; index <= to; index++) {
    const { volume } = candles[index]!
    if (!(volume > 0)) continue
    most = Math.max(most, volume)
    const left = edgeOf(index)
    const before = bars.at(-1)
    if (before?.left === left) before.part = Math.max(before.part, volume)
    else bars.push({ left, width: Math.max(1, edgeOf(index + 1) - left - gap), part: volume })
  }
  for (const bar of bars) bar.part /= most
  return bars
}
