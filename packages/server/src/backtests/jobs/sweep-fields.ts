/** The fields of sweeps in requests and responses. */
import { Type } from 'typebox'
import { settableSettings } from '../../bots/settings.ts'
import { orNull } from '../../strategies/fields.ts'
import { endingDrawdowns, mostCombinations, objectives } from '../sweep/plan.ts'
import { CheckRecord } from './report-record.ts'
import { WalkBody, WalkRecord, WindowRecord } from './walk-fields.ts'

const ParameterValue = Type.Union([
  Type.String({ maxLength: 1_000 }),
  Type.Number({ minimum: -1e18, maximum: 1e18 }),
])
const mostAxes = 20
const values = { minItems: 1, maxItems: mostCombinations }

const { amount, fee_rate, slippage_rate, spread_rate } = settableSettings
const Values = (setting: typeof amount) => Type.Optional(Type.Array(setting, values))

export const SweepBody = Type.Object(
  {
    parameters: Type.Optional(
      Type.Record(Type.String(), Type.Array(ParameterValue, values), {
        maxProperties: mostAxes,
        description: 'The values of each parameter. Every combination is tried.',
      }),
    ),
    sets: Type.Optional(
      Type.Array(Type.Record(Type.String(), ParameterValue, { maxProperties: mostAxes }), {
        ...values,
        description: 'Instead of `parameters`: the sets of parameters to try. All have the same names.',
      }),
    ),
    settings: Type.Optional(
      Type.Object(
        {
          amount: Values(amount),
          fee_rate: Values(fee_rate),
          slippage_rate: Values(slippage_rate),
          spread_rate: Values(spread_rate),
        },
        {
          description:
            'The values of settings of the bot. They run no code again, unless it asks what its bot holds.',
        },
      ),
    ),
    random: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: mostCombinations,
        description: 'Tries only so many of the combinations, which the seed chooses.',
      }),
    ),
    objective: Type.Optional(
      Type.Enum([...objectives], {
        description: 'The figure by which a combination is the best. Default `return_percent`.',
      }),
    ),
    walk_forward: Type.Optional(WalkBody),
    end_at_drawdown_percent: Type.Optional(
      Type.Number({
        minimum: endingDrawdowns.least,
        maximum: endingDrawdowns.most,
        description:
          'A combination ends early at the first close at which its equity is so far below its highest at a close, in percent. It cannot be the best. Default: none ends early.',
      }),
    ),
  },
  {
    description:
      'Tries many combinations, 1,000 at most, with one bot. The report is that of the best one, and counts all of them as trials.',
  },
)

const Axis = Type.Object({
  of: Type.String({ description: '`parameter` of the code, or `setting` of the bot.' }),
  name: Type.String(),
  values: Type.Array(Type.String(), { description: 'In the order in which they are neighbours.' }),
})

/** In the record of a backtest. */
export const SweepSummaryRecord = Type.Object({
  parameters: Type.Array(Type.String(), { description: 'The names of those that it varies.' }),
  settings: Type.Array(Type.String(), { description: 'Those of the bot that it varies.' }),
  combinations: Type.Integer({ description: 'How many it tries.' }),
  random: orNull(Type.Integer({ description: 'So many of all combinations, which the seed chooses.' })),
  objective: Type.String({ description: 'The figure by which one is the best.' }),
  walk_forward: orNull(WalkRecord),
  end_at_drawdown_percent: orNull(
    Type.Number({ description: 'The fall of the equity at which a combination ends early.' }),
  ),
})

const figure = orNull(Type.Number())
const Varied = (description: string) => Type.Record(Type.String(), Type.String(), { description })

const CombinationRecord = Type.Object({
  number: Type.Integer({ description: 'Counts from 1.' }),
  parameters: Varied('Those that the sweep varies.'),
  settings: Varied('Those of the bot that the sweep varies.'),
  ended_at: Type.Optional(
    orNull(
      Type.String({
        format: 'date-time',
        description:
          'When it ended early. Its figures are as if its equity had stayed the same from then on, and its digest is its own.',
      }),
    ),
  ),
  end_equity: Type.Number(),
  return_percent: figure,
  cagr_percent: figure,
  max_drawdown_percent: figure,
  max_drawdown_within_percent: figure,
  sharpe: figure,
  sortino: figure,
  calmar: figure,
  profit_factor: figure,
  expectancy: figure,
  sqn: figure,
  win_rate_percent: figure,
  trades: Type.Integer(),
  failed: Type.Integer({ description: 'Runs of the code that failed.' }),
  violated: Type.Integer({ description: 'Runs that broke a rule.' }),
  digest: Type.String({ description: 'That of a backtest with these parameters and settings.' }),
})

export const SweepRecord = Type.Object({
  objective: Type.String({ description: 'The figure by which one is the best.' }),
  best: Type.Integer({
    description:
      'The number of the best combination, on all candles. The report is its own, unless it is that of a walk-forward.',
  }),
  axes: Type.Array(Axis),
  neighbours: Type.Array(
    Type.Object({
      of: Type.String(),
      name: Type.String(),
      value: Type.String(),
      combination: Type.Integer({ description: 'Its number.' }),
      change: orNull(Type.Number({ description: 'Its objective, less that of the best.' })),
    }),
    { description: 'Those that differ from the best in one parameter or setting, by one of its values.' },
  ),
  neighbours_mean: orNull(Type.Number({ description: 'The mean of the objective over the neighbours.' })),
  walk_forward: Type.Optional(
    orNull(Type.Array(WindowRecord, { description: 'The windows of a walk-forward, in order of time.' })),
  ),
  checks: Type.Array(CheckRecord, { description: 'Those of the report that ask for luck.' }),
  combinations: Type.Array(CombinationRecord),
})
