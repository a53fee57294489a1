/** The fields of backtests in requests and responses. */
import { highestSeed } from '@tickwright/sandbox'
import { Type } from 'typebox'
import { RunErrorRecord, ViolationRecord } from '../../runs/schemas.ts'
import { Code, orNull, wholeNumber } from '../../strategies/fields.ts'
import { BotSettingsBody } from './bot-fields.ts'
import { MarketBody, MarketRecord } from './market-fields.ts'
import { ModelRecord, modelFields } from './model-fields.ts'
import { startFields } from './start-state.ts'
import { SweepBody, SweepSummaryRecord } from './sweep-fields.ts'

const Id = Type.Integer(wholeNumber)
const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })
const Moment = (description: string) => Type.String({ format: 'date-time', maxLength: 64, description })

/** More come from stored candles. */
export const mostGivenCandles = 10_000
export const mostBots = 20
const mostAnswers = 200
export const mostParameters = 100

export const Answer = Type.Object({
  method: Type.String({ maxLength: 10, description: 'Such as `GET`.' }),
  url: Type.String({ maxLength: 8_192, description: 'With its query.' }),
  body: Type.Optional(orNull(Type.String({ maxLength: 262_144 }))),
  status: Type.Integer({ minimum: 100, maximum: 599 }),
  text: Type.String({ maxLength: 262_144 }),
})

export const NewBacktest = Type.Object(
  {
    strategy_id: Type.Optional({
      ...Id,
      description:
        'One of your strategies or reactions with code; or, with the source `deliveries`, an AI reaction, whose recorded decisions the bots follow.',
    }),
    version: Type.Optional({ ...Id, description: 'Its version. Default: the current one.' }),
    code: Type.Optional(Code('Code instead of a strategy, or instead of the code of the strategy.')),
    source: Type.Optional(
      Type.Enum(['candles', 'deliveries', 'signals'], {
        description:
          '`candles`, the default: the code runs at the end of each candle. `deliveries`: it runs on each stored delivery of a data webhook. `signals`: no code runs, and the bots follow the stored signals of a bot webhook.',
      }),
    ),
    candle_id: Type.Optional({
      ...Id,
      description: 'A stored series of candles, see `GET /candle`: one of yours, or one from an exchange.',
    }),
    webhook_id: Type.Optional({
      ...Id,
      description:
        'One of your data webhooks, for the source `deliveries`. Default: the one that the reaction is attached to.',
    }),
    bot_webhook_id: Type.Optional({
      ...Id,
      description: 'One of your bot webhooks, for the source `signals`.',
    }),
    symbol: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'The market of the candles: `BTC/USDT` for spot, `BTC/USDT:USDT` for futures. Default: that of the series.',
      }),
    ),
    candles: Type.Optional(
      Type.Array(Type.Array(Type.Number({ minimum: -1e18, maximum: 1e18 }), { minItems: 5, maxItems: 6 }), {
        minItems: 1,
        maxItems: mostGivenCandles,
        description:
          'Instead of `candle_id`: finished candles, oldest first, as `[time, open, high, low, close, volume]`, with the time of the opening in Unix milliseconds.',
      }),
    ),
    from: Type.Optional(Moment('The bots trade from this time on. Default: all candles.')),
    to: Type.Optional(Moment('Only candles that end until then.')),
    warmup_from: Type.Optional(
      Moment('The code runs from this time on, but the bots follow only signals after `from`.'),
    ),
    parameters: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([Type.String({ maxLength: 1_000 }), Type.Number({ minimum: -1e18, maximum: 1e18 })]),
        {
          maxProperties: mostParameters,
          description: 'Variables, which code reads as `$.Env.NAME`; they replace those of your account.',
        },
      ),
    ),
    ...startFields,
    ...modelFields,
    bots: Type.Optional(
      Type.Array(Type.Union([Id, BotSettingsBody]), {
        minItems: 1,
        maxItems: mostBots,
        description:
          'The bots that follow: ids of your signal bots, or settings. What you leave out is as for a new bot. Default: one new bot.',
      }),
    ),
    market: Type.Optional(MarketBody),
    http: Type.Optional(
      Type.Enum(['none', 'read'], {
        description:
          '`none`, the default: requests of `$.Http` are not sent, see `answers`. `read`: GETs that have no answer there are sent, so the result cannot be repeated.',
      }),
    ),
    answers: Type.Optional(
      Type.Array(Answer, {
        maxItems: mostAnswers,
        description: 'What requests of `$.Http` get, by method, address and body. Others get the status 403.',
      }),
    ),
    seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: highestSeed,
        description: 'The seed of `Math.random` in the first run. Default 1.',
      }),
    ),
    at_end: Type.Optional(
      Type.Enum(['hold', 'close'], {
        description:
          'An open position counts at its value at the last close (`hold`, the default), or is closed there.',
      }),
    ),
    examine: Type.Optional(
      Type.Boolean({
        description:
          'Runs the code again on other data, to see whether it looks ahead and needs a longer warm-up: up to four times as long. Default true.',
      }),
    ),
    sweep: Type.Optional(SweepBody),
    estimate: Type.Optional(
      Type.Boolean({ description: 'Checks the request and says what it takes, and starts nothing.' }),
    ),
  },
  {
    examples: [
      {
        code: "if ($.Price.price > 101) await $.Strategy.action('LONG')",
        symbol: 'BTC/USDT',
        candles: [
          [1735689600000, 100, 102, 99, 101.5, 12],
          [1735693200000, 101.5, 104, 101, 103, 9],
        ],
        parameters: {},
        bots: [{ amount: '500', fee_rate: '0.001' }],
      },
    ],
  },
)

