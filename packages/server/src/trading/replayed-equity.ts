import { type Decimal, decimal } from '../base/decimals.ts'
import { unrealised } from './ledger.ts'
import type { Position } from './types.ts'

/**
 * The books at the close of a candle. `balance` is the start balance plus all realised profit. `lowest` is the lowest equity
 * within the candle.
 */
export type CandleEnd = { balance: Decimal; equity: Decimal; lowest: Decimal }

/** The equity of a bot with one position, at each price of a candle. The parts that no price changes are worked out once. */
export class ReplayedEquity {
  readonly #startBalance: Decimal
  #balance: Decimal
  /** Negative for a short; `null` without a position. */
  #size: Decimal | null = null
  /** The equity at a price of zero. */
  #worthless: Decimal
  #flat: CandleEnd
  /** The lowest so far in the current candle; `null`: there was no position. */
  #lowest: Decimal | null = null

  constructor(startBalance: string) {
    this.#startBalance = decimal(startBalance)
    this.#balance = this.#startBalance
    this.#worthless = this.#startBalance
    this.#flat = flatAt(this.#balance)
  }

  beginCandle(): void {
    this.#lowest = null
  }

  /** The books have this position now. */
  count(position: Position): void {
    const { side, size, realised } = position
    this.#balance = this.#startBalance.plus(decimal(realised))
    this.#size = side === null ? null : side === 'long' ? decimal(size) : decimal(size).neg()
    this.#worthless = this.#balance.plus(decimal(unrealised(position, '0')))
    this.#flat = flatAt(this.#balance)
  }

  /** The market has, or had, this price while the position is open. */
  see(price: string): void {
    if (this.#size === null) return
    const equity = this.#valueAt(price)
    if (this.#lowest === null || equity.lt(this.#lowest)) this.#lowest = equity
  }

  /** At any price, without a position. The same object until the books change. */
  get flat(): CandleEnd {
    return this.#flat
  }

  at(price: string): CandleEnd {
    const equity = this.#valueAt(price)
    const isLowest = this.#lowest === null || equity.lt(this.#lowest)
    return { balance: this.#balance, equity, lowest: isLowest ? equity : this.#lowest! }
  }

  /** The ledger's rule for the unrealised profit. */
  #valueAt(price: string): Decimal {
    return this.#size === null ? this.#balance : this.#worthless.plus(this.#size.times(decimal(price)))
  }
}

function flatAt(balance: Decimal): CandleEnd {
  return { balance, equity: balance, lowest: balance }
}
