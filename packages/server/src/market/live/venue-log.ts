import type { Logger } from 'pino'
import type { Venue } from '../price-source.ts'

/** What can be out of order at a venue, and how both is said. */
const matters = {
  stream: ['its price stream was lost', 'its price stream is back'],
  requests: ['it does not answer requests for prices', 'it answers requests for prices again'],
  markets: ['its markets cannot be loaded', 'its markets can be loaded again'],
} as const

const liesEveryMs = 60_000

/** Logs what happens to a venue: a line when something is lost and one when it is back, however often it is tried. */
export class VenueLog {
  #logger: Logger
  #label: string
  #lost = new Set<keyof typeof matters>()
  #liesMs = Number.NEGATIVE_INFINITY

  constructor(logger: Logger, { exchange, service }: Venue, label: string) {
    this.#logger = logger.child({ exchange, service })
    this.#label = label
  }

  lost(matter: keyof typeof matters, reason: string): void {
    if (this.#lost.has(matter)) return
    this.#lost.add(matter)
    this.#logger.warn({ reason }, `${this.#label}: ${matters[matter][0]}`)
  }

  /** Nobody looks at the venue any more. */
  forget(): void {
    this.#lost.clear()
  }

  back(matter: keyof typeof matters): void {
    if (this.#lost.delete(matter)) this.#logger.info(`${this.#label}: ${matters[matter][1]}`)
  }

  /** A price that cannot be one; a line a minute at the most. */
  lie(symbol: string): void {
    const now = performance.now()
    if (now - this.#liesMs < liesEveryMs) return
    this.#liesMs = now
    this.#logger.warn({ symbol }, `${this.#label}: it sends unusable prices`)
  }
}
