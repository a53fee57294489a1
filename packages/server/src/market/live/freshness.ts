/** A price of a symbol that an exchange reported. `exchangeMs` is the time on its own clock, if it sends one. */
export type ReportedPrice = {
  price: number
  exchangeMs: number | undefined
  /** The message itself, to recognise a repetition if there is no time. */
  payload: string | undefined
}

/** An exchange's cached prices lag behind by less than this. A larger step back means that its clock was set back. */
const maxLagMs = 60_000

/**
 * Decides whether a reported price of one symbol is new. It compares times of the exchange only with each other, since
 * the exchange's clock may be hours off, and only with those of pushed prices, since polled prices may get their time in
 * another way. `atMs` and `askedMs` are on this machine's monotonic clock.
 */
export class Freshness {
  #setBackMs: number
  #price: number | undefined
  #pushed: ReportedPrice | undefined
  #pushedMs = Number.NEGATIVE_INFINITY
  /** Reports that are older than the last pushed one, but whose times advance: the first of them, and the latest time. */
  #behind: { exchangeMs: number; atMs: number; latestMs: number } | undefined

  /** @param setBackMs after this long, a clock that was set back is accepted */
  constructor(setBackMs: number) {
    this.#setBackMs = setBackMs
  }

  /** When the exchange last pushed a new price. */
  get pushedMs(): number {
    return this.#pushedMs
  }

  /** Judges a price that the exchange pushed. A feed that only repeats itself has no new prices. */
  judgePushed(report: ReportedPrice, atMs: number): 'update' | 'nothing' {
    const last = this.#pushed
    if (last !== undefined) {
      if (isRepetition(report, last)) return 'nothing'
      if (isOlder(report, last) && !this.#isSetBack(report, last, atMs)) return 'nothing'
    }
    this.#pushed = report
    this.#pushedMs = atMs
    this.#behind = undefined
    this.#price = report.price
    return 'update'
  }

  /** Judges a price in the response to a request that was sent at `askedMs`. */
  judgePolled(report: ReportedPrice, askedMs: number, atMs: number): 'update' | 'confirmation' | 'nothing' {
    if (report.price === this.#price) return 'confirmation'
    const last = this.#pushed
    if (last !== undefined) {
      if (isOlder(report, last) && !this.#isSetBack(report, last, atMs)) return 'nothing'
      // A price that was pushed after the request was sent is newer, unless the exchange's times say otherwise.
      if (this.#pushedMs >= askedMs && !isOlder(last, report)) return 'nothing'
    }
    this.#price = report.price
    return 'update'
  }

  #isSetBack(report: ReportedPrice, last: ReportedPrice, atMs: number): boolean {
    const exchangeMs = report.exchangeMs as number
    if ((last.exchangeMs as number) - exchangeMs < maxLagMs) return false
    const behind = this.#behind
    if (behind === undefined || exchangeMs <= behind.latestMs) {
      if (behind === undefined || exchangeMs < behind.latestMs) {
        this.#behind = { exchangeMs, atMs, latestMs: exchangeMs }
      }
      return false
    }
    behind.latestMs = exchangeMs
    const passedMs = atMs - behind.atMs
    const exchangePassedMs = exchangeMs - behind.exchangeMs
    return passedMs >= this.#setBackMs && exchangePassedMs > passedMs / 2 && exchangePassedMs < passedMs * 2
  }
}

function isRepetition(report: ReportedPrice, last: ReportedPrice): boolean {
  if (report.exchangeMs === undefined || last.exchangeMs === undefined) {
    return report.payload !== undefined && report.payload === last.payload
  }
  return report.exchangeMs === last.exchangeMs && report.price === last.price
}

function isOlder(report: ReportedPrice, than: ReportedPrice): boolean {
  return (
    report.exchangeMs !== undefined && than.exchangeMs !== undefined && report.exchangeMs < than.exchangeMs
  )
}
