/** What an exchange said of a symbol. `exchangeMs` is its own clock, where it tells the time. */
export type Word = {
  price: number
  exchangeMs: number | undefined
  /** The message as it came: tells a repetition where there is no time. */
  payload: string | undefined
}

/** Lists of prices that an exchange keeps ready are never as old as this; a clock that was set back is older. */
const laggingForMs = 60_000

/**
 * Judges what is said of one symbol: whether it is news. Times of the exchange are compared with its own alone, since
 * its clock may be hours away from ours, and with those of what it pushed: answers may be stamped in another way.
 * `atMs` and `askedMs` are on a clock of ours that nobody moves.
 */
export class Freshness {
  #setBackMs: number
  #price: number | undefined
  #pushed: Word | undefined
  #pushedMs = Number.NEGATIVE_INFINITY
  /** Words from before the last one that follow each other at the pace of time: where they began, and the latest. */
  #behind: { exchangeMs: number; atMs: number; latestMs: number } | undefined

  /** @param setBackMs after how long a clock that was set back is believed */
  constructor(setBackMs: number) {
    this.#setBackMs = setBackMs
  }

  /** When the exchange last told something new by itself. */
  get pushedMs(): number {
    return this.#pushedMs
  }

  /** Told by the exchange of its own accord. A feed that says the same again and again says nothing. */
  told(word: Word, atMs: number): 'update' | 'nothing' {
    const last = this.#pushed
    if (last !== undefined) {
      if (isRepetition(word, last)) return 'nothing'
      if (isOlder(word, last) && !this.#isSetBack(word, last, atMs)) return 'nothing'
    }
    this.#pushed = word
    this.#pushedMs = atMs
    this.#behind = undefined
    this.#price = word.price
    return 'update'
  }

  /** Told because it was asked for at `askedMs`. */
  answered(word: Word, askedMs: number, atMs: number): 'update' | 'confirmation' | 'nothing' {
    if (word.price === this.#price) return 'confirmation'
    const last = this.#pushed
    if (last !== undefined) {
      if (isOlder(word, last) && !this.#isSetBack(word, last, atMs)) return 'nothing'
      // What came while the answer was on its way is newer, unless the exchange says otherwise.
      if (this.#pushedMs >= askedMs && !isOlder(last, word)) return 'nothing'
    }
    this.#price = word.price
    return 'update'
  }

  #isSetBack(word: Word, last: Word, atMs: number): boolean {
    const exchangeMs = word.exchangeMs as number
    if ((last.exchangeMs as number) - exchangeMs < laggingForMs) return false
    const behind = this.#behind
    if (behind === undefined || exchangeMs <= behind.latestMs) {
      if (behind === undefined || exchangeMs < behind.latestMs) {
        this.#behind = { exchangeMs, atMs, latestMs: exchangeMs }
      }
      return false
    }
    behind.latestMs = exchangeMs
    const passedMs = atMs - behind.atMs
    const toldMs = exchangeMs - behind.exchangeMs
    return passedMs >= this.#setBackMs && toldMs > passedMs / 2 && toldMs < passedMs * 2
  }
}

function isRepetition(word: Word, last: Word): boolean {
  if (word.exchangeMs === undefined || last.exchangeMs === undefined) {
    return word.payload !== undefined && word.payload === last.payload
  }
  return word.exchangeMs === last.exchangeMs && word.price === last.price
}

function isOlder(word: Word, than: Word): boolean {
  return word.exchangeMs !== undefined && than.exchangeMs !== undefined && word.exchangeMs < than.exchangeMs
}
