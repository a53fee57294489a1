import { useState } from 'react'
import { FoldedGroup, SelectField, WholeRow } from '../../parts/Choices.tsx'
import { TextArea, TextField } from '../../parts/Field.tsx'
import type { Backtest, Given } from './backtests.ts'
import { type Choices, textOfSeries } from './choices.ts'
import { ownRates, textOfRates } from './form-conditions.ts'

const figures = [
  {
    name: 'participation',
    label: 'Part of the volume',
    placeholder: 'Any',
    hint: 'How much of the volume of a candle a bot may trade: 0.1 is a tenth.',
  },
  { name: 'latency_ms', label: 'Latency', placeholder: '0', hint: 'Milliseconds from a signal to its fill.' },
  {
    name: 'size_step',
    label: 'Size step',
    placeholder: '0.00000001',
    hint: 'In base currency. Sizes are rounded down to it.',
  },
  {
    name: 'min_size',
    label: 'Smallest size',
    placeholder: 'The size step',
    hint: 'Of an order, in base currency.',
  },
  {
    name: 'min_notional',
    label: 'Smallest value',
    placeholder: '0',
    hint: 'Of an order, in quote currency.',
  },
  {
    name: 'maintenance',
    label: 'Maintenance margin',
    placeholder: '0.005',
    hint: 'As a part of the value of a position. It counts for bots with a leverage.',
  },
] as const

/** What the market is like, for all bots. */
export function MarketFields({
  choices,
  earlier,
  given,
  problemOf,
}: {
  choices: Choices
  earlier: Backtest | undefined
  given: Given | undefined
  problemOf: (field: string) => string | undefined
}) {
  const market = earlier?.market ?? null
  const before = market?.funding ?? null
  const [isFunded, setFunded] = useState(before !== null)
  const rates = given?.funding_rates ?? null
  const stored = choices.funding.find(({ id }) => id === before?.candle_id)?.id
  const [series, setSeries] = useState(rates === null ? String(stored ?? '') : ownRates)
  const ofRates = problemOf('funding_rates') ?? problemOf('market.funding.rates*')
  const fields = [
    ...figures.map(({ name }) => name),
    'funding',
    'funding.candle_id',
    'funding.assume',
    'funding.every_hours',
  ]
  const hasProblem = ofRates !== undefined || fields.some((name) => problemOf(`market.${name}`) !== undefined)
  return (
    <FoldedGroup title="Market" isOpen={market !== null || hasProblem}>
      {figures.map(({ name, ...field }) => (
        <TextField
          key={name}
          {...field}
          name={name}
          inputMode="decimal"
          defaultValue={market?.[name] ?? ''}
          problem={problemOf(`market.${name}`)}
        />
      ))}
      <SelectField
        label="Funding"
        name="has_funding"
        value={isFunded ? 'yes' : 'no'}
        onChange={(event) => setFunded(event.target.value === 'yes')}
        hint="What positions in a perpetual pay at fixed moments."
        problem={problemOf('market.funding')}
      >
        <option value="no">Is not counted</option>
        <option value="yes">Is counted</option>
      </SelectField>
      {isFunded && (
        <>
          <SelectField
            label="Rates"
            name="funding_id"
            value={series}
            onChange={(event) => setSeries(event.target.value)}
            problem={problemOf('market.funding.candle_id')}
          >
            <option value="">None</option>
            <option value={ownRates}>Those that I write</option>
            {choices.funding.map((series) => (
              <option key={series.id} value={series.id}>
                {textOfSeries(series)}
              </option>
            ))}
          </SelectField>
          {series === ownRates && (
            <WholeRow>
              <TextArea
                label="Rates, oldest first"
                name="funding_rates"
                isCode
                rows={4}
                defaultValue={textOfRates(rates)}
                placeholder={'2026-01-01T00:00:00Z, 0.0001\n2026-01-01T08:00:00Z, -0.00005, 87500'}
                hint="A line for each: the time, the rate as a fraction and, if you know it, the price."
                problem={ofRates}
              />
            </WholeRow>
          )}
          <TextField
            label="Rate where none is known"
            name="assume"
            inputMode="decimal"
            defaultValue={before?.assume ?? ''}
            placeholder="None: the backtest fails"
            hint="As a fraction: 0.0001."
            problem={problemOf('market.funding.assume')}
          />
          <TextField
            label="Hours between payments"
            name="every_hours"
            inputMode="numeric"
            defaultValue={before?.every_hours ?? ''}
            placeholder="As the rates have it, or 8"
            problem={problemOf('market.funding.every_hours')}
          />
        </>
      )}
    </FoldedGroup>
  )
}
