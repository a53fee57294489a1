import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ApprovalInList, AuditEvent } from '@tickwright/client'
import { changeWords } from '../../data/changes.ts'
import { useStrategyNames } from '../../data/names.ts'
import { strategyPath } from '../../data/paths.ts'
import { useEvents } from '../../data/use-live.ts'
import { useInfiniteQuery, useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { ChoiceFilter } from '../../parts/Filter.tsx'
import { Action, Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { allApprovalsQuery, decidersQuery } from './approvals.ts'
import { type ApprovalFilters, statusChoices } from './filters.ts'

/** What was asked before, how it ended, and who decided. */
export function Decided({ filters }: { filters: ApprovalFilters }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(allApprovalsQuery(filters))
  const { data: deciders } = useQuery(decidersQuery)
  const nameOf = useStrategyNames()
  // Few enough to read them again: nobody is asked many times a second.
  useEvents('approval', () => void queries.invalidateQueries({ queryKey: ['approval-rows'] }))
  const items = data?.pages.flatMap((page) => page.items).filter(({ status }) => status !== 'PENDING') ?? []
  const columns: TableColumn<ApprovalInList>[] = [
    { name: 'Outcome', cell: ({ status }) => <Status status={status} /> },
    {
      name: 'What',
      cell: ({ action, change }) => (change === null ? <Action action={action} /> : changeWords(change)),
    },
    {
      name: 'Of',
      cell: ({ symbols, change }) =>
        change === null ? (
          <Foreign text={symbols.join(', ')} />
        ) : (
          <Link to={strategyPath(change.strategy_type, change.strategy_id)}>
            <Foreign text={change.strategy_name || `Strategy ${change.strategy_id}`} />
          </Link>
        ),
    },
    {
      name: 'Strategy',
      isWide: true,
      cell: ({ strategy_id, strategy_name, strategy_type }) => (
        <Link to={strategyPath(strategy_type, strategy_id)}>
          <Foreign text={strategy_name || `Strategy ${strategy_id}`} />
        </Link>
      ),
    },
    {
      name: 'Decided by',
      isWide: true,
      cell: (approval) => <Foreign text={deciderOf(approval, deciders?.get(approval.id), nameOf)} />,
    },
    {
      name: 'Run',
      isWide: true,
      cell: ({ run_id }) => (
        <Link to="/runs/$id" params={{ id: String(run_id) }}>
          {run_id}
        </Link>
      ),
    },
    {
      name: 'When',
      isNumber: true,
      cell: ({ decided_at, expires_at, status }) => (
        <Time at={decided_at ?? (status === 'EXPIRED' ? expires_at : null)} />
      ),
    },
  ]
  return (
    <Section
      title="Decided"
      actions={
        <ChoiceFilter
          label="Outcome"
          all="Any outcome"
          choices={statusChoices}
          value={filters.status}
          onChange={(status) =>
            void navigate({ to: '/approvals', search: status === undefined ? {} : { status }, replace: true })
          }
        />
      }
    >
      {error !== null && items.length === 0 && <Failure error={error} onRetry={() => void refetch()} />}
      {isPending && error === null && <Skeleton lines={3} />}
      {data !== undefined && items.length === 0 && (
        <Empty title={filters.status === undefined ? 'Nothing was decided yet' : 'None ended like this'}>
          Approvals are kept as long as their runs.
        </Empty>
      )}
      {items.length > 0 && <Table label="Decided" columns={columns} items={items} idOf={({ id }) => id} />}
      {hasNextPage && (
        <div>
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older ones
          </Button>
        </div>
      )}
    </Section>
  )
}

/** Who decided. Only the owner can, on a page, with a signed request or with code. */
function deciderOf(
  { status }: ApprovalInList,
  event: AuditEvent | undefined,
  nameOf: (id: number) => string,
): string {
  if (status !== 'APPROVED' && status !== 'REJECTED') return 'Nobody'
  if (event === undefined) return 'You'
  if (event.by_strategy_id !== null) return `Code of ${nameOf(event.by_strategy_id)}`
  return event.ip === null ? 'You' : `You, from ${event.ip}`
}
