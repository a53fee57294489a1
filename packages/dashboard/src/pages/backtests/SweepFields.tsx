import { useState } from 'react'
import { FoldedGroup, SelectField, WholeRow } from '../../parts/Choices.tsx'
import { TextArea, TextField } from '../../parts/Field.tsx'
import type { Given } from './backtests.ts'
import { type SweepKind, sweptSettings, textsOf } from './form-sweep.ts'

const names = {
  amount: 'Amounts to try',
  fee_rate: 'Fees to try',
  slippage_rate: 'Slippages to try',
  spread_rate: 'Spreads to try',
}

const objectives = {
  return_percent: 'Return',
  cagr_percent: 'Return of a year',
  sharpe: 'Sharpe ratio',
  sortino: 'Sortino ratio',
  calmar: 'Calmar ratio',
  profit_factor: 'Profit factor',
  expectancy: 'Expectancy',
  sqn: 'System quality number',
}

/** Many combinations of parameters, and of settings of the bot, instead of one backtest. */
export function SweepFields({
  given,
  problemOf,
}: {
  /** The sweep of the backtest that the form begins with. */
  given: Given['sweep']
  problemOf: (field: string) => string | undefined
}) {
  const before = textsOf(given)
  const [kind, setKind] = useState<SweepKind>(before.kind)
  const problem =
    problemOf('sweep_values') ??
    problemOf('sweep.parameters.*') ??
    problemOf('sweep.sets*') ??
    problemOf('sweep')
  return (
    <FoldedGroup
      title="Sweep: try many combinations"
      isOpen={before.kind !== 'none' || problem !== undefined}
    >
      <WholeRow>
        <SelectField
          label="What to try"
          name="sweep_kind"
          value={kind}
          onChange={(event) => setKind(event.target.value as SweepKind)}
          hint="The report is that of the best combination, and counts all of them as trials."
        >
          <option value="none">Only what stands above</option>
          <option value="grid">Every combination of values</option>
          <option value="sets">Sets of values</option>
        </SelectField>
      </WholeRow>
      {kind !== 'none' && (
        <>
          <WholeRow>
            <TextArea
              key={kind}
              label={kind === 'grid' ? 'Values of each name' : 'Sets'}
              name="sweep_values"
              isCode
              rows={4}
              defaultValue={kind === before.kind ? before.values : ''}
              placeholder={
                kind === 'grid' ? 'FAST=5, 10, 20\nSLOW=50..200/25' : 'FAST=5, SLOW=50\nFAST=10, SLOW=100'
              }
              hint={
                kind === 'grid'
                  ? 'One name a line, which the code reads as $.Env.NAME, with a list of values, or a range: 5..50/5 is 5, 10, … 50. It may be empty if you try settings of the bot.'
                  : 'One set a line. All have the same names, which the code reads as $.Env.NAME.'
              }
              problem={problem}
            />
          </WholeRow>
          {sweptSettings.map((name) => (
            <TextField
              key={name}
              label={names[name]}
              name={`sweep_${name}`}
              defaultValue={given?.settings?.[name]?.join(', ') ?? ''}
              hint="With commas between them. Empty: only that of the bot."
              problem={problemOf(`sweep.settings.${name}*`)}
            />
          ))}
          {kind === 'grid' && (
            <TextField
              label="Try only so many"
              name="sweep_random"
              inputMode="numeric"
              defaultValue={given?.random ?? ''}
              placeholder="All"
              hint="The seed chooses them."
              problem={problemOf('sweep.random')}
            />
          )}
          <SelectField
            label="The best one has the highest"
            name="sweep_objective"
            defaultValue={given?.objective ?? 'return_percent'}
            problem={problemOf('sweep.objective')}
          >
            {Object.entries(objectives).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </SelectField>
          <TextField
            label="End a combination early at a drawdown of, in percent"
            name="sweep_end_at_drawdown"
            inputMode="decimal"
            defaultValue={given?.end_at_drawdown_percent ?? ''}
            placeholder="Never"
            hint="It is then never the best."
            problem={problemOf('sweep.end_at_drawdown_percent')}
          />
          <WalkFields given={given?.walk_forward} problemOf={problemOf} />
        </>
      )}
    </FoldedGroup>
  )
}

/** Choosing on one stretch of time, and trading on the next. */
function WalkFields({
  given,
  problemOf,
}: {
  given: NonNullable<Given['sweep']>['walk_forward']
  problemOf: (field: string) => string | undefined
}) {
  return (
    <>
      <TextField
        label="Walk forward: days of each training"
        name="sweep_train_days"
        inputMode="numeric"
        defaultValue={given?.train_days ?? ''}
        placeholder="No walk-forward"
        hint="The combination with the best return of a training is traded on the test after it."
        problem={problemOf('sweep.walk_forward.train_days') ?? problemOf('sweep.walk_forward')}
      />
      <TextField
        label="Walk forward: days of each test"
        name="sweep_test_days"
        inputMode="numeric"
        defaultValue={given?.test_days ?? ''}
        hint="The report is that of all tests together."
        problem={problemOf('sweep.walk_forward.test_days')}
      />
      <SelectField
        label="Each training begins"
        name="sweep_anchored"
        defaultValue={String(given?.anchored ?? false)}
      >
        <option value="false">So many days before its test</option>
        <option value="true">With the first candle</option>
      </SelectField>
    </>
  )
}
