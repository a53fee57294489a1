import { Type } from 'typebox'
import { orNull } from '../../strategies/fields.ts'

/** The report of a bot, as `report/report.ts` makes it. */

const Figure = Type.Object({
  value: orNull(Type.Number()),
  reason: orNull(Type.String({ description: 'Why there is no value.' })),
})

const Metric = Type.Object({
  name: Type.String(),
  label: Type.String(),
  unit: Type.String({ description: '`percent`, `ratio`, `days`, `money` or `count`.' }),
  formula: Type.String(),
  source: Type.String(),
  ...Figure.properties,
})

const Named = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })

export const CheckRecord = Type.Object({
  name: Type.String(),
  label: Type.String(),
  verdict: Type.String({ description: '`doubt`, `good` or `unknown`.' }),
  value: orNull(Type.Number()),
  unit: Type.String(),
  says: Type.String({ description: 'A sentence for people.' }),
  doubt_if: Type.String(),
  source: Type.String(),
})

export const ReportRecord = Type.Object({
  digest: Type.String(),
  request: Named('What was asked for.'),
  bot: Type.Object({ name: Type.String(), settings: Named('As in the settings of a bot.') }),
  symbols: Type.Array(Type.String()),
  quote: Type.String(),
  from: Type.String({ format: 'date-time' }),
  to: Type.String({ format: 'date-time' }),
  assumptions: Type.Object({ days_per_year: Type.Number(), risk_free_percent: Type.Number() }),
  start_equity: Type.Number(),
  end_equity: Type.Number(),
  metrics: Type.Array(Metric),
  definitions: Type.Record(Type.String(), Type.Array(Metric), {
    description: 'The figures as other tools define them.',
  }),
  checks: Type.Array(CheckRecord, { description: 'Reasons for doubt.' }),
  costs: Type.Object({
    fees: Type.Number(),
    spread: Type.Number(),
    slippage: Type.Number(),
    funding: Type.Number(),
    total: Type.Number(),
  }),
  days: Type.Array(Type.Object({ day: Type.String(), equity: Type.Number() })),
  months: Type.Array(Type.Object({ month: Type.String(), equity: Type.Number(), return_percent: Figure })),
  drawdowns: Type.Array(
    Type.Object({
      from: Type.String(),
      until: Type.String(),
      depth_percent: Type.Number(),
      amount: Type.Number(),
      is_over: Type.Boolean(),
    }),
  ),
  outcomes: Type.Record(Type.String(), Type.Integer(), {
    description: 'How many signals ended in which way.',
  }),
  candles: Type.Integer(),
  fills: Type.Integer(),
})
