import { useState } from 'react'
import { SelectField } from '../../parts/Choices.tsx'
import { TextField } from '../../parts/Field.tsx'
import type { Backtest } from './backtests.ts'

/** Whether the model of an AI reaction may be asked, and for how many tokens. */
export function ModelFields({
  earlier,
  problemOf,
}: {
  earlier: Backtest | undefined
  problemOf: (field: string) => string | undefined
}) {
  const [mode, setMode] = useState(earlier?.model?.mode ?? 'recorded')
  return (
    <>
      <SelectField
        label="Decisions"
        name="model"
        value={mode}
        onChange={(event) => setMode(event.target.value)}
        hint="A model that is asked costs tokens, and the result cannot be repeated."
        problem={problemOf('model')}
      >
        <option value="recorded">Only those that the model made live</option>
        <option value="live">Ask the model where it made none</option>
      </SelectField>
      {mode === 'live' && (
        <TextField
          label="Most tokens"
          name="model_budget"
          inputMode="numeric"
          defaultValue={earlier?.model?.budget ?? ''}
          placeholder="200000"
          hint="Of all questions and answers together. They also count towards the budget of the reaction for the day."
          problem={problemOf('model_budget')}
        />
      )}
    </>
  )
}
