/** The place of a signal in the queue. */
export type Turn = {
  /** Resolves when the signal may begin. Never rejects. */
  readonly begun: Promise<void>
  /** Whether it lost its place: it may begin at any time, and no other signal waits for it. */
  readonly isReleased: boolean
  /** Gives up its place: the signal may take long, and no other waits for it. */
  release(): void
  end(): void
}

const noop = () => undefined

/** The turn of a signal that waits for no other. */
export const freeTurn: Turn = { begun: Promise.resolve(), isReleased: true, release: noop, end: noop }

/** `onRelease`: called when all waiting signals may begin. */
export type TurnsOptions = { timeoutMs: number; onRelease?(): void }

type Waiting = { begin(): void; isReleased: boolean }

/**
 * Lets the signals of a paper bot begin one after another, in the order of their arrival, so that each one knows what the
 * previous one spent or released. If a signal takes longer than the timeout, all signals behind it may begin.
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
      release: () => {
        waiting.isReleased = true
        this.#end(waiting)
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
