/** The model of the market in requests and responses. */
import { Type } from 'typebox'
import { orNull, wholeNumber } from '../../strategies/fields.ts'
import { longestLatencyMs } from '../../trading/market-conditions.ts'
import { mostFundingHours } from '../market-model.ts'

/** More come from a stored series. */
const mostGivenRates = 10_000

const Numeric = Type.Number({ minimum: -1e18, maximum: 1e18 })
const Text = Type.String({ maxLength: 64 })
const Amount = (description: string) => Type.Optional(Type.Union([Text, Numeric], { description }))

const texts = {
  participation:
    'How much of the volume of a candle a bot may trade, as a fraction: `0.1`. `null`, the default: any amount.',
  latency: 'How many milliseconds pass from a signal to its fill. Default 0.',
  sizeStep: 'Sizes are rounded down to it, in base currency. Default 0.00000001.',
  minSize: 'The smallest order, in base currency. Default: the size step.',
  minNotional: 'The smallest value of an order, in quote currency. Default 0.',
  maintenance:
    'Which part of its value a position needs as margin, as a fraction. It counts for bots with a `leverage` on futures, whose margin is isolated. Default 0.005.',
  funding:
    'What positions in a perpetual pay at fixed moments. `null`, the default: nothing. A backtest fails if a bot holds a position at a moment whose rate is neither given nor assumed.',
  series: 'A stored series of funding rates, see `GET /candle`: one of yours, or one from an exchange.',
  assume: 'The rate of each moment that the rates lack, or of all moments, as a fraction: `0.0001`.',
  every: 'The hours between two moments. Default: the most common distance of the rates, or else 8.',
}

const Hours = Type.Integer({ minimum: 1, maximum: mostFundingHours, description: texts.every })

const FundingBody = Type.Object({
  candle_id: Type.Optional(Type.Integer({ ...wholeNumber, description: texts.series })),
  rates: Type.Optional(
    Type.Array(Type.Array(Type.Union([Text, Numeric]), { minItems: 2, maxItems: 3 }), {
      maxItems: mostGivenRates,
      description:
        'Instead of `candle_id`: the rates, oldest first, as `[time, rate]` or `[time, rate, price]`, with the mark price.',
    }),
  ),
  assume: Amount(texts.assume),
  every_hours: Type.Optional(Hours),
})

export const MarketBody = Type.Object(
  {
    participation: Type.Optional(orNull(Type.Union([Text, Numeric], { description: texts.participation }))),
    latency_ms: Type.Optional(
      Type.Integer({ minimum: 0, maximum: longestLatencyMs, description: texts.latency }),
    ),
    size_step: Amount(texts.sizeStep),
    min_size: Amount(texts.minSize),
    min_notional: Amount(texts.minNotional),
    maintenance: Amount(texts.maintenance),
    funding: Type.Optional(orNull(FundingBody)),
  },
  {
    description:
      'What the market of the candles is like, for all bots. Default: it takes any order, at once.',
  },
)

export const MarketRecord = Type.Object({
  participation: orNull(Type.String({ description: texts.participation })),
  latency_ms: Type.Integer({ description: texts.latency }),
  size_step: Type.String({ description: texts.sizeStep }),
  min_size: Type.String({ description: texts.minSize }),
  min_notional: Type.String({ description: texts.minNotional }),
  maintenance: Type.String({ description: texts.maintenance }),
  funding: orNull(
    Type.Object(
      {
        candle_id: orNull(Type.Integer({ description: texts.series })),
        assume: orNull(Type.String({ description: texts.assume })),
        every_hours: orNull(Type.Integer({ description: texts.every })),
        moments: Type.Integer({ description: 'How often positions pay in this time.' }),
        unknown: Type.Integer({ description: 'At how many of these moments nobody knows the rate.' }),
      },
      { description: texts.funding },
    ),
  ),
})
