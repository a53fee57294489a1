import { type Decimal, decimal, zero } from '../../base/decimals.ts'

type Seen = { price: Decimal; at: number }
type Noted = { price: string; at: number }

/** What holding a symbol would have changed. `null`: only one price is known. */
export type Held = { symbol: string; from: Seen; to: Seen; changePercent: Decimal | null }

/** Compares trading with holding: what the traded symbols cost first and last, as far as fills say. */
export class Holding {
  #symbols = new Map<string, { from: Noted; to: Noted }>()

  add(symbol: string, price: string, at: number): void {
    const known = this.#symbols.get(symbol)
    const noted = { price, at }
    if (known === undefined) this.#symbols.set(symbol, { from: noted, to: noted })
    else known.to = noted
  }

  symbols(): Held[] {
    return [...this.#symbols].map(([symbol, noted]) => {
      const [from, to] = [seenOf(noted.from), seenOf(noted.to)]
      const isOne = noted.from === noted.to || !from.price.gt('0')
      const changePercent = isOne ? null : to.price.minus(from.price).times('100').div(from.price)
      return { symbol, from, to, changePercent }
    })
  }
}

function seenOf({ price, at }: Noted): Seen {
  return { price: decimal(price), at }
}

/** The change of equal parts in each symbol; `null` if one of them is unknown, or there is none. */
export function changeOfAll(held: readonly Held[]): Decimal | null {
  let sum = zero
  for (const { changePercent } of held) {
    if (changePercent === null) return null
    sum = sum.plus(changePercent)
  }
  return held.length === 0 ? null : sum.div(String(held.length))
}
