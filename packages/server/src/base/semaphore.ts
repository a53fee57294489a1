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

/** A semaphore of which each owner has a share at the most, so that one who is slow does not hold up all others. */
export class SharedSemaphore {
  #all: Semaphore
  #share: number
  #owners = new Map<number, { places: Semaphore; users: number }>()

  constructor(places: number, share: number) {
    this.#all = new Semaphore(places)
    this.#share = share
  }

  /** As that of {@link Semaphore}. */
  async acquire(ownerId: number): Promise<() => void> {
    const owner = this.#owners.get(ownerId) ?? { places: new Semaphore(this.#share), users: 0 }
    this.#owners.set(ownerId, owner)
    owner.users++
    const releaseOwn = await owner.places.acquire()
    const releaseAll = await this.#all.acquire()
    let held = true
    return () => {
      if (!held) return
      held = false
      releaseAll()
      releaseOwn()
      owner.users--
      if (owner.users === 0) this.#owners.delete(ownerId)
    }
  }
}
