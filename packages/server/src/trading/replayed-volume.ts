import { type Decimal, decimal, zero } from '../base/decimals.ts'
import type { MarketRules } from '../market/rules.ts'
import { shareOf, takeUpTo } from './market-share.ts'
import type { Taken } from './paper-venue.ts'

/** How much the bot may still trade in the current candle: a part of its volume, which all orders of the candle share. */
export class ReplayedVolume {
  readonly #rules: MarketRules
  readonly #share: string | undefined
  /** In base currency; `null`: any size. */
  #left: Decimal | null = null

  /** @param share a fraction; without it, orders of any size are executed */
  constructor(rules: MarketRules, share: string | undefined) {
    this.#rules = rules
    this.#share = share
    if (share !== undefined) this.#left = zero
  }

  /** @param volume of the candle, in base currency. Without it, nothing is traded. */
  beginCandle(volume = 0): void {
    if (this.#share !== undefined) this.#left = shareOf(volume, this.#share, this.#rules)
  }

  /** Executes what it can of an order. */
  take(size: string): Taken {
    if (this.#left === null) return { size, reason: null }
    const { base } = this.#rules
    const taken = takeUpTo(this.#left, size, { share: this.#share!, of: 'the volume of its candle', base })
    this.#left = this.#left.minus(decimal(taken.size))
    return taken
  }
}
