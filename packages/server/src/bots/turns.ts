/** A place in the order of signals. */
export type Turn = {
  /** Resolves when it may begin; never rejects. */
  readonly begun: Promise<void>
  /** Whether it counts in the order no more: it may begin at any time, and nobody waits for it. */
  readonly isReleased: boolean
  end(): void
}

/** Of what needs no order. */
export const freeTurn: Turn = { begun: Promise.resolve(), isReleased: true, end: () => undefined }

/** `onRelease`: told when all that waited may begin. */
export type TurnsOptions = { timeoutMs: number; onRelease?(): void }

type Waiting = { begin(): void; isReleased: boolean }

/**
 * Has signals of a paper bot begin one after another, in the order in which they came, so that one of them knows what
 * the one before has spent or set free. Order is not worth waiting for long: when one takes its time, all that wait
 * behind it may begin.
 */
export class Turns {
  #timeoutMs: number
  #onRelease: () => void
  #queue: Waiting[] = []
  #timer: NodeJS.Timeout | undefined

  constructor({ timeoutMs, onRelease = () => {} }: TurnsOptions) {
    this.#timeoutMs = timeoutMs
    this.#onRelease = onRelease
  }

  join(): Turn {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting: Waiting = { begin: resolve, isReleased: false }
    this.#queue.push(waiting)
    if (this.#queue.length === 1) this.#beginFirst()
    return {
      begun: promise,
      get isReleased() {
        return waiting.isReleased
      },
      end: () => this.#end(waiting),
    }
  }

  #beginFirst(): void {
    clearTimeout(this.#timer)
    const [first] = this.#queue
    if (first === undefined) return
    this.#timer = setTimeout(() => this.#release(), this.#timeoutMs).unref()
    first.begin()
  }

  #end(waiting: Waiting): void {
    const place = this.#queue.indexOf(waiting)
    if (place < 0) return
    this.#queue.splice(place, 1)
    if (place === 0) this.#beginFirst()
  }

  #release(): void {
    for (const waiting of this.#queue.splice(0)) {
      waiting.isReleased = true
      waiting.begin()
    }
    this.#onRelease()
  }
}
