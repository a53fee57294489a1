/** A figure of a report, or why there is none. */
export type Figure = number | Undefined

/** There is no figure, for a reason that is a sentence. */
export class Undefined {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

export function undefinedBecause(reason: string): Undefined {
  return new Undefined(reason)
}

/** A figure as JSON has it: `value` is `null` exactly if there is a `reason`. */
export type ShownFigure = { value: number; reason: null } | { value: null; reason: string }

export function shown(figure: Figure): ShownFigure {
  if (figure instanceof Undefined) return { value: null, reason: figure.reason }
  if (Number.isFinite(figure)) return { value: rounded(figure), reason: null }
  if (Number.isNaN(figure)) return { value: null, reason: 'The figure cannot be calculated.' }
  return { value: null, reason: 'The figure is beyond the numbers that a report can hold.' }
}

/** Twelve digits: so many are the same on any machine, whichever way it calculates powers and logarithms. */
export function rounded(value: number): number {
  return value === 0 ? 0 : Number(value.toPrecision(12))
}

/** Calculates with a value, if there is one. */
export function using<Value>(value: Value | Undefined, calculate: (value: Value) => Figure): Figure {
  return value instanceof Undefined ? value : calculate(value)
}

export function percent(share: Figure): Figure {
  return using(share, (value) => value * 100)
}
