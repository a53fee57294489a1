import { formatBytes, formatNumber } from '../../base/numbers.ts'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import type { Kind } from '../../data/webhooks.ts'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'

async function readRefused(kind: Kind, id: number) {
  const answer = await client.webhooks[kind].refused(id, { limit: 100 })
  return Array.isArray(answer) ? answer : answer.items
}

type Refused = Awaited<ReturnType<typeof readRefused>>[number]

const columns: TableColumn<Refused>[] = [
  { name: 'Answer', cell: ({ status }) => status },
  { name: 'Why', cell: ({ reason }) => <Foreign text={reason} /> },
  { name: 'From', isWide: true, cell: ({ ip }) => <Foreign text={ip ?? 'not known'} /> },
  { name: 'Password by the name', isWide: true, cell: ({ key_name }) => <Foreign text={key_name ?? '–'} /> },
  {
    name: 'Size',
    isNumber: true,
    isWide: true,
    cell: ({ size }) => (size === null ? '–' : formatBytes(size)),
  },
  {
    name: 'More like it',
    isNumber: true,
    isWide: true,
    cell: ({ more }) => (more === 0 ? '' : formatNumber(more)),
  },
  { name: 'When', isNumber: true, cell: ({ refused_at }) => <Time at={refused_at} /> },
]

/** What was refused, and why. Of a flood, the service keeps one a second and counts the rest. */
export function RefusedPosts({ kind, id }: { kind: Kind; id: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['refused', kind, id],
    queryFn: () => readRefused(kind, id),
  })
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton />
  if (data.length === 0)
    return <Empty title="Nothing was refused">The service keeps the latest 100 posts that it refuses.</Empty>
  return <Table label="Refused posts" columns={columns} items={data} idOf={(refused) => refused.id} />
}
