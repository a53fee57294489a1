/** Lets a fixed number through at once; the others wait in the order in which they came. */
export class Semaphore {
  #free: number
  #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** Resolves to what gives the place back; it counts once however often it is called. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let held = true
    return () => {
      if (!held) return
      held = false
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
