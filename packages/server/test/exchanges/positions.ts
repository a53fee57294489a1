import Big from 'big.js'

/** `size` is in base currency, `unrealised` and `entryPrice` in quote currency. */
export type HeldPosition = {
  symbol: string
  side: 'long' | 'short'
  size: string
  entryPrice: string
  unrealised: string
}

/** An executed part of an order. In hedge mode, it names the position that it changes. */
export type Move = { side: 'buy' | 'sell'; positionSide?: 'long' | 'short'; size: Big; price: Big }

type Lot = { size: Big; cost: Big }
type Lots = Record<'long' | 'short', Lot>

const empty = (): Lot => ({ size: new Big(0), cost: new Big(0) })

/** The futures positions of an account. A symbol has a long and a short; in one-way mode, one of them is empty. */
export class Positions {
  #lots = new Map<string, Lots>()

  /** Changes the position of a symbol. @returns the profit of the part that was closed, negative for a loss */
  move(symbol: string, { side, positionSide, size, price }: Move): Big {
    const lots = this.#lots.get(symbol) ?? { long: empty(), short: empty() }
    this.#lots.set(symbol, lots)
    const opened = side === 'buy' ? 'long' : 'short'
    const closed = side === 'buy' ? 'short' : 'long'
    const held = lots[closed]
    const closes = positionSide === opened || held.size.eq(0) ? new Big(0) : least(held.size, size)
    const opens = positionSide === closed ? new Big(0) : size.minus(closes)
    const rest = closes.eq(0) ? held.cost : held.cost.times(held.size.minus(closes)).div(held.size)
    const paid = held.cost.minus(rest)
    const worth = closes.times(price)
    lots[closed] = { size: held.size.minus(closes), cost: rest }
    const grown = lots[opened]
    lots[opened] = { size: grown.size.plus(opens), cost: grown.cost.plus(opens.times(price)) }
    return closed === 'long' ? worth.minus(paid) : paid.minus(worth)
  }

  size(symbol: string, side: 'long' | 'short'): Big {
    return this.#lots.get(symbol)?.[side].size ?? new Big(0)
  }

  /** The long without the short: negative if the short is larger. */
  net(symbol: string): Big {
    return this.size(symbol, 'long').minus(this.size(symbol, 'short'))
  }

  clear(): void {
    this.#lots.clear()
  }

  /** Positions that are not empty. */
  list(priceOf: (symbol: string) => string): HeldPosition[] {
    return [...this.#lots].flatMap(([symbol, lots]) =>
      (['long', 'short'] as const).flatMap((side) => {
        const { size, cost } = lots[side]
        if (size.eq(0)) return []
        const worth = size.times(priceOf(symbol))
        const unrealised = side === 'long' ? worth.minus(cost) : cost.minus(worth)
        const entryPrice = cost.div(size).round(8).toFixed()
        return [{ symbol, side, size: size.toFixed(), entryPrice, unrealised: unrealised.toFixed() }]
      }),
    )
  }
}

function least(a: Big, b: Big): Big {
  return a.lt(b) ? a : b
}
