type Work<Result> = { result: Promise<Result>; callers: number; stop: AbortController }

/** Work under way. Callers who ask for the same share it, and each owner may have only so much of it. */
export class SharedWork<Result> {
  #most: number
  #refusal: () => Error
  #underWay = new Map<string, Work<Result>>()
  #owners = new Map<number, number>()

  /**
   * @param most how much an owner may have under way
   * @param refusal the error for more
   */
  constructor(most: number, refusal: () => Error) {
    this.#most = most
    this.#refusal = refusal
  }

  /**
   * Joins the work with this key, or starts it. A key belongs to one owner. The work is aborted when the signals of all
   * its callers are.
   * @throws the refusal, or whatever the work or the signal throws
   */
  async join(
    { ownerId, key }: { ownerId: number; key: string },
    signal: AbortSignal,
    start: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted()
    const work = this.#underWay.get(key) ?? this.#start(ownerId, key, start)
    work.callers++
    const gone = Promise.withResolvers<never>()
    const leave = () => gone.reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([work.result, gone.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      work.callers--
      if (work.callers === 0) {
        // Nobody may join work that is about to stop.
        if (this.#underWay.get(key) === work) this.#underWay.delete(key)
        work.stop.abort(signal.reason)
      }
    }
  }

  #start(ownerId: number, key: string, start: (signal: AbortSignal) => Promise<Result>): Work<Result> {
    const others = this.#owners.get(ownerId) ?? 0
    if (others >= this.#most) throw this.#refusal()
    this.#owners.set(ownerId, others + 1)
    const stop = new AbortController()
    const result = start(stop.signal).finally(() => {
      const left = this.#owners.get(ownerId)! - 1
      if (left === 0) this.#owners.delete(ownerId)
      else this.#owners.set(ownerId, left)
      if (this.#underWay.get(key) === work) this.#underWay.delete(key)
    })
    // Without callers, nobody else handles its failure.
    result.catch(() => undefined)
    const work = { result, callers: 0, stop }
    this.#underWay.set(key, work)
    return work
  }
}
