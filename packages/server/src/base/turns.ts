import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long work may hold the event loop, in ms. */
const turnMs = 3

/** Splits long work into turns, between which the service does everything else that is due. */
export class Turns {
  #began = performance.now()

  /** Whether the work must rest before it goes on. Cheap enough to ask for each of a hundred thousand rows. */
  get isOver(): boolean {
    return performance.now() - this.#began >= turnMs
  }

  /** Resolves when it is its turn again. */
  async rest(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }
}