export const EstimateRecord = Type.Object({
  candles: Type.Integer({ description: 'Those on which the bots trade.' }),
  deliveries: orNull(
    Type.Integer({
      description:
        'The stored deliveries in this time. Those without a price have no run, if the strategy uses a price.',
    }),
  ),
  model: orNull(ModelRecord),
  runs: Type.Integer({ description: 'How often the code runs, if it does not ask what its bot holds.' }),
  gaps: Type.Integer({ description: 'Places where candles are missing.' }),
  longest_gap_ms: Type.Number(),
  unknown_rates: Type.Integer({
    description:
      'At how many moments of funding nobody knows the rate. If a bot holds a position then, the backtest fails.',
  }),
  combinations: orNull(Type.Integer({ description: 'How many a sweep tries; `null` without one.' })),
  seconds: Type.Number({ description: 'About how long it takes, once it has begun.' }),
})

const ResultRecord = Type.Object({
  digest: Type.String(),
  quote: Type.String(),
  start_equity: Type.Number(),
  end_equity: Type.Number(),
  return_percent: orNull(Type.Number()),
  max_drawdown_percent: orNull(Type.Number()),
  sharpe: orNull(Type.Number()),
  trades: Type.Integer(),
})

export const BacktestRecord = Type.Object({
  id: Type.Integer(),
  status: Type.String({ description: 'QUEUED, RUNNING, FINISHED, FAILED or CANCELLED.' }),
  strategy_id: orNull(Type.Integer()),
  version: orNull(Type.Integer()),
  source: Type.String({ description: '`candles`, `deliveries` or `signals`.' }),
  webhook_id: orNull(Type.Integer({ description: 'The data webhook whose deliveries the code runs on.' })),
  deliveries: orNull(Type.Integer({ description: 'How many they are.' })),
  bot_webhook_id: orNull(Type.Integer()),
  candle_id: orNull(
    Type.Integer({ description: 'The stored series that the candles are from. It may have more by now.' }),
  ),
  symbol: Type.String(),
  candles: Type.Integer(),
  period_ms: Type.Number({ description: 'How long a candle lasts.' }),
  from: orNull(Timestamp),
  to: orNull(Timestamp),
  warmup_from: orNull(Timestamp),
  parameters: Type.Record(Type.String(), Type.String()),
  market: orNull(MarketRecord),
  storage: Type.String({
    description:
      'What the code found at its start: `empty`, `saved` or `given`; `recorded`: as the first recorded decision found it.',
  }),
  last_trigger: Type.String({ description: 'The same for the last trigger.' }),
  http: Type.String({ description: '`none`, or `read`: it sends GETs, and cannot be repeated.' }),
  seed: Type.Number(),
  at_end: Type.String(),
  examine: Type.Boolean(),
  model: orNull(ModelRecord),
  sweep: orNull(SweepSummaryRecord),
  progress: Type.Object(
    { runs: Type.Integer(), done: Type.Integer() },
    { description: 'Runs of the code, and how many of them are over. Trading and the report follow.' },
  ),
  bots: Type.Array(
    Type.Object({
      number: Type.Integer({ description: 'Counts from 1: the `bot` of its report.' }),
      id: orNull(Type.Integer({ description: 'The bot that the settings are from.' })),
      name: Type.String(),
      settings: Type.Record(Type.String(), Type.Unknown(), {
        description: 'As in the record of a signal bot.',
      }),
      result: orNull(ResultRecord),
    }),
  ),
  digest: orNull(Type.String({ description: 'The same request has the same digest, on any machine.' })),
  error: orNull(
    Type.String({ description: 'Why it failed, as a sentence. While it is `RUNNING`: why it waits.' }),
  ),
  created_at: Timestamp,
  started_at: orNull(Timestamp),
  finished_at: orNull(Timestamp),
})

