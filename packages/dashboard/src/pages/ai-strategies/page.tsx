import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { formatNumber } from '../../base/numbers.ts'
import { useQuery } from '../../data/use-query.ts'
import { buttonClass } from '../../parts/Button.tsx'
import { ChoiceFilter } from '../../parts/Filter.tsx'
import { Action, Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { NextRun } from '../strategies/NextRun.tsx'
import { useRuns } from '../strategies/use-runs.ts'
import type { Budget } from './api.ts'
import { type AiKind, aiKinds, kindOf, kindWords, nameOf } from './kinds.ts'
import { budgetsQuery, type Listed, modelsQuery, strategiesQuery } from './queries.ts'

export const Route = createLazyRoute('/signed-in/ai-strategies')({ component: AiStrategies })

/** All strategies that ask a model, with what each has spent today. */
function AiStrategies() {
  const { kind } = Route.useSearch() as { kind?: AiKind }
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(strategiesQuery)
  const { data: budgets } = useQuery(budgetsQuery)
  const { data: models } = useQuery(modelsQuery)
  useRuns(strategiesQuery.queryKey, 1000 + 10 * (data?.length ?? 0))
  const modelOf = (id: number | null) => models?.find((model) => model.id === id)?.model ?? '–'
  const shown = data?.filter((one) => kind === undefined || kindOf(one) === kind)
  const create = (
    <Link
      to="/ai-strategies/new"
      search={kind === undefined ? {} : { kind }}
      className={buttonClass('primary')}
    >
      New AI strategy
    </Link>
  )
  return (
    <Page
      title="AI strategies"
      actions={data !== undefined && data.length > 0 && create}
      filters={
        data !== undefined &&
        data.length > 0 && (
          <ChoiceFilter
            label="Kind"
            all="Any kind"
            choices={aiKinds.map((one) => ({ value: one, text: kindWords[one].one }))}
            value={kind}
            onChange={(chosen) =>
              void navigate({
                to: '/ai-strategies',
                search: chosen === undefined ? {} : { kind: chosen },
                replace: true,
              })
            }
          />
        )
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton />}
      {data?.length === 0 && (
        <Empty title="No AI strategy yet" action={create}>
          In an AI strategy, a language model decides: about each payload of a data webhook, or on a schedule.
          The service checks every decision.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && shown?.length === 0 && kind !== undefined && (
        <Empty title={`No ${kindWords[kind].one} yet`} action={create}>
          {kindWords[kind].about}
        </Empty>
      )}
      {shown !== undefined && shown.length > 0 && (
        <Table
          label="AI strategies"
          columns={columnsWith(modelOf, budgets)}
          items={shown}
          idOf={({ id }) => id}
        />
      )}
    </Page>
  )
}

function columnsWith(
  modelOf: (id: number | null) => string,
  budgets: ReadonlyMap<number, Budget> | undefined,
): TableColumn<Listed>[] {
  const spent = (id: number, what: 'tokens' | 'actions') => {
    const budget = budgets?.get(id)?.[what]
    return budget === undefined ? '–' : `${formatNumber(budget.spent)} of ${formatNumber(budget.limit)}`
  }
  return [
    {
      name: 'Name',
      cell: (one) => (
        <Link to="/ai-strategies/$kind/$id" params={{ kind: kindOf(one), id: String(one.id) }}>
          <Foreign text={nameOf(one)} />
        </Link>
      ),
    },
    { name: 'Kind', isWide: true, cell: (one) => kindWords[kindOf(one)].one },
    { name: 'Status', cell: ({ status }) => <Status status={status} /> },
    { name: 'Model', isWide: true, cell: ({ connection_id }) => <Foreign text={modelOf(connection_id)} /> },
    {
      name: 'Last action',
      isWide: true,
      cell: ({ last_trigger }) => <Action action={last_trigger.action} />,
    },
    { name: 'Tokens today', isNumber: true, isWide: true, cell: ({ id }) => spent(id, 'tokens') },
    { name: 'Actions today', isNumber: true, isWide: true, cell: ({ id }) => spent(id, 'actions') },
    { name: 'Next run', isNumber: true, isWide: true, cell: (one) => <NextRun strategy={one} /> },
    { name: 'Last run', isNumber: true, cell: ({ last_run_at }) => <Time at={last_run_at} /> },
  ]
}
