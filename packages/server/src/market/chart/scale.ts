/** From values to places on an axis, with the values at which it has labels. */
export type Scale = {
  at(value: number): number
  ticks: { value: number; label: string }[]
}

/**
 * A linear scale that covers values. `undefined` if there are none, or if they lie too far apart for a number.
 * @param from where the lowest value is; `to`: where the highest one is; `ticks`: about how many there are
 * @param fixed covers these values instead
 */
export function scaleOf(
  values: Iterable<number>,
  { from, to, ticks }: { from: number; to: number; ticks: number },
  fixed: readonly [low: number, high: number] | null = null,
): Scale | undefined {
  let [low, high] = fixed ?? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  if (fixed === null) {
    for (const value of values) {
      if (value < low) low = value
      if (value > high) high = value
    }
    const margin = (high - low) * 0.04 || Math.abs(high) * 0.01 || 1
    low -= margin
    high += margin
  }
  const span = high - low
  if (!Number.isFinite(span) || span <= 0) return undefined
  const step = roundStep(span / ticks)
  const first = Math.ceil(low / step)
  const count = Math.min(Math.floor(high / step) - first + 1, 2 * ticks + 1)
  return {
    at: (value) => from + ((value - low) / span) * (to - from),
    ticks: Array.from({ length: Math.max(0, count) || 0 }, (_, index) => {
      const value = (first + index) * step
      return { value, label: numberText(value, step) }
    }),
  }
}

/** The next larger of 1, 2 and 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  return ([1, 2, 5].find((factor) => factor * power >= least * 0.999) ?? 10) * power
}

/** A number as precise as its step, in at most nine characters. */
export function numberText(value: number, step: number): string {
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  const plain = digits <= 7 ? value.toFixed(digits) : ''
  if (plain !== '' && plain.length <= 9) return Number(plain) === 0 ? plain.replace('-', '') : plain
  return value.toExponential(Math.max(0, Math.min(3, Math.floor(Math.log10(Math.abs(value / step))))))
}
