import type { Equity, EquityPoint } from './traded.ts'

/** Points of the equity in columns: a million of them as objects would take five times the memory. */
export class EquityColumns implements Equity {
  readonly #times: Float64Array
  readonly #equities: Float64Array
  readonly #worsts: Float64Array
  #length = 0

  /** @param most so many points at most are added */
  constructor(most: number) {
    this.#times = new Float64Array(most)
    this.#equities = new Float64Array(most)
    this.#worsts = new Float64Array(most)
  }

  get length(): number {
    return this.#length
  }

  add({ timeMs, equity, worst }: EquityPoint): void {
    const index = this.#length++
    this.#times[index] = timeMs
    this.#equities[index] = equity
    this.#worsts[index] = worst
  }

  /** Takes the last point away, if there is one. */
  removeLast(): void {
    this.#length = Math.max(0, this.#length - 1)
  }

  at(index: number): EquityPoint | undefined {
    const place = index < 0 ? this.#length + index : index
    return place >= 0 && place < this.#length ? this.#pointAt(place) : undefined
  }

  map<Value>(of: (point: EquityPoint, index: number) => Value): Value[] {
    const values: Value[] = []
    for (let index = 0; index < this.#length; index++) values.push(of(this.#pointAt(index), index))
    return values
  }

  *[Symbol.iterator](): Generator<EquityPoint> {
    for (let index = 0; index < this.#length; index++) yield this.#pointAt(index)
  }

  #pointAt(index: number): EquityPoint {
    return {
      timeMs: this.#times[index]!,
      equity: this.#equities[index]!,
      worst: this.#worsts[index]!,
    }
  }
}
