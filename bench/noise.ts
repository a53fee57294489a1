import { availableParallelism } from 'node:os'
import { cpuSeconds, machineCpuSeconds } from './processes.ts'

/** The load of other programs on the machine since this was created: the more, the less reliable the figures. */
export class Noise {
  readonly #pids: readonly number[]
  readonly #startedAt = performance.now()
  readonly #before: number | undefined

  /** `pids`: the processes that belong to the measurement, with their descendants. */
  constructor(pids: readonly number[]) {
    this.#pids = pids
    this.#before = this.#othersSeconds()
  }

  /** For example `measured in 30 s, other programs took 4 % of the processors`. */
  describe(): string {
    const seconds = (performance.now() - this.#startedAt) / 1000
    const taken = this.seconds
    const text = `measured in ${Math.round(seconds)} s`
    if (taken === undefined) return text
    const share = Math.max(0, taken) / (seconds * availableParallelism())
    return `${text}, other programs took ${Math.round(100 * share)} % of the processors`
  }

  /** The processor time that other programs took, in seconds; `undefined` where the system does not tell. */
  get seconds(): number | undefined {
    const after = this.#othersSeconds()
    return this.#before === undefined || after === undefined ? undefined : after - this.#before
  }

  #othersSeconds(): number | undefined {
    const all = machineCpuSeconds()
    const ours = cpuSeconds(this.#pids)
    return all === undefined || ours === undefined ? undefined : all - ours
  }
}
