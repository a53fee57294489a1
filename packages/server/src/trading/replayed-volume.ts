import { type Decimal, decimal, floorToStep, least, plain, zero } from '../base/decimals.ts'
import type { MarketRules } from '../market/rules.ts'
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
    if (this.#share === undefined) return
    const most = decimal(String(volume), 'volume').times(decimal(this.#share, 'participation'))
    this.#left = floorToStep(most, decimal(this.#rules.sizeStep))
  }

  /** Executes what it can of an order. */
  take(size: string): Taken {
    const asked = decimal(size)
    if (this.#left === null || asked.lte(this.#left)) {
      this.#left = this.#left?.minus(asked) ?? null
      return { size, reason: null }
    }
    const taken = least(asked, this.#left)
    this.#left = this.#left.minus(taken)
    const part = `${plain(decimal(this.#share!).times('100'))} % of the volume of its candle`
    const { base } = this.#rules
    return {
      size: plain(taken),
      reason: `The market took ${plain(taken)} of ${size} ${base}: the bot may trade at most ${part}.`,
    }
  }
}
