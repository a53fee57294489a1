import { Type } from 'typebox'
import { asMoney, asPrice, exactly } from './shown-figures.ts'
import type { ValuedPosition } from './valuation.ts'

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

/** A position as the API shows it, by itself and with its bot. */
export const PositionRecord = Type.Object({
  bot_id: Type.Integer(),
  symbol: Type.String(),
  side: Type.Union([Type.Literal('long'), Type.Literal('short'), Type.Null()], {
    description: 'null when it is closed.',
  }),
  size: Type.String({ description: 'In base currency.' }),
  entry_price: nullable('The average price of what is held, in quote currency.'),
  price: nullable('The current price; null where none is at hand.'),
  unrealised: nullable('What closing it at that price would realise before fees, in quote currency.'),
  realised: Type.String({ description: 'By all fills of this symbol, after fees, in quote currency.' }),
  fees: Type.String({ description: 'Of all fills of this symbol, in quote currency.' }),
  opened_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  updated_at: Type.String({ format: 'date-time' }),
})

export function presentPosition(position: ValuedPosition) {
  return {
    bot_id: position.botId,
    symbol: position.symbol,
    side: position.side,
    size: exactly(position.size),
    entry_price: asPrice(position.entryPrice),
    price: asPrice(position.price),
    unrealised: asMoney(position.unrealised),
    realised: asMoney(position.realised),
    fees: asMoney(position.fees),
    opened_at: position.openedAt?.toISOString() ?? null,
    updated_at: position.updatedAt.toISOString(),
  }
}
