import { useState } from 'react'
import { Button } from '../../parts/Button.tsx'
import { CheckField, FieldGroup, SelectField } from '../../parts/Choices.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Failure } from '../../parts/Notice.tsx'
import { Picture } from '../../parts/Picture.tsx'
import { Foreign } from '../../parts/Values.tsx'
import styles from './ai.module.css'
import { apiOf, type Preview } from './api.ts'
import { chartBodyOf, type Fields } from './fields.ts'
import type { AiKind } from './kinds.ts'
import { pictureIn } from './preview.ts'

const intervals = ['1m', '5m', '15m', '30m', '1h', '2h', '4h', '12h', '1d', '1w']

/** Which chart the model sees, and how it looks now. */
export function ChartFields({
  kind,
  fields,
  onChange,
  problemOf,
}: {
  kind: AiKind
  fields: Fields
  onChange: (change: Partial<Fields>) => void
  problemOf: (field: keyof Fields) => string | undefined
}) {
  const text = (name: 'chart_symbol' | 'chart_studies' | 'chart_range') => ({
    ...{ name, value: fields[name], problem: problemOf(name), isCode: true, autoComplete: 'off' },
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  })
  const known = intervals.includes(fields.chart_interval) ? intervals : [...intervals, fields.chart_interval]
  return (
    <FieldGroup title="What the model sees">
      <CheckField
        label="Show a chart"
        hint="The model has to take pictures. One that does not gets the candles as rows."
        checked={fields.use_chart}
        onChange={(event) => onChange({ use_chart: event.target.checked })}
      />
      {fields.use_chart && (
        <>
          <TextField
            label="Symbol of the chart"
            hint="After its exchange: binance:btc/usdt."
            {...text('chart_symbol')}
          />
          <SelectField
            label="Interval"
            name="chart_interval"
            problem={problemOf('chart_interval')}
            value={fields.chart_interval}
            onChange={(event) => onChange({ chart_interval: event.target.value })}
          >
            {known.map((interval) => (
              <option key={interval} value={interval}>
                {interval}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Studies"
            hint="At most two, separated by a space: sma, ema, wma, bb, rsi, macd, stoch, atr, volume. Numbers follow the name: ema:50."
            {...text('chart_studies')}
          />
          <TextField
            label="Time that it shows"
            hint="Such as 12h, 5d, 4w, 3M or 1y. Empty: the latest 200 candles."
            {...text('chart_range')}
          />
          <DrawnChart kind={kind} fields={fields} />
        </>
      )}
    </FieldGroup>
  )
}

/** Draws the chart with the settings as they are typed. */
function DrawnChart({ kind, fields }: { kind: AiKind; fields: Fields }) {
  const [drawn, setDrawn] = useState<Preview | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const draw = async () => {
    setBusy(true)
    setError(null)
    try {
      setDrawn(await apiOf[kind].previewPrompt({ prompt: '', ...chartBodyOf(fields) }))
    } catch (failure) {
      setDrawn(null)
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  const picture = drawn === null ? null : pictureIn(drawn)
  return (
    <div className={styles.chart} aria-live="polite">
      <Button onClick={() => void draw()} isBusy={isBusy}>
        Draw the chart
      </Button>
      {error !== null && <Failure error={error} />}
      {drawn?.chart && (
        <p className={styles.soft}>
          <Foreign text={drawn.chart} />
        </p>
      )}
      {picture !== null && <Picture png={picture} label={`The chart now. ${drawn?.chart ?? ''}`} />}
    </div>
  )
}
