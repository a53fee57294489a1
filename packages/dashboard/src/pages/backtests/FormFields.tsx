import { plainText } from '../../base/text.ts'
import { CheckField, FieldGroup, SelectField, WholeRow } from '../../parts/Choices.tsx'
import { TextArea, TextField } from '../../parts/Field.tsx'
import { BotFields } from './BotFields.tsx'
import type { Backtest, Given } from './backtests.ts'
import { asksModel, type Choices, textOfSeries } from './choices.ts'
import { MarketFields } from './MarketFields.tsx'
import { ModelFields } from './ModelFields.tsx'
import { type Source, SourceFields } from './SourceFields.tsx'
import { StartFields } from './StartFields.tsx'
import { SweepFields } from './SweepFields.tsx'

type Props = {
  choices: Choices
  strategyId: number | null
  onStrategy: (id: number | null) => void
  hasDraft: boolean
  source: Source
  onSource: (source: Source) => void
  earlier: Backtest | undefined
  given: Given | undefined
  problemOf: (field: string) => string | undefined
}

/** What to test, on which candles, with which parameters, and who follows. */
export function FormFields({ choices, source, onSource, earlier, given, problemOf, ...code }: Props) {
  return (
    <>
      <FieldGroup title={source === 'signals' ? 'Signals' : 'Code'}>
        <SourceFields {...{ choices, source, onSource, earlier, problemOf }} />
        {source !== 'signals' && <CodeFields {...{ choices, source, earlier, problemOf, ...code }} />}
      </FieldGroup>
      <CandleFields {...{ choices, earlier, problemOf }} />
      <BotFields bots={choices.bots} earlier={earlier} problemOf={problemOf} />
      <FieldGroup title="More">
        <SelectField label="Positions at the end" name="at_end" defaultValue={earlier?.at_end ?? 'hold'}>
          <option value="hold">Count at their last price</option>
          <option value="close">Are closed</option>
        </SelectField>
        <TextField
          label="Seed"
          name="seed"
          inputMode="numeric"
          defaultValue={earlier?.seed ?? ''}
          placeholder="1"
          hint="Of Math.random. The same seed gives the same numbers."
          problem={problemOf('seed')}
        />
        {source !== 'signals' && (
          <WholeRow>
            <CheckField
              name="examine"
              label="Ask whether the code looks ahead"
              hint="Runs the code again on other data. That takes up to four times as long."
              defaultChecked={earlier?.examine ?? true}
            />
          </WholeRow>
        )}
      </FieldGroup>
      <MarketFields {...{ choices, earlier, given, problemOf }} />
      {source !== 'signals' && <StartFields {...{ earlier, given, problemOf }} />}
      <SweepFields given={given?.sweep ?? null} problemOf={problemOf} />
    </>
  )
}

function CodeFields({
  choices,
  source,
  strategyId,
  onStrategy,
  hasDraft,
  earlier,
  problemOf,
}: Pick<Props, 'choices' | 'source' | 'strategyId' | 'onStrategy' | 'hasDraft' | 'earlier' | 'problemOf'>) {
  const isModel = source === 'deliveries' && asksModel(choices, strategyId)
  return (
    <>
      <SelectField
        label="Strategy or reaction"
        name="strategy_id"
        value={strategyId ?? ''}
        onChange={(event) => onStrategy(Number(event.target.value) || null)}
        problem={problemOf('strategy_id')}
      >
        <option value="">Choose the code</option>
        {choices.strategies.map(([id, { name }]) => (
          <option key={id} value={id}>
            {plainText(name) || `Strategy ${id}`}
          </option>
        ))}
      </SelectField>
      {hasDraft && (
        <CheckField
          key={strategyId}
          name="use_draft"
          label="Test the draft that you have not saved"
          defaultChecked
        />
      )}
      {isModel ? (
        <ModelFields {...{ earlier, problemOf }} />
      ) : (
        <WholeRow>
          <TextArea
            label="Parameters"
            name="parameters"
            isCode
            rows={3}
            defaultValue={parametersOf(earlier)}
            placeholder={'FAST=5\nSLOW=20'}
            hint="One NAME=value a line. The code reads each as $.Env.NAME. They replace your variables of the same name."
            problem={problemOf('parameters') ?? problemOf('parameters.*')}
          />
        </WholeRow>
      )}
    </>
  )
}

function CandleFields({ choices, earlier, problemOf }: Pick<Props, 'choices' | 'earlier' | 'problemOf'>) {
  const day = (moment: string | null | undefined) => moment?.slice(0, 10) ?? ''
  return (
    <FieldGroup title="Candles">
      <WholeRow>
        <SelectField
          // Candles that were just imported are those that are meant.
          key={choices.series.length}
          label="Candles"
          name="candle_id"
          defaultValue={candlesOf(choices, earlier)}
          problem={problemOf('candle_id')}
          hint={
            choices.series.length === 0 ? 'There are no candles yet. Import some from a file.' : undefined
          }
        >
          <option value="">Choose the candles</option>
          {choices.series.map((series) => (
            <option key={series.id} value={series.id}>
              {textOfSeries(series)}
            </option>
          ))}
        </SelectField>
      </WholeRow>
      <TextField
        label="From"
        name="from"
        type="date"
        defaultValue={day(earlier?.from)}
        hint="The first day (UTC). Empty: all candles."
        problem={problemOf('from')}
      />
      <TextField
        label="To"
        name="to"
        type="date"
        defaultValue={lastDayOf(earlier?.to)}
        hint="The last day (UTC)."
        problem={problemOf('to')}
      />
      <TextField
        label="Warm-up from"
        name="warmup_from"
        type="date"
        defaultValue={day(earlier?.warmup_from)}
        hint="The code runs from this day on. Bots follow only the signals from the first day on."
        problem={problemOf('warmup_from')}
      />
    </FieldGroup>
  )
}

/** Those of the earlier backtest, if they are still there: others would be another question. */
function candlesOf({ series }: Choices, earlier: Backtest | undefined): number | '' {
  // The service keeps seen prices by itself. Nobody has chosen them yet.
  if (earlier === undefined)
    return (series.findLast(({ source }) => source !== 'seen') ?? series.at(-1))?.id ?? ''
  return series.find(({ id }) => id === earlier.candle_id)?.id ?? ''
}

/** The end of a backtest is the beginning of the day after its last one. */
function lastDayOf(to: string | null | undefined): string {
  return to == null ? '' : new Date(Date.parse(to) - 1).toISOString().slice(0, 10)
}

function parametersOf(earlier: Backtest | undefined): string {
  return Object.entries(earlier?.parameters ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}
