import { useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { meQuery } from '../../data/queries.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Action, Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { Distance, Foreign, Time } from '../../parts/Values.tsx'
import { NextRun } from '../strategies/NextRun.tsx'
import { PastTimes } from '../strategies/PastTimes.tsx'
import { ScheduleWords } from '../strategies/ScheduleWords.tsx'
import { useRuns } from '../strategies/use-runs.ts'
import { apiOf } from './api.ts'
import { BudgetToday } from './Budget.tsx'
import { Editor } from './Editor.tsx'
import { bodyOf, changedFields, type Fields, fieldsOf } from './fields.ts'
import { type AiKind, type AiStrategy, isAiKind, kindOf, kindWords, nameOf } from './kinds.ts'
import { strategyQuery } from './queries.ts'
import { StatusActions, useStatus } from './StatusActions.tsx'
import { suspensionText } from './suspension.ts'
import { TestPanel, untested } from './TestPanel.tsx'
import { useDraft } from './use-draft.ts'
import { Versions } from './Versions.tsx'

export const Route = createLazyRoute('/signed-in/ai-strategies/$kind/$id')({ component: StrategyPage })

const parent = <Link to="/ai-strategies">AI strategies</Link>

function StrategyPage() {
  const { kind, id } = Route.useParams()
  if (!isAiKind(kind)) {
    return (
      <Page title={id} parent={parent}>
        <Empty title="There is no such page">An AI strategy is a reaction or a session.</Empty>
      </Page>
    )
  }
  return <ReadStrategy key={`${kind} ${id}`} kind={kind} id={id} />
}

function ReadStrategy({ kind, id }: { kind: AiKind; id: string }) {
  const { data, error, refetch } = useQuery(strategyQuery(kind, Number(id)))
  const { data: me } = useQuery(meQuery)
  useRuns(strategyQuery(kind, Number(id)).queryKey, 1000, Number(id))
  if (data !== undefined && me !== undefined)
    return <OneStrategy strategy={data.record} etag={data.etag} userId={me.id} />
  return (
    <Page title={id} tabTitle={`${kindWords[kind].one} ${id}`} parent={parent}>
      {error === null ? <Skeleton /> : <Failure error={error} onRetry={() => void refetch()} />}
    </Page>
  )
}

/** One AI strategy: what it is told, when, what it may do, what it has spent. */
function OneStrategy({ strategy, etag, userId }: { strategy: AiStrategy; etag: string; userId: number }) {
  const { id } = strategy
  const kind = kindOf(strategy)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { tab } = Route.useSearch() as { tab?: string }
  const savedFields = fieldsOf(strategy)
  const drafting = useDraft(`draft.${userId}.ai.${id}`, { fields: savedFields, etag })
  const [testing, setTesting] = useState(untested)
  const readAgain = () => queries.invalidateQueries({ queryKey: ['strategies'] })
  const save = async (fields: Fields, reason: string) => {
    const body = bodyOf(fields, changedFields(fields, savedFields))
    const options = { ifMatch: etag }
    const saved = await apiOf[kind].update(id, { ...body, ...(reason && { reason }) }, options)
    queries.setQueryData(strategyQuery(kind, id).queryKey, { record: saved, etag: saved.etag })
    drafting.settle(fields, { fields: fieldsOf(saved), etag: saved.etag })
    void readAgain()
  }
  const tabs = [
    {
      id: 'settings',
      name: 'Prompt and settings',
      content: (
        <Editor
          kind={kind}
          drafting={drafting}
          savedFields={savedFields}
          input={testing.input}
          onSave={save}
          onConflict={readAgain}
        />
      ),
    },
    {
      id: 'test',
      name: 'Test',
      content: (
        <TestPanel strategy={strategy} fields={drafting.fields} testing={testing} onChange={setTesting} />
      ),
    },
    ...(strategy.type === 'llm-session'
      ? [
          {
            id: 'times',
            name: 'Past times',
            content: <PastTimes strategy={strategy} trace={client.schedules.traceSession} />,
          },
        ]
      : []),
    { id: 'versions', name: 'Versions', content: <Versions kind={kind} id={id} etag={etag} /> },
  ]
  return (
    <Page
      title={<Foreign text={nameOf(strategy)} />}
      tabTitle={`${kindWords[kind].one} ${id}`}
      parent={parent}
      actions={<StatusActions strategy={strategy} isDirty={drafting.draft !== null} />}
    >
      <Suspended strategy={strategy} />
      <About strategy={strategy} />
      <BudgetToday kind={kind} id={id} />
      <Tabs
        label={`About this ${kindWords[kind].short}`}
        chosen={tabs.find((one) => one.id === tab)?.id ?? 'settings'}
        onChoose={(tab) =>
          void navigate({
            to: '/ai-strategies/$kind/$id',
            params: { kind, id: String(id) },
            search: { tab },
            replace: true,
          })
        }
        tabs={tabs}
      />
    </Page>
  )
}

function About({ strategy }: { strategy: AiStrategy }) {
  const { id, status, last_trigger: last, last_run_at, updated_at } = strategy
  return (
    <Facts
      facts={[
        ['Status', <Status key="status" status={status} />],
        ...(strategy.type === 'llm-session'
          ? ([
              [
                'Asks',
                <ScheduleWords key="times" interval={strategy.cron_interval} timezone={strategy.timezone} />,
              ],
              ['Next run', <NextRun key="next" strategy={strategy} />],
            ] as const)
          : []),
        ['Last action', <Action key="action" action={last.action} />],
        ['at', <Time key="at" at={last.at} />],
        ['Last run', <Time key="run" at={last_run_at} />],
        [
          'Runs',
          <Link key="runs" to="/runs" search={{ strategy: id }}>
            Show its runs
          </Link>,
        ],
        ['Changed', <Time key="changed" at={updated_at} />],
      ]}
    />
  )
}

/** Why a strategy does not run now, and the way to end that. */
function Suspended({ strategy }: { strategy: AiStrategy }) {
  const { status, suspended_until, suspension_reason } = strategy
  const { run, isBusy, error } = useStatus(strategy, 'ACTIVE')
  if (status !== 'SUSPENDED') return null
  return (
    <>
      {error !== null && <Failure error={error} isChange />}
      <Notice
        tone="warning"
        action={
          <Button isBusy={isBusy} onClick={run}>
            Resume
          </Button>
        }
      >
        <p>
          The {kindWords[kindOf(strategy)].short} is suspended
          {suspended_until !== null && (
            <>
              {' '}
              and goes on <Distance at={suspended_until} />
            </>
          )}
          . {suspension_reason !== null && suspensionText(suspension_reason)}{' '}
          {suspension_reason !== null && (
            <Link to="/runs/$id" params={{ id: String(suspension_reason.run_id) }}>
              See the run
            </Link>
          )}
        </p>
      </Notice>
    </>
  )
}
