import { ApiError } from '@tickwright/client'
import { useId } from 'react'
import { serviceNow } from '../../base/service-time.ts'
import { plainText } from '../../base/text.ts'
import { toMs } from '../../base/times.ts'
import { useSettled } from '../../base/use-settled.ts'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { FieldGroup, SelectField } from '../../parts/Choices.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Failure } from '../../parts/Notice.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Distance } from '../../parts/Values.tsx'
import { type Form, formOf, intervals, momentIn, scheduleText, showSame } from './schedule.ts'
import styles from './strategies.module.css'

type Schedule = { cron_interval: string; timezone: string }

const forms: Record<Form, string> = {
  interval: 'At an interval',
  cron: 'At times of a calendar (cron)',
  tick: 'With each price',
}

const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])
const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

function previewQuery(cron_interval: string, timezone: string) {
  return {
    queryKey: ['schedule-preview', cron_interval, timezone],
    queryFn: () => client.schedules.preview({ cron_interval, timezone, count: 5 }),
    retry: false,
    // The next times pass.
    staleTime: 5000,
    gcTime: 10_000,
  }
}

/**
 * When a strategy runs, with its next moments while one types.
 * @param isForModel each run asks a model: not with each price, and rarely to begin with
 */
export function ScheduleFields({
  draft,
  change,
  problemOf,
  isForModel = false,
}: {
  draft: Schedule
  change: (changed: Partial<Schedule>) => void
  problemOf: (field: string) => string | undefined
  isForModel?: boolean
}) {
  const { cron_interval: interval, timezone } = draft
  const form = formOf(interval)
  const zonesId = useId()
  const askedInterval = useSettled(interval.trim())
  const askedZone = useSettled(timezone.trim())
  const { error } = useQuery(previewQuery(askedInterval, askedZone))
  const refused = (field: string) => problemOf(field) ?? problemOfPreview(error, field)
  const choose = (chosen: Form) =>
    change(
      chosen === 'cron'
        ? { cron_interval: '30 9 * * MON-FRI', timezone: timezone === 'UTC' ? ownZone : timezone }
        : { cron_interval: chosen === 'tick' ? 'TICK' : isForModel ? '1H' : '15M' },
    )
  return (
    <>
      <FieldGroup title="Schedule">
        <SelectField
          label="Runs"
          value={form}
          onChange={(event) => choose(event.target.value as Form)}
          hint={form === 'tick' ? 'It needs the exchange and the symbol of a price.' : undefined}
        >
          {Object.entries(forms)
            .filter(([value]) => value !== 'tick' || !isForModel)
            .map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
        </SelectField>
        {form === 'interval' && (
          <SelectField
            label="Interval"
            hint="Counted from midnight UTC, as the candles of exchanges are."
            value={interval}
            onChange={(event) => change({ cron_interval: event.target.value })}
            problem={refused('cron_interval')}
          >
            {intervals.map((each) => (
              <option key={each} value={each}>
                {scheduleText(each)}
              </option>
            ))}
          </SelectField>
        )}
        {form === 'cron' && (
          <>
            <TextField
              label="Cron expression"
              hint="Minute, hour, day of the month, month, day of the week."
              isCode
              value={interval}
              onChange={(event) => change({ cron_interval: event.target.value })}
              problem={refused('cron_interval')}
            />
            <TextField
              label="Time zone"
              hint="Such as Europe/Berlin: the clock that the expression is about."
              isCode
              list={zonesId}
              value={timezone}
              onChange={(event) => change({ timezone: event.target.value })}
              problem={refused('timezone')}
            />
            <datalist id={zonesId}>
              {[...zones].map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </>
        )}
      </FieldGroup>
      <NextTimes interval={askedInterval} timezone={askedZone} />
    </>
  )
}

/** The next five moments of a schedule, by the clock of its zone and by that of the user. */
export function NextTimes({ interval, timezone }: { interval: string; timezone: string }) {
  const { data, error, refetch } = useQuery({
    ...previewQuery(interval, timezone),
    // Once the first of them has come, there is another one at the end.
    refetchInterval: ({ state }) => {
      const [first] = state.data?.times ?? []
      return first === undefined ? false : Math.max(toMs(first) - serviceNow(), 0) + 500
    },
  })
  const words = scheduleText(interval)
  // The service says what is wrong at the fields.
  if (error instanceof ApiError) return null
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  const moments = data?.times.map(toMs) ?? []
  const zone = formOf(interval) === 'cron' ? timezone : 'UTC'
  const columns: TableColumn<number>[] = [
    { name: `In ${plainText(zone)}`, cell: (ms) => momentIn(ms, zone) },
    ...(showSame(moments, zone, ownZone)
      ? []
      : [{ name: `Here, in ${ownZone}`, cell: (ms: number) => momentIn(ms, ownZone) }]),
    { name: 'That is', isNumber: true, cell: (ms) => <Distance at={ms} /> },
  ]
  return (
    <div className={styles.preview}>
      {words !== null && (
        <p>
          Runs {words}
          {formOf(interval) === 'cron' && (
            <span className={styles.soft}>, by the clock of {plainText(zone)}</span>
          )}
          .
        </p>
      )}
      {data !== undefined && !data.ticks && (
        <Table label="Next times" columns={columns} items={moments} idOf={(ms) => ms} />
      )}
    </div>
  )
}

/** What the service says about a schedule that it only previews: it names the fields of a query. */
function problemOfPreview(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const detail = error.details.find((detail) => detail.field?.split('.').at(-1) === field)
  return detail === undefined ? undefined : plainText(String(detail.message))
}
