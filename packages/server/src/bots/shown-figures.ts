/** How the API shows the figures of the books, which are exact. */

import { decimal, plain } from '../base/decimals.ts'
import { readableMoney, readablePrice } from '../base/readable.ts'

/** A figure that somebody else has set, such as a size or an exchange's fee: every digit, without zeros at the end. */
export function exactly(figure: string): string {
  return plain(decimal(figure))
}

/** A calculated amount of money, such as a profit. */
export function asMoney<T extends string | null>(amount: T): T {
  return (amount === null ? null : readableMoney(decimal(amount))) as T
}

/** A calculated price, such as an average, or a price of the market. */
export function asPrice<T extends string | null>(price: T): T {
  return (price === null ? null : readablePrice(decimal(price))) as T
}