const numbered = { id: Type.Integer({ description: 'Counts from 1, in order of time.' }) }
const Origin = Type.String({
  description:
    'Why its order was sent: `signal`, something that the bot does by itself, `liquidation`, or `end`.',
})

export const TradeRecord = Type.Object({
  ...numbered,
  symbol: Type.String(),
  side: Type.String({ description: 'LONG or SHORT.' }),
  opened_at: Timestamp,
  closed_at: Timestamp,
  size: Type.Number(),
  entry_price: Type.Number(),
  exit_price: Type.Number(),
  fees: Type.Number(),
  profit: Type.Number({ description: 'After all fees and funding.' }),
  origin: Origin,
})

export const FillRecord = Type.Object({
  ...numbered,
  at: Timestamp,
  symbol: Type.String(),
  side: Type.String(),
  size: Type.Number(),
  price: Type.Number(),
  fee: Type.Number(),
  spread_cost: Type.Number(),
  slippage_cost: Type.Number(),
  funding_cost: Type.Number(),
  realised: Type.Number(),
  position_after: Type.Number({ description: 'Negative for a short.' }),
  origin: Origin,
})

export const EquityRecord = Type.Object({
  ...numbered,
  at: Timestamp,
  equity: Type.Number({ description: 'At the close of a candle.' }),
  worst: Type.Number({ description: 'The lowest that it was since the point before.' }),
})

export const mostChartCandles = 1_000

export const CandleQuery = Type.Object(
  {
    interval: Type.Optional(
      Type.String({
        maxLength: 10,
        description: 'One of `intervals`. Default: the shortest in which all candles are at most `count`.',
      }),
    ),
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: mostChartCandles, description: 'How many. Default 1,000.' }),
    ),
    until: Type.Optional(Moment('Only candles that open before this moment. Default: the latest.')),
  },
  { examples: [{ interval: '1h', count: 200 }] },
)

export const CandlesRecord = Type.Object({
  symbol: Type.String(),
  interval: orNull(Type.String({ description: '`null` if the duration of the candles has no name.' })),
  intervals: Type.Array(Type.String(), { description: 'Those that there are, the shortest first.' }),
  candles: Type.Array(
    Type.Object({
      time: Type.Integer({ description: 'When it opened, in Unix milliseconds.' }),
      open: Type.Number(),
      high: Type.Number(),
      low: Type.Number(),
      last: Type.Number({ description: 'The close.' }),
      volume: Type.Number(),
    }),
    { description: 'Oldest first.' },
  ),
})

export const SignalRecord = Type.Object({
  ...numbered,
  at: Timestamp,
  action: Type.String({ description: 'LONG, SHORT or EXIT.' }),
  outcome: Type.String({
    description: 'What became of it, as for signals of bots; also `RESTING` and `UNFOLLOWED`.',
  }),
  reason: orNull(Type.String()),
})

export const RunRecord = Type.Object({
  ...numbered,
  at: { ...Timestamp, description: 'The end of its candle, or when its delivery came.' },
  status: Type.String({ description: 'SUCCEEDED, FAILED or VIOLATION.' }),
  log: orNull(Type.String()),
  error: orNull(RunErrorRecord),
  violation: orNull(ViolationRecord),
  suspended_until: orNull(Timestamp),
})
