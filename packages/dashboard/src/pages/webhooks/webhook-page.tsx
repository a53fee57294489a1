import { useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { ApiError, type SharedWebhook } from '@tickwright/client'
import { type Open, setOnly } from '../../base/search.ts'
import { client } from '../../data/client.ts'
import { useOnce } from '../../data/use-once.ts'
import { useQuery } from '../../data/use-query.ts'
import { isKind, type Kind, type Webhook, webhookQuery } from '../../data/webhooks.ts'
import { Button } from '../../parts/Button.tsx'
import { type Beside, useBeside } from '../../parts/beside.ts'
import { Detail } from '../../parts/Detail.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { Secret } from '../../parts/Secret.tsx'
import { type Tab, Tabs } from '../../parts/Tabs.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import { Again } from '../deliveries/Again.tsx'
import { DeliveryView } from '../deliveries/DeliveryView.tsx'
import { SignalAgain } from '../deliveries/SignalAgain.tsx'
import { SignalDeliveryView } from '../deliveries/SignalDeliveryView.tsx'
import { Attached } from './Attached.tsx'
import { Deliveries, deliveryPage } from './Deliveries.tsx'
import { formats, passwordText } from './form.ts'
import { HowToSend } from './HowToSend.tsx'
import { RefusedPosts } from './RefusedPosts.tsx'
import { Settings } from './Settings.tsx'
import { AboutShared, NotOwn, useShared } from './Shared.tsx'
import { Sharing } from './Sharing.tsx'
import { SignalDeliveries, signalDeliveryPage } from './SignalDeliveries.tsx'
import type { WebhookView } from './view.ts'

export const Route = createLazyRoute('/signed-in/webhooks/$kind/$id')({ component: WebhookPage })

function WebhookPage() {
  const { kind, id } = Route.useParams()
  if (!isKind(kind)) return <Empty title="There is no such kind of webhook" />
  return <OneWebhook key={`${kind} ${id}`} kind={kind} id={Number(id)} />
}

/** One webhook: its address, what it has got and refused, what uses it, and its settings. */
function OneWebhook({ kind, id }: { kind: Kind; id: number }) {
  const { data: webhook, error, refetch } = useQuery(webhookQuery(kind, id))
  const isNotOwn = error instanceof ApiError && error.status === 404
  const shared = useShared(kind, id, isNotOwn)
  const view = Route.useSearch() as WebhookView & Open
  const beside = useBeside(view.open)
  const known = webhook ?? shared
  return (
    <Page
      title={known ? <Foreign text={known.name || `Webhook ${id}`} /> : id}
      tabTitle={`Webhook ${id}`}
      parent={<Link to="/webhooks">Webhooks</Link>}
      actions={webhook && <StatusSwitch kind={kind} webhook={webhook} />}
      detail={
        view.open === undefined || webhook === undefined ? null : (
          <OneDelivery kind={kind} webhookId={id} id={view.open} beside={beside} />
        )
      }
    >
      {isNotOwn ? (
        <NotOwn shared={shared} error={error} onRetry={() => void refetch()} />
      ) : (
        error !== null && <Failure error={error} onRetry={() => void refetch()} />
      )}
      {webhook === undefined && error === null && <Skeleton />}
      {webhook !== undefined && (
        <>
          <About kind={kind} webhook={webhook} />
          <ViewTabs kind={kind} id={id} view={view} tabs={tabsOf(kind, webhook, view, beside)} />
        </>
      )}
      {isNotOwn && shared && (
        <>
          <AboutShared kind={kind} shared={shared} />
          <ViewTabs kind={kind} id={id} view={view} tabs={tabsOfShared(kind, shared)} />
        </>
      )}
    </Page>
  )
}

function ViewTabs({
  kind,
  id,
  view,
  tabs,
}: {
  kind: Kind
  id: number
  view: WebhookView
  tabs: readonly Tab[]
}) {
  const navigate = useNavigate()
  const chosen = tabs.find(({ id }) => id === view.tab) ?? tabs[0]!
  return (
    <Tabs
      label="About this webhook"
      chosen={chosen.id}
      onChoose={(tab) =>
        void navigate({
          to: '/webhooks/$kind/$id',
          params: { kind, id: String(id) },
          search: { tab },
          replace: true,
        })
      }
      tabs={tabs}
    />
  )
}

/** One of the deliveries of the first tab, beside the list of them. */
function OneDelivery({
  kind,
  webhookId,
  id,
  beside,
}: {
  kind: Kind
  webhookId: number
  id: number
  beside: Beside | undefined
}) {
  const title = `Delivery ${id}`
  if (kind === 'data')
    return (
      <Detail beside={beside} title={title} page={deliveryPage(id)} actions={<Again id={id} />}>
        <DeliveryView id={id} />
      </Detail>
    )
  return (
    <Detail
      beside={beside}
      title={title}
      page={signalDeliveryPage(webhookId, id)}
      actions={<SignalAgain webhookId={webhookId} id={id} />}
    >
      <SignalDeliveryView webhookId={webhookId} id={id} />
    </Detail>
  )
}

function tabsOf(
  kind: Kind,
  webhook: Webhook,
  { status, range, q }: WebhookView,
  beside: Beside | undefined,
): Tab[] {
  const { id } = webhook
  const filters = setOnly({ status, range, q })
  return [
    {
      id: 'deliveries',
      name: 'Deliveries',
      content:
        kind === 'data' ? (
          <Deliveries id={id} filters={filters} beside={beside} />
        ) : (
          <SignalDeliveries id={id} beside={beside} />
        ),
    },
    { id: 'refused', name: 'Refused', content: <RefusedPosts kind={kind} id={id} /> },
    attachedTab(kind, id),
    {
      id: 'send',
      name: 'How to send',
      content: (
        <HowToSend
          kind={kind}
          target={webhook}
          // The address may have changed since the page was opened.
          readUrl={async () => (await client.webhooks[kind].get(id)).url}
        />
      ),
    },
    { id: 'sharing', name: 'Sharing', content: <Sharing kind={kind} id={id} /> },
    { id: 'settings', name: 'Settings', content: <Settings kind={kind} webhook={webhook} /> },
  ]
}

/** The first tab shows no address: only someone who asks for the programs sees it. */
function tabsOfShared(kind: Kind, { id, url }: SharedWebhook): Tab[] {
  return [
    attachedTab(kind, id),
    { id: 'refused', name: 'Refused', content: <RefusedPosts kind={kind} id={id} /> },
    {
      id: 'send',
      name: 'How to send',
      content: <HowToSend kind={kind} target={{ url, is_safe: null }} readUrl={async () => url} />,
    },
  ]
}

function attachedTab(kind: Kind, id: number): Tab {
  const [tab, name] = kind === 'data' ? ['reactions', 'Reactions'] : ['bots', 'Bots']
  return { id: tab!, name: name!, content: <Attached kind={kind} id={id} /> }
}

function About({ kind, webhook }: { kind: Kind; webhook: Webhook }) {
  const { status, url, content_type, allow_from, created_at, description } = webhook
  return (
    <>
      {description !== '' && (
        <p>
          <Foreign text={description} />
        </p>
      )}
      <Facts
        facts={[
          ['Status', <Status key="status" status={status} />],
          ['Address', <Secret key="address" text={url} name="address" />],
          ['Password', passwordText(webhook)],
          ['Accepts', content_type === 'json' ? 'application/json' : 'JSON, also as text/plain'],
          ...('format' in webhook ? [['Format', formats[webhook.format]] as const] : []),
          ['Allowed senders', allow_from.length === 0 ? 'Everyone' : allow_from.join(', ')],
          ['Gives to', kind === 'data' ? 'Reactions' : 'Bots'],
          ['Created', <Time key="created" at={created_at} />],
        ]}
      />
    </>
  )
}

function StatusSwitch({ kind, webhook: { id, status } }: { kind: Kind; webhook: Webhook }) {
  const queries = useQueryClient()
  const next = status === 'ACTIVE' ? 'INACTIVE' : 'ACTIVE'
  const { run, isBusy, error } = useOnce(
    () => client.webhooks[kind].setStatus(id, { status: next }),
    () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  )
  return (
    <>
      {error !== null && <Failure error={error} isChange />}
      <Button isBusy={isBusy} onClick={run}>
        {status === 'ACTIVE' ? 'Switch off' : 'Switch on'}
      </Button>
    </>
  )
}
