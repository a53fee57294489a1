import { createLazyRoute, Link } from '@tanstack/react-router'
import type { AiReactionInList } from '@tickwright/client'
import { formatNumber } from '../../base/numbers.ts'
import { useQuery } from '../../data/use-query.ts'
import { buttonClass } from '../../parts/Button.tsx'
import { Action, Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { type Budget, budgetsQuery, modelsQuery, reactionsQuery } from './reactions.ts'

export const Route = createLazyRoute('/signed-in/ai-reactions')({ component: AiReactions })

/** All AI reactions, with what each has spent today. */
function AiReactions() {
  const { data, error, refetch } = useQuery(reactionsQuery)
  const { data: budgets } = useQuery(budgetsQuery)
  const { data: models } = useQuery(modelsQuery)
  const modelOf = (id: number | null) => models?.find((model) => model.id === id)?.model ?? '–'
  const create = (
    <Link to="/ai-reactions/new" className={buttonClass('primary')}>
      New AI reaction
    </Link>
  )
  return (
    <Page title="AI reactions" actions={data !== undefined && data.length > 0 && create}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton />}
      {data?.length === 0 && (
        <Empty title="No AI reaction yet" action={create}>
          In an AI reaction, a language model decides about each payload of a data webhook. The service checks
          every decision.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <Table
          label="AI reactions"
          columns={columnsWith(modelOf, budgets)}
          items={data}
          idOf={({ id }) => id}
        />
      )}
    </Page>
  )
}

function columnsWith(
  modelOf: (id: number | null) => string,
  budgets: ReadonlyMap<number, Budget> | undefined,
): TableColumn<AiReactionInList>[] {
  const spent = (id: number, what: 'tokens' | 'actions') => {
    const budget = budgets?.get(id)?.[what]
    return budget === undefined ? '–' : `${formatNumber(budget.spent)} of ${formatNumber(budget.limit)}`
  }
  return [
    {
      name: 'Name',
      cell: ({ id, name }) => (
        <Link to="/ai-reactions/$id" params={{ id: String(id) }}>
          <Foreign text={name || `Reaction ${id}`} />
        </Link>
      ),
    },
    { name: 'Status', cell: ({ status }) => <Status status={status} /> },
    { name: 'Model', isWide: true, cell: ({ connection_id }) => <Foreign text={modelOf(connection_id)} /> },
    {
      name: 'Last action',
      isWide: true,
      cell: ({ last_trigger }) => <Action action={last_trigger.action} />,
    },
    { name: 'Tokens today', isNumber: true, isWide: true, cell: ({ id }) => spent(id, 'tokens') },
    { name: 'Actions today', isNumber: true, isWide: true, cell: ({ id }) => spent(id, 'actions') },
    { name: 'Last run', isNumber: true, cell: ({ last_run_at }) => <Time at={last_run_at} /> },
  ]
}
