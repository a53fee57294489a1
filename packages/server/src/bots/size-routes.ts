import { type Static, Type } from 'typebox'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, Id, Nullable } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import { currencyOfAmount } from '../trading/amounts.ts'
import { readSettings, settableSettings } from './settings.ts'
import { asMoney, asPrice, exactly } from './shown-figures.ts'
import { mostPreviewed, type SizePreview, type SizePreviewer } from './size-preview.ts'

const { symbol, amount, amount_unit, amount_currency, amount_rate, max_position } = settableSettings
const { start_balance, fee_rate, slippage_rate, spread_rate } = settableSettings
const { size_step, min_size, min_notional, participation, maintenance } = settableSettings
const { protection, require_stop, max_stop_distance, leverage, margin_mode } = settableSettings
const settings = { symbol, amount, amount_unit, amount_currency, amount_rate, max_position }
const costs = { start_balance, fee_rate, slippage_rate, spread_rate }
const orders = { size_step, min_size, min_notional, participation, maintenance }
const stops = { protection, require_stop, max_stop_distance, leverage, margin_mode }

const PreviewBody = Type.Object(
  {
    exchange_id: { ...Id, description: 'An enabled exchange, or the simulated market.' },
    ...Type.Partial(Type.Object({ ...settings, ...costs, ...orders, ...stops })).properties,
    mode: Type.Optional(
      Type.Enum(['paper', 'live'], {
        description: 'Of the bot, for a part of its equity. Default: `paper`.',
      }),
    ),
    bot_id: Type.Optional({
      ...Id,
      description:
        'A bot of yours whose equity counts. Without it, that of a new bot is its `start_balance`. It counts only if `amount_unit` is `equity_percent` or `risk_percent`.',
    }),
    connection_id: Type.Optional({
      ...Id,
      description:
        'The account of a live bot. A stop at which its last known worth would be used up is refused, as the bot would refuse it.',
    }),
  },
  { examples: [{ exchange_id: 472, symbol: 'BTC/USDT', amount: '1000' }] },
)

const Preview = Type.Object({
  symbol: Type.String(),
  status: Type.Enum(['OPENS', 'REFUSED', 'UNKNOWN'], {
    description:
      '`OPENS`: the bot would place this order. `REFUSED`: it would refuse the signal. `UNKNOWN`: nobody can say now, for example without a price.',
  }),
  reason: Nullable(Type.String({ description: 'Why it does not open, with the figures.' })),
  price: Nullable(Type.String({ description: 'The current price, in quote currency.' })),
  size: Nullable(
    Type.String({ description: 'Of the order, in base currency: a multiple of the size step.' }),
  ),
  value: Nullable(Type.String({ description: 'What that size is worth at the price, in quote currency.' })),
  base: Nullable(Type.String()),
  quote: Nullable(Type.String()),
  stop_price: Nullable(
    Type.String({ description: 'Where the stop of the new position would stand; `null` if it has none.' }),
  ),
  loss_at_stop: Nullable(
    Type.String({
      description:
        'What the position loses if that stop closes it, in quote currency, with the fees of both orders, the slippage and the spread.',
    }),
  ),
  note: Nullable(
    Type.String({
      description:
        'With `participation`: that the market may take less, which is known only when the order is executed.',
    }),
  ),
})

const Previews = Type.Object({
  amount: Type.String({ description: 'What each order is for.' }),
  amount_in: Nullable(Type.String({ description: 'The currency of `amount`, as in the record of a bot.' })),
  symbol_count: Type.Integer({ description: 'How many symbols the bot would trade; 1 if it names none.' }),
  previews: Type.Array(Preview, { description: `For at most ${mostPreviewed} symbols.` }),
})

/** What bots would order, before they exist. */
export function sizeRoutes(sizes: SizePreviewer): Routes {
  return (scope) => {
    scope.post(
      '/bot/signal/cex/size',
      {
        schema: {
          tags: ['Signal bots'],
          security: signedRequest,
          summary: 'Preview the size of an opening order',
          description:
            'What the next LONG without a size would buy at the current price with these settings, by the rules and limits that bots follow. It changes nothing. Settings that a new bot could not have are refused in the same way.',
          body: PreviewBody,
          response: { 200: Previews, ...errorResponses(400, 401, 404, 413, 415, 429, 500) },
        },
      },
      async ({ principal: { userId }, body }) => {
        const { exchange_id, mode = 'paper', bot_id, connection_id, ...fields } = body
        const { settings, symbolCount, previews } = await sizes.preview(exchange_id, readSettings(fields), {
          ...{ mode, userId, botId: bot_id ?? null, connectionId: connection_id ?? null },
        })
        return {
          amount: exactly(settings.amount),
          amount_in: currencyOfAmount(settings),
          symbol_count: symbolCount,
          previews: previews.map(present),
        }
      },
    )
  }
}

function present(preview: SizePreview): Static<typeof Preview> {
  const { symbol, price, status } = preview
  const common = { symbol, status, price: asPrice(price) }
  if (preview.status !== 'OPENS') {
    const none = {
      size: null,
      value: null,
      base: null,
      quote: null,
      stop_price: null,
      loss_at_stop: null,
      note: null,
    }
    return { ...common, reason: preview.reason, ...none }
  }
  const { size, value, base, quote, stop, note } = preview
  const order = { reason: null, size: exactly(size), value: asMoney(value), base, quote }
  return {
    ...common,
    ...order,
    stop_price: asPrice(stop?.price ?? null),
    loss_at_stop: asMoney(stop?.loss ?? null),
    note,
  }
}
