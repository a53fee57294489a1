import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { count } from '../../base/numbers.ts'
import { ranges } from '../../base/ranges.ts'
import { type Open, setOnly } from '../../base/search.ts'
import { serviceNow } from '../../base/service-time.ts'
import { formatDuration, formatMoment } from '../../base/times.ts'
import { strategyNamesQuery, useStrategyNames } from '../../data/names.ts'
import { resultOf, runStatusChoices, triggerText } from '../../data/run-result.ts'
import { useEventRows } from '../../data/use-event-rows.ts'
import { useInfiniteQuery, useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { useBeside } from '../../parts/beside.ts'
import { Detail, type PageOf } from '../../parts/Detail.tsx'
import { ChoiceFilter, TextFilter } from '../../parts/Filter.tsx'
import { IdFilter } from '../../parts/IdFilter.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Empty } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { type Column, RowLink } from '../../parts/Rows.tsx'
import { RecordRows } from '../../parts/records/RecordRows.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { matches, type RunFilters, requestOf, triggerChoices } from './filters.ts'
import { RunView } from './RunView.tsx'
import { type Run, runsQuery } from './run-list.ts'

export const Route = createLazyRoute('/signed-in/runs')({ component: Runs })

function columnsWith(nameOf: (id: number) => string): Column<Run>[] {
  return [
    { name: 'Outcome', width: '112px', cell: ({ status }) => <Status status={status} /> },
    {
      name: 'Strategy',
      width: 'minmax(120px, 1.4fr)',
      cell: ({ strategy_id }) => <Foreign text={nameOf(strategy_id)} />,
    },
    {
      name: 'Trigger',
      width: '88px',
      cell: ({ trigger }) => triggerText(trigger),
      isWide: true,
      isSecond: true,
    },
    {
      name: 'Result',
      width: 'minmax(120px, 2fr)',
      cell: (run) => <Foreign text={resultOf(run)} />,
      isWide: true,
      isSecond: true,
    },
    {
      name: 'Took',
      width: '72px',
      isNumber: true,
      isWide: true,
      cell: ({ duration_ms }) => (duration_ms === null ? '–' : formatDuration(duration_ms)),
    },
    { name: 'Queued', width: '110px', isNumber: true, cell: ({ queued_at }) => <Time at={queued_at} /> },
  ]
}

function Runs() {
  const filters = Route.useSearch() as RunFilters & Open
  const { open } = filters
  const beside = useBeside(open)
  const navigate = useNavigate()
  const nameOf = useStrategyNames()
  const columns = columnsWith(nameOf)
  const { data: strategies } = useQuery(strategyNamesQuery)
  const { status, trigger, strategy, range, since, until, q } = filters
  // A range begins at the moment at which it was chosen: with each moment, the list would begin again.
  const wanted = useMemo(
    () => requestOf(setOnly({ status, trigger, strategy, range, since, until, q }), serviceNow()),
    [status, trigger, strategy, range, since, until, q],
  )
  const query = runsQuery(wanted)
  const { data } = useInfiniteQuery(query)
  useEventRows('run', query.queryKey, (run) => matches(run, filters))
  const change = useCallback(
    (changed: { [Name in keyof RunFilters]?: RunFilters[Name] | undefined }) => {
      void navigate({ to: '/runs', search: setOnly({ ...filters, ...changed }), replace: true })
    },
    [filters, navigate],
  )
  const changeText = useCallback((q: string | undefined) => change({ q }), [change])
  const [first] = data?.pages ?? []
  return (
    <Page
      title="Runs"
      tabTitle={open === undefined ? 'Runs' : `Run ${open} · Runs`}
      isFull
      detail={
        open === undefined ? null : (
          <Detail beside={beside} title={`Run ${open}`} page={pageOf(open)}>
            <RunView id={open} />
          </Detail>
        )
      }
      actions={
        first && (
          <span>{first.isExact ? count(first.total, 'run') : `over ${count(first.total, 'run')}`}</span>
        )
      }
      filters={
        <>
          <ChoiceFilter
            label="Outcome"
            all="Any outcome"
            choices={runStatusChoices}
            value={filters.status}
            onChange={(status) => change({ status })}
          />
          <ChoiceFilter
            label="Trigger"
            all="Any trigger"
            choices={triggerChoices}
            value={filters.trigger}
            onChange={(trigger) => change({ trigger })}
          />
          <IdFilter
            label="Strategy"
            all="Any strategy"
            things={strategies}
            chosen={strategy}
            onChange={(strategy) => change({ strategy })}
          />
          <ChoiceFilter
            label="Queued"
            all="Any time"
            choices={ranges}
            value={range}
            onChange={(range) => change({ range, since: undefined, until: undefined })}
          />
          <TextFilter label="In log, error or payload" value={q} onChange={changeText} />
          {(since !== undefined || until !== undefined) && (
            <Button onClick={() => change({ since: undefined, until: undefined })}>
              {spanText(since, until)} ×
            </Button>
          )}
        </>
      }
    >
      <RecordRows
        label="Runs"
        query={query}
        columns={columns}
        above={null}
        link={({ id, strategy_id }) => (
          <RowLink id={id} label={`Run ${id} of ${nameOf(strategy_id)}`} page={pageOf(id)} beside={beside} />
        )}
        beside={beside}
        empty={<NoRuns isFiltered={Object.keys(wanted).length > 0} />}
      />
    </Page>
  )
}

/** A span of an address, in words. */
function spanText(since: string | undefined, until: string | undefined): string {
  const now = serviceNow()
  const from = since === undefined ? '' : `From ${formatMoment(since, now)}`
  return until === undefined ? from : `${from === '' ? 'Until' : `${from} to`} ${formatMoment(until, now)}`
}

function pageOf(id: number): PageOf {
  return { to: '/runs/$id', params: { id: String(id) } }
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <Empty title="Nothing has run yet">
        A strategy runs on its schedule or with each price, and a reaction runs with each payload that its
        webhook gets.
      </Empty>
    )
  return (
    <Empty title="No run fits these filters" action={<Link to="/runs">Show all runs</Link>}>
      Runs that are older than the retention of this service are deleted.
    </Empty>
  )
}
