import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { plainText } from '../../base/text.ts'
import { useQuery } from '../../data/use-query.ts'
import type { Kind } from '../../data/webhooks.ts'
import { Button, buttonClass } from '../../parts/Button.tsx'
import { SelectField } from '../../parts/Choices.tsx'
import { Buttons } from '../../parts/Dialog.tsx'
import { Form } from '../../parts/Form.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Mode, Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { followersQuery, reactionsQuery, useSenders, type WebhookUser } from './users.ts'
import styles from './webhooks.module.css'

/** What gets the payloads or signals of a webhook, and what sends to it. */
export function Attached({ kind, id }: { kind: Kind; id: number }) {
  return (
    <>
      <Takers kind={kind} id={id} />
      {kind === 'bot' && <Senders id={id} />}
    </>
  )
}

const words = {
  data: {
    one: 'reaction',
    title: 'Reactions',
    empty: 'No reaction is attached',
    why: 'A payload that arrives now is stored, and nothing runs with it.',
    after: 'It then runs with no payload of this webhook. What is queued still runs.',
  },
  bot: {
    one: 'bot',
    title: 'Bots',
    empty: 'No bot follows this webhook',
    why: 'A signal that arrives now is stored, and nobody trades it.',
    after:
      'It then gets no signal of this webhook. It keeps its positions, and no signal of this webhook closes them.',
  },
} as const

function nameColumn(name: string): TableColumn<WebhookUser> {
  return {
    name,
    cell: ({ id, name, what, path }) => (
      <Link to={path}>
        <Foreign text={name || `${what} ${id}`} />
      </Link>
    ),
  }
}

const rest: TableColumn<WebhookUser>[] = [
  { name: 'Kind', cell: ({ what, bot }) => (bot === undefined ? what : <Mode {...bot} />) },
  { name: 'Status', cell: ({ status }) => <Status status={status} /> },
]

type Change = { user: WebhookUser; isAttached: boolean }

function Takers({ kind, id }: { kind: Kind; id: number }) {
  const { data, error, refetch } = useQuery(kind === 'data' ? reactionsQuery : followersQuery)
  const [change, setChange] = useState<Change | null>(null)
  const { one, title, empty, why } = words[kind]
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton />
  const attached = data.filter(({ webhookId }) => webhookId === id)
  const others = data.filter(({ webhookId }) => webhookId !== id)
  const columns: TableColumn<WebhookUser>[] = [
    nameColumn('Name'),
    ...rest,
    {
      name: 'Detach',
      isNumber: true,
      cell: (user) => (
        <Button look="quiet" onClick={() => setChange({ user, isAttached: true })}>
          Detach
        </Button>
      ),
    },
  ]
  return (
    <Section title={title}>
      {attached.length === 0 ? (
        <Empty title={empty}>{why}</Empty>
      ) : (
        <Table label={title} columns={columns} items={attached} idOf={({ what, id }) => `${what} ${id}`} />
      )}
      <div className={styles.attach}>
        {others.length > 0 && (
          <Form
            onSend={async (data) => {
              const user = others.find((one) => keyOf(one) === data.get('user'))
              if (user !== undefined) setChange({ user, isAttached: false })
            }}
          >
            {() => (
              <>
                <SelectField label={`Attach a ${one}`} name="user">
                  {others.map((user) => (
                    <option key={keyOf(user)} value={keyOf(user)}>
                      {plainText(user.name) || `${user.what} ${user.id}`}
                      {user.webhookId !== null && `, now at webhook ${user.webhookId}`}
                    </option>
                  ))}
                </SelectField>
                <Buttons>
                  {kind === 'bot' && <NewBot id={id} />}
                  <Button type="submit">Attach …</Button>
                </Buttons>
              </>
            )}
          </Form>
        )}
        {others.length === 0 && kind === 'bot' && (
          <Buttons>
            <NewBot id={id} />
          </Buttons>
        )}
      </div>
      {change !== null && <ChangeDialog kind={kind} id={id} {...change} onClose={() => setChange(null)} />}
    </Section>
  )
}

const keyOf = ({ what, id }: WebhookUser) => `${what} ${id}`

function NewBot({ id }: { id: number }) {
  return (
    <Link to="/bots/new" search={{ webhook: id }} className={buttonClass()}>
      New bot
    </Link>
  )
}

/** Asks before something gets another webhook: what it does from then on differs. */
function ChangeDialog({
  kind,
  id,
  user,
  isAttached,
  onClose,
}: Change & { kind: Kind; id: number; onClose: () => void }) {
  const queries = useQueryClient()
  const { one, after } = words[kind]
  const send = async () => {
    await user.use?.(isAttached ? null : id)
    for (const key of ['strategies', 'bots']) await queries.invalidateQueries({ queryKey: [key] })
    onClose()
  }
  return (
    <FormDialog
      title={isAttached ? `Detach this ${one}` : `Attach this ${one}`}
      word={isAttached ? 'Detach' : 'Attach'}
      look={user.bot?.mode === 'live' ? 'danger' : 'primary'}
      onSend={send}
      onClose={onClose}
    >
      <p>
        <Foreign text={user.name || `${user.what} ${user.id}`} /> {user.bot && <Mode {...user.bot} />}{' '}
        <Status status={user.status} />
      </p>
      <p>{isAttached ? after : attachedText(kind, user)}</p>
    </FormDialog>
  )
}

/** What follows from attaching something to a webhook. */
function attachedText(kind: Kind, { webhookId, status, bot }: WebhookUser): string {
  const from = webhookId === null ? '' : ` It leaves webhook ${webhookId}.`
  const isOn = status === 'ACTIVE'
  if (kind === 'data')
    return `${isOn ? 'It is on: it runs with each payload from now on.' : 'It is off: it runs once it is switched on.'}${from}`
  const orders = bot?.mode === 'live' && !bot.demo ? 'orders with real money' : 'orders'
  return `${isOn ? `It is on: it follows each signal from now on with ${orders}.` : 'It is off: it follows signals once it is switched on.'}${from}`
}

function Senders({ id }: { id: number }) {
  const senders = useSenders(id)
  if (senders === undefined) return <Skeleton lines={2} />
  return (
    <Section title="Strategies that send to it">
      {senders.length === 0 ? (
        <Empty title="No strategy of yours sends to it">
          A strategy sends its signals to the bot webhook that its settings name.
        </Empty>
      ) : (
        <Table
          label="Strategies that send to it"
          columns={[nameColumn('Strategy'), ...rest]}
          items={senders}
          idOf={({ id }) => id}
        />
      )}
    </Section>
  )
}
