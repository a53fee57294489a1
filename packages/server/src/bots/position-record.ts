import { Type } from 'typebox'
import { toPosition } from './position-rows.ts'
import { PositionProtection, presentProtection } from './protection/record.ts'
import type { ShownPosition } from './records.ts'
import { asMoney, asPrice, exactly } from './shown-figures.ts'

const nullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

/** A position as the API shows it, in lists and with its bot. */
export const PositionRecord = Type.Object({
  bot_id: Type.Integer(),
  demo: Type.Boolean({
    description: 'Whether the bot trades with a demo account, without real money.',
  }),
  symbol: Type.String(),
  side: Type.Union([Type.Literal('long'), Type.Literal('short'), Type.Null()], {
    description: '`null` for a closed position.',
  }),
  size: Type.String({ description: 'In base currency.' }),
  entry_price: nullableText('The average price of the position, in quote currency, without fees.'),
  price: nullableText('The current price, in quote currency; `null` if there is none.'),
  unrealised: nullableText(
    'The profit or loss of closing at `price`, before fees, in quote currency; `null` without a price.',
  ),
  realised: Type.String({
    description: 'The profit or loss of all fills of the symbol, after fees, in quote currency.',
  }),
  fees: Type.String({ description: 'The fees of all fills of the symbol, in quote currency.' }),
  funding: Type.String({
    description:
      'The funding payments of the symbol so far, which `realised` includes, in quote currency. Negative if the bot paid.',
  }),
  leverage: nullableText(
    'How many times its margin the position is worth, as the exchange says; `null` on paper and on spot, or until the exchange says so.',
  ),
  margin_mode: Type.Union([Type.Enum(['cross', 'isolated']), Type.Null()], {
    description: 'As the exchange says; `null` on paper and on spot, or until the exchange says so.',
  }),
  liquidation_price: nullableText(
    'Where the exchange would close the position of the account in this symbol, as the exchange calculates it, at most a minute or two ago; `null` if it does not say.',
  ),
  opened_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  updated_at: Type.String({ format: 'date-time' }),
  protection: Type.Union([PositionProtection, Type.Null()], {
    description: 'What closes the position without a signal; `null`: nothing does.',
  }),
})

export function presentPosition(position: ShownPosition) {
  const margin = position.side === null ? null : position.margin
  return {
    bot_id: position.botId,
    demo: position.isDemo,
    symbol: position.symbol,
    side: position.side,
    size: exactly(position.size),
    entry_price: asPrice(position.entryPrice),
    price: asPrice(position.price),
    unrealised: asMoney(position.unrealised),
    realised: asMoney(position.realised),
    fees: asMoney(position.fees),
    funding: asMoney(position.funding),
    leverage: margin === null || margin.leverage === null ? null : exactly(margin.leverage),
    margin_mode: margin?.mode ?? null,
    liquidation_price: asPrice(margin?.liquidationPrice ?? null),
    opened_at: position.openedAt?.toISOString() ?? null,
    updated_at: position.updatedAt.toISOString(),
    protection: presentProtection(toPosition(position), position.protection, position),
  }
}
