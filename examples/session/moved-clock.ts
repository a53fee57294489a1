import type { ReplayClock } from '../../packages/server/src/config.ts'

/** The clock of a replay that stands still until it is moved. */
export class MovedClock implements ReplayClock {
  #elapsedMs = 0
  #moved: (() => void)[] = []

  elapsedMs(): number {
    return this.#elapsedMs
  }

  onMove(moved: () => void): void {
    this.#moved.push(moved)
  }

  /** @param elapsedMs since the first candle opened, in whole seconds; not before the time that it shows */
  moveTo(elapsedMs: number): void {
    this.#elapsedMs = elapsedMs
    for (const moved of this.#moved) moved()
  }
}
