import { Link } from '@tanstack/react-router'
import { toMs } from '../../base/times.ts'
import type { client } from '../../data/client.ts'
import { useInfiniteQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { outcomeText } from './schedule.ts'
import styles from './strategies.module.css'

type Trace = Awaited<ReturnType<typeof client.schedules.trace>>
type PastTime = Trace['times'][number]

const columns: TableColumn<PastTime>[] = [
  { name: 'Time', cell: ({ at }) => <Time at={at} /> },
  {
    name: 'What became of it',
    cell: ({ outcome, run_status }) => (
      <span className={styles.inline}>
        {outcomeText(outcome)}
        {outcome !== 'NONE' && run_status !== null && <Status status={run_status} />}
      </span>
    ),
  },
  {
    name: 'Run',
    cell: ({ run_id }) =>
      run_id === null ? (
        '–'
      ) : (
        <Link to="/runs/$id" params={{ id: String(run_id) }}>
          {run_id}
        </Link>
      ),
  },
  { name: 'Why', isWide: true, cell: ({ reason }) => <Foreign text={reason ?? ''} /> },
]

/** What became of the latest times, and why some queued no run. */
export function PastTimes({
  strategy: { id, cron_interval, timezone, status },
  trace,
}: {
  strategy: { id: number; cron_interval: string; timezone: string; status: string }
  /** The operation of its kind. */
  trace: typeof client.schedules.trace
}) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    // With runs, so that each run reads it again.
    queryKey: ['runs', 'schedule', id, cron_interval, timezone, status],
    queryFn: ({ pageParam }) => trace(id, { count: 20, ...(pageParam === null ? {} : { until: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (part) => part.next_until,
  })
  const times = data?.pages.flatMap((part) => part.times) ?? []
  const [first] = data?.pages ?? []
  return (
    <Section title="Past times">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton />}
      {first !== undefined && first.reason !== null && (
        <Notice>
          <Foreign text={first.reason} />
        </Notice>
      )}
      {first !== undefined && times.length === 0 && (
        <Empty title={first.ticks ? 'Prices trigger it' : 'No time has passed yet'}>
          {first.ticks
            ? 'It has no times of its own. Its runs show when prices came.'
            : 'The first time of this schedule appears here once it has come.'}
        </Empty>
      )}
      {times.length > 0 && (
        <Table label="Past times" columns={columns} items={times} idOf={({ at }) => toMs(at)} />
      )}
      {hasNextPage && (
        <div>
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Earlier times
          </Button>
        </div>
      )}
    </Section>
  )
}
