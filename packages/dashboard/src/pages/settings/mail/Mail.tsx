import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Mail as MailRecord } from '@tickwright/client'
import { useState } from 'react'
import { client } from '../../../data/client.ts'
import { eventRowsQuery } from '../../../data/event-rows.ts'
import { meQuery } from '../../../data/queries.ts'
import { useInfiniteQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { Buttons, Dialog } from '../../../parts/Dialog.tsx'
import { Facts } from '../../../parts/Facts.tsx'
import { Status } from '../../../parts/Marks.tsx'
import { Empty, Failure, Notice, Skeleton } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Table, type TableColumn } from '../../../parts/Table.tsx'
import { Distance, Foreign, Time } from '../../../parts/Values.tsx'
import styles from '../settings.module.css'
import { reasonsToMail } from './reasons.ts'

/** What the service mails the user, and what became of each mail. */
export function Mail() {
  const { data: me } = useSuspenseQuery(meQuery)
  const [opened, setOpened] = useState<MailRecord | null>(null)
  const rows = useInfiniteQuery({
    ...eventRowsQuery<MailRecord>('mail-rows', {}, client.users.mail),
    // No event tells that a mail was sent.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? 10_000 : false),
  })
  const items = rows.data?.pages.flatMap((part) => part.items)
  const columns: TableColumn<MailRecord>[] = [
    {
      name: 'Subject',
      cell: (mail) => (
        <button type="button" className={styles.link} onClick={() => setOpened(mail)}>
          <Foreign text={mail.subject || 'Without a subject'} />
        </button>
      ),
    },
    { name: 'Status', cell: ({ status }) => <Status status={status} /> },
    { name: 'Why', isWide: true, cell: ({ reason }) => <Foreign text={reason ?? ''} /> },
    { name: 'Written', isNumber: true, cell: ({ created_at }) => <Time at={created_at} /> },
    { name: 'Ended', isNumber: true, isWide: true, cell: ({ finished_at }) => <Time at={finished_at} /> },
  ]
  return (
    <>
      <Section title="Mail">
        <p>
          The service sends your mail to <Foreign text={me.email} />.{' '}
          <Link to="/settings/$area" params={{ area: 'account' }}>
            Change the address
          </Link>
        </p>
        {me.email === 'admin@localhost' && (
          <Notice tone="warning">Nobody receives mail at this address. Change it to one of your own.</Notice>
        )}
        {items?.[0]?.status === 'KEPT' && (
          <Notice tone="warning">
            This installation has no mail server. You can read your mail here, but it is never sent.
          </Notice>
        )}
        <div>
          <p className={styles.soft}>You get a mail when</p>
          <ul className={styles.list}>
            {reasonsToMail.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </div>
      </Section>
      <Section title="Your mail">
        {rows.error !== null && <Failure error={rows.error} onRetry={() => void rows.refetch()} />}
        {items === undefined && rows.error === null && <Skeleton />}
        {items?.length === 0 && (
          <Empty title="No mail yet">Each mail to you appears here, with what became of it.</Empty>
        )}
        {items !== undefined && items.length > 0 && (
          <Table label="Your mail" columns={columns} items={items} idOf={({ id }) => id} />
        )}
        {rows.hasNextPage && (
          <div>
            <Button isBusy={rows.isFetchingNextPage} onClick={() => void rows.fetchNextPage()}>
              Show older ones
            </Button>
          </div>
        )}
      </Section>
      {opened !== null && <OneMail mail={opened} onClose={() => setOpened(null)} />}
    </>
  )
}

function OneMail({ mail, onClose }: { mail: MailRecord; onClose: () => void }) {
  const { subject, text, status, reason, created_at, next_attempt_at, finished_at } = mail
  return (
    <Dialog title="Mail" onClose={onClose} isWide>
      <h3>
        <Foreign text={subject} />
      </h3>
      <Facts
        facts={[
          ['Status', <Status key="status" status={status} />],
          ...(reason === null ? [] : [['Why', <Foreign key="reason" text={reason} />] as const]),
          ['Written', <Time key="written" at={created_at} />],
          ...(next_attempt_at === null
            ? []
            : [['Next attempt', <Distance key="next" at={next_attempt_at} />] as const]),
          ...(finished_at === null ? [] : [['Ended', <Time key="ended" at={finished_at} />] as const]),
        ]}
      />
      {text === null ? (
        <p className={styles.soft}>
          The service does not show this text, because it may hold a link that signs its reader in.
        </p>
      ) : (
        <p className={styles.letter}>
          <Foreign text={text} keepLines />
        </p>
      )}
      <Buttons>
        <Button onClick={onClose}>Back</Button>
      </Buttons>
    </Dialog>
  )
}
