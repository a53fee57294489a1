import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { formatNumber } from '../../base/numbers.ts'
import { formatDuration } from '../../base/times.ts'
import { useStrategyNames } from '../../data/names.ts'
import { resultOf, triggerText } from '../../data/run-result.ts'
import { useEventRows } from '../../data/use-event-rows.ts'
import { useInfiniteQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { ChoiceFilter, TextFilter } from '../../parts/Filter.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { type Column, Rows, rowLinkClass } from '../../parts/Rows.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { matches, type RunFilters, statusChoices, triggerChoices } from './filters.ts'
import { type Run, runsQuery } from './run-list.ts'

export const Route = createLazyRoute('/signed-in/runs')({ component: Runs })

function columnsWith(nameOf: (id: number) => string): Column<Run>[] {
  return [
    { name: 'Outcome', width: '112px', cell: ({ status }) => <Status status={status} /> },
    {
      name: 'Strategy',
      width: 'minmax(120px, 1fr)',
      cell: ({ strategy_id }) => <Foreign text={nameOf(strategy_id)} />,
    },
    { name: 'Trigger', width: '88px', cell: ({ trigger }) => triggerText(trigger), isWide: true },
    {
      name: 'Result',
      width: 'minmax(120px, 2fr)',
      cell: (run) => <Foreign text={resultOf(run)} />,
      isWide: true,
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
  const filters = Route.useSearch() as RunFilters
  const navigate = useNavigate()
  const nameOf = useStrategyNames()
  const columns = columnsWith(nameOf)
  const query = runsQuery(filters)
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(query)
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data])
  useEventRows('run', query.queryKey, (run) => matches(run, filters))
  const change = useCallback(
    (changed: { [Name in keyof RunFilters]?: RunFilters[Name] | undefined }) => {
      const search = Object.fromEntries(
        Object.entries({ ...filters, ...changed }).filter(([, value]) => value !== undefined),
      )
      void navigate({ to: '/runs', search: search as RunFilters, replace: true })
    },
    [filters, navigate],
  )
  const changeText = useCallback((q: string | undefined) => change({ q }), [change])
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const [first] = data?.pages ?? []
  return (
    <Page
      title="Runs"
      isFull
      actions={
        first && (
          <span>{first.isExact ? formatNumber(first.total) : `over ${formatNumber(first.total)}`}</span>
        )
      }
      filters={
        <>
          <ChoiceFilter
            label="Outcome"
            all="Any outcome"
            choices={statusChoices}
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
          <TextFilter label="In log, error or payload" value={filters.q} onChange={changeText} />
          {filters.strategy !== undefined && (
            <Button onClick={() => change({ strategy: undefined })}>Strategy {filters.strategy} ×</Button>
          )}
        </>
      }
    >
      {error !== null && items.length === 0 ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <Skeleton lines={12} />
      ) : items.length === 0 ? (
        <NoRuns filters={filters} />
      ) : (
        <Rows
          label="Runs"
          columns={columns}
          items={items}
          idOf={({ id }) => id}
          link={({ id, strategy_id }) => (
            <Link
              to="/runs/$id"
              params={{ id: String(id) }}
              className={rowLinkClass}
              aria-label={`Run ${id} of ${nameOf(strategy_id)}`}
            />
          )}
          onEnd={more}
        />
      )}
    </Page>
  )
}

function NoRuns({ filters }: { filters: RunFilters }) {
  if (Object.keys(filters).length === 0)
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
