import { decimal } from '../../base/decimals.ts'

/** What a node remembers about legs between two looks. A restart forgets it, and then asks the exchange about each leg. */
export type LegTiming = {
  /** How often the exchange is asked about a leg that rests there. With many legs, less often. */
  checkMs: number
  /** The same for one whose fate is unknown: the first and the longest pause. */
  firstPauseMs: number
  longestPauseMs: number
  /** For this long, and this often, the exchange must say that it has no such leg. */
  absentMs: number
  absences: number
  /** The pauses after a stop was refused, or cancelled by hand: after the first, the second, and so on. */
  refusedMs: readonly number[]
  /** A stop that rests for so long is no longer in trouble. */
  calmMs: number
  /** A stop that follows the price moves at most once in this time. */
  moveMs: number
}

export const legTiming: LegTiming = {
  checkMs: 20_000,
  firstPauseMs: 500,
  longestPauseMs: 30_000,
  absentMs: 10_000,
  absences: 3,
  refusedMs: [2_000, 5_000, 10_000, 30_000, 60_000, 300_000],
  calmMs: 600_000,
  moveMs: 5_000,
}

/** Of all legs together, a node asks about this many a second at most. */
const mostChecksPerSecond = 5

type Known = { nextMs: number; unanswered: number; absentSinceMs: number | null; absences: number }
type Place = {
  heldOffUntilMs: number
  failures: number
  placedMs: number
  restsSinceMs: number | null
  /** The size of the last stop, if it was refused while its opening was still open. */
  refusedPart: string | null
  isTold: boolean
  plainUntilMs: number
}

/** For this long after an exchange refused a stop with a target in one order, stops of the position go without it. */
const plainMs = 3_600_000

/** Times are by `performance.now()`. */
export class LegMemory {
  #timing: LegTiming
  #legs = new Map<number, Known>()
  #places = new Map<string, Place>()

  constructor(timing: LegTiming) {
    this.#timing = timing
  }

  isDue(legId: number): boolean {
    return performance.now() >= (this.#legs.get(legId)?.nextMs ?? 0)
  }

  /** The exchange is asked about it at the next look. */
  prompt(legId: number): void {
    this.#of(legId).nextMs = 0
  }

  /** The exchange has said that it rests there. */
  rests(legId: number): void {
    const known = this.#of(legId)
    const spreadMs = (this.#legs.size / mostChecksPerSecond) * 1_000
    const nextMs = performance.now() + Math.max(this.#timing.checkMs, spreadMs)
    Object.assign(known, { nextMs, unanswered: 0, absentSinceMs: null, absences: 0 })
  }

  /** Its fate is not known yet. */
  isUnclear(legId: number): void {
    const known = this.#of(legId)
    const { firstPauseMs, longestPauseMs } = this.#timing
    known.nextMs = performance.now() + Math.min(firstPauseMs * 2 ** known.unanswered, longestPauseMs)
    known.unanswered = Math.min(known.unanswered + 1, 20)
  }

  /** The exchange says that it has no such leg. @returns whether that counts by now */
  isAbsent(legId: number): boolean {
    const known = this.#of(legId)
    const now = performance.now()
    known.absentSinceMs ??= now
    known.absences += 1
    known.nextMs = now + Math.min(this.#timing.firstPauseMs * 2, this.#timing.absentMs / 3)
    return known.absences >= this.#timing.absences && now - known.absentSinceMs >= this.#timing.absentMs
  }

  forget(legId: number): void {
    this.#legs.delete(legId)
  }

  /**
   * Whether a leg may be placed for a position now. A key may name a leg of it after a `#`. A part of an opening may have
   * been refused because it was too small, so a larger one need not wait.
   * @param isMove whether one rests there already
   */
  mayPlace(key: string, { size, isMove }: { size: string; isMove: boolean }): boolean {
    const place = this.#places.get(key)
    const now = performance.now()
    if (place === undefined) return true
    const mayTry = now >= place.heldOffUntilMs || isLarger(size, place.refusedPart)
    return mayTry && (!isMove || now >= place.placedMs + this.#timing.moveMs)
  }

  placed(key: string): void {
    Object.assign(this.#placeOf(key), { placedMs: performance.now() })
  }

  /** A leg rests there again. */
  succeeded(key: string): void {
    this.#placeOf(key).restsSinceMs ??= performance.now()
  }

  /**
   * It was refused, or cancelled by hand: the next one comes later.
   * @param part its size, if its opening is still open
   */
  failed(key: string, part: string | null = null): void {
    const place = this.#placeOf(key)
    const { refusedMs, calmMs } = this.#timing
    const now = performance.now()
    if (place.restsSinceMs !== null && now - place.restsSinceMs >= calmMs) {
      Object.assign(place, { failures: 0, isTold: false })
    }
    const isFirstOfPart = part !== null && (place.refusedPart === null || isLarger(part, place.refusedPart))
    if (isFirstOfPart) place.failures = 0
    place.heldOffUntilMs = now + refusedMs[Math.min(place.failures, refusedMs.length - 1)]!
    place.restsSinceMs = null
    place.refusedPart = part
    place.failures += 1
  }

  /**
   * Whether the owner of a stop that has just failed is told: once in a row. The first refusal of a part is no news,
   * because the next part may be large enough.
   */
  isNews(key: string): boolean {
    const place = this.#placeOf(key)
    if (place.isTold || (place.refusedPart !== null && place.failures === 1)) return false
    place.isTold = true
    return true
  }

  /** The exchange has refused a stop with a target in one order: the next ones go without it. */
  refusedOco(key: string): void {
    this.#placeOf(key).plainUntilMs = performance.now() + plainMs
  }

  mayOco(key: string): boolean {
    return performance.now() >= (this.#places.get(key)?.plainUntilMs ?? 0)
  }

  /** Forgets the places that no position needs any more. */
  keepOnly(keys: ReadonlySet<string>, legIds: ReadonlySet<number>): void {
    for (const key of this.#places.keys()) if (!keys.has(key.split('#')[0]!)) this.#places.delete(key)
    for (const id of this.#legs.keys()) if (!legIds.has(id)) this.#legs.delete(id)
  }

  #of(legId: number): Known {
    const known = this.#legs.get(legId) ?? { nextMs: 0, unanswered: 0, absentSinceMs: null, absences: 0 }
    this.#legs.set(legId, known)
    return known
  }

  #placeOf(key: string): Place {
    const place = this.#places.get(key) ?? {
      ...{ heldOffUntilMs: 0, failures: 0, placedMs: Number.NEGATIVE_INFINITY, restsSinceMs: null },
      ...{ refusedPart: null, isTold: false, plainUntilMs: 0 },
    }
    this.#places.set(key, place)
    return place
  }
}

function isLarger(size: string, than: string | null): boolean {
  return than !== null && decimal(size).gt(decimal(than))
}
