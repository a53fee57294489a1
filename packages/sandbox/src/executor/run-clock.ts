/**
 * What the clock of a run shows: it stands at the start of the run, and moves on with each answer of the host. Between
 * these moments, the time of this process counts, not that of the machine, which may be set back.
 */
export class RunClock {
  readonly startMs: number
  readonly #startedAt = performance.now()
  /** {@link startMs}, and then two numbers for each answer: its call, and the ms since the start. */
  readonly moments: number[]

  readonly #stands: boolean

  /** @param run `startMs`: the time to begin at, in Unix ms; by default the present. `stands`: it never moves on. */
  constructor({ startMs = Date.now(), stands = false }: { startMs?: number; stands?: boolean }) {
    this.startMs = startMs
    this.#stands = stands
    this.moments = [startMs]
  }

  /** Notes the answer to a call, and returns what the clock shows from then on. */
  answer(call: number): number {
    const ms = this.#stands ? 0 : Math.floor(performance.now() - this.#startedAt)
    this.moments.push(call, ms)
    return this.startMs + ms
  }
}
