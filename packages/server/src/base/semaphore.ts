/** Lets a fixed number of callers through at a time. The others wait in order of arrival. */
export class Semaphore {
  #free: number
  #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** Resolves to the function that gives the place back. Further calls of it do nothing. */
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

/** A semaphore in which each owner has at most a share, so that a slow owner does not delay all others. */
export class SharedSemaphore {
  #all: Semaphore
  #share: number
  #owners = new Map<number, { places: Semaphore; users: number }>()

  constructor(places: number, share: number) {
    this.#all = new Semaphore(places)
    this.#share = share
  }

  /** Like that of {@link Semaphore}. */
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
