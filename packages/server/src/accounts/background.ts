/**
 * Work that an answer does not wait for, so that the time it takes tells nothing. One piece is done after the
 * other; what is left when the service ends is finished.
 */
export class Background {
  #last: Promise<void> = Promise.resolve()
  #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  start(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch(this.#onError)
  }

  async drain(): Promise<void> {
    let last: Promise<void> | undefined
    while (last !== this.#last) {
      last = this.#last
      await last
    }
  }
}
