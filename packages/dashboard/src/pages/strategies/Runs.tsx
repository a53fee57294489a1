import { Link } from '@tanstack/react-router'
import type { List } from '@tickwright/client'
import { formatDuration } from '../../base/times.ts'
import { client } from '../../data/client.ts'
import { resultOf, triggerText } from '../../data/run-result.ts'
import { useQuery } from '../../data/use-query.ts'
import { Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'

const shown = 50

type Run = Awaited<ReturnType<typeof client.runs.list>> extends List<infer Item> ? Item : never

const columns: TableColumn<Run>[] = [
  {
    name: 'Run',
    cell: ({ id }) => (
      <Link to="/runs/$id" params={{ id: String(id) }}>
        {id}
      </Link>
    ),
  },
  { name: 'Outcome', cell: ({ status }) => <Status status={status} /> },
  { name: 'Trigger', isWide: true, cell: ({ trigger }) => triggerText(trigger) },
  { name: 'Result', isWide: true, cell: (run) => <Foreign text={resultOf(run).slice(0, 200)} /> },
  {
    name: 'Took',
    isNumber: true,
    cell: ({ duration_ms }) => (duration_ms === null ? '–' : formatDuration(duration_ms)),
  },
  { name: 'Queued', isNumber: true, cell: ({ queued_at }) => <Time at={queued_at} /> },
]

/** The latest runs of a strategy. Events read them again. */
export function Runs({ strategyId }: { strategyId: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['runs', 'strategy', strategyId],
    queryFn: async () => {
      const answer = await client.runs.list({ strategy_id: strategyId, limit: shown })
      return Array.isArray(answer) ? answer : answer.items
    },
  })
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton />
  if (data.length === 0)
    return (
      <Empty title="It has not run yet">
        It runs when its trigger comes while it is switched on: its schedule, a price, or a payload.
      </Empty>
    )
  return (
    <>
      <Table label="Runs" columns={columns} items={data} idOf={({ id }) => id} />
      <p>
        <Link to="/runs" search={{ strategy: strategyId }}>
          All its runs, with filters
        </Link>
      </p>
    </>
  )
}
