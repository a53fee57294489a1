import { useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import type { AiReaction } from '@tickwright/client'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { meQuery } from '../../data/queries.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Action, Status } from '../../parts/Marks.tsx'
import { Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { Distance, Foreign, Time } from '../../parts/Values.tsx'
import { BudgetToday } from './Budget.tsx'
import { Editor } from './Editor.tsx'
import { bodyOf, changedFields, type Fields, fieldsOf } from './fields.ts'
import { reactionQuery } from './reactions.ts'
import { StatusActions, useStatus } from './StatusActions.tsx'
import { suspensionText } from './suspension.ts'
import { TestPanel, untested } from './TestPanel.tsx'
import { useDraft } from './use-draft.ts'
import { Versions } from './Versions.tsx'

export const Route = createLazyRoute('/signed-in/ai-reactions/$id')({ component: ReactionPage })

const tabs = ['settings', 'test', 'versions'] as const

function ReactionPage() {
  const { id } = Route.useParams()
  const { data, error, refetch } = useQuery(reactionQuery(Number(id)))
  const { data: me } = useQuery(meQuery)
  if (data !== undefined && me !== undefined)
    return <OneReaction key={id} reaction={data.record} etag={data.etag} userId={me.id} />
  return (
    <Page title={id} tabTitle={`AI reaction ${id}`} parent={<Link to="/ai-reactions">AI reactions</Link>}>
      {error === null ? <Skeleton /> : <Failure error={error} onRetry={() => void refetch()} />}
    </Page>
  )
}

/** One AI reaction: what it is told, what it may do, what it has spent. */
function OneReaction({ reaction, etag, userId }: { reaction: AiReaction; etag: string; userId: number }) {
  const { id, name } = reaction
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { tab } = Route.useSearch() as { tab?: string }
  const chosen = tabs.find((name) => name === tab) ?? 'settings'
  const savedFields = fieldsOf(reaction)
  const drafting = useDraft(`draft.${userId}.ai.${id}`, { fields: savedFields, etag })
  const [testing, setTesting] = useState(untested)
  const readAgain = () => queries.invalidateQueries({ queryKey: ['strategies'] })
  const save = async (fields: Fields, reason: string) => {
    const body = bodyOf(fields, changedFields(fields, savedFields))
    const options = { ifMatch: etag }
    const saved = await client.reactions.llm.update(id, { ...body, ...(reason && { reason }) }, options)
    queries.setQueryData(reactionQuery(id).queryKey, { record: saved, etag: saved.etag })
    drafting.settle(fields, { fields: fieldsOf(saved), etag: saved.etag })
    void readAgain()
  }
  return (
    <Page
      title={<Foreign text={name || `Reaction ${id}`} />}
      tabTitle={`AI reaction ${id}`}
      parent={<Link to="/ai-reactions">AI reactions</Link>}
      actions={<StatusActions reaction={reaction} isDirty={drafting.draft !== null} />}
    >
      <Suspended reaction={reaction} />
      <About reaction={reaction} />
      <BudgetToday id={id} />
      <Tabs
        label="About this reaction"
        chosen={chosen}
        onChoose={(tab) =>
          void navigate({
            to: '/ai-reactions/$id',
            params: { id: String(id) },
            search: { tab },
            replace: true,
          })
        }
        tabs={[
          {
            id: 'settings',
            name: 'Prompt and settings',
            content: (
              <Editor drafting={drafting} savedFields={savedFields} onSave={save} onConflict={readAgain} />
            ),
          },
          {
            id: 'test',
            name: 'Test',
            content: (
              <TestPanel
                reaction={reaction}
                fields={drafting.fields}
                testing={testing}
                onChange={setTesting}
              />
            ),
          },
          { id: 'versions', name: 'Versions', content: <Versions id={id} etag={etag} /> },
        ]}
      />
    </Page>
  )
}

function About({ reaction }: { reaction: AiReaction }) {
  const { id, status, last_trigger: last, last_run_at, updated_at } = reaction
  return (
    <Facts
      facts={[
        ['Status', <Status key="status" status={status} />],
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

/** Why a reaction does not run now, and the way to end that. */
function Suspended({
  reaction: { id, status, suspended_until, suspension_reason },
}: {
  reaction: AiReaction
}) {
  const { run, isBusy, error } = useStatus(id, 'ACTIVE')
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
          The reaction is suspended
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
