import { useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { meQuery } from '../../../data/queries.ts'
import { useInfiniteQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { Failure, Skeleton } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Table } from '../../../parts/Table.tsx'
import { eventColumns } from '../../audit/columns.tsx'
import { auditQuery } from '../../audit/query.ts'
import styles from '../settings.module.css'

const shownAtFirst = 10
const shownMore = 50

/** What happened to the account: sign-ins, refusals, and changes of secrets. */
export function SecurityEvents() {
  const { data: me } = useSuspenseQuery(meQuery)
  const [most, setMost] = useState(shownAtFirst)
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    auditQuery(me.id),
  )
  const items = useMemo(() => data?.pages.flatMap((part) => part.items), [data])
  const more = () => {
    setMost(most + shownMore)
    if (hasNextPage && items !== undefined && items.length < most + shownMore) void fetchNextPage()
  }
  return (
    <Section title="Security events">
      <p className={styles.why}>
        Each sign-in, each refused password or signature, and each change of a secret, for 365 days. If
        neither you nor an administrator can have caused one, change your password and delete your keys.
      </p>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {items === undefined && error === null && <Skeleton lines={4} />}
      {items !== undefined && (
        <>
          <Table
            label="Security events"
            columns={eventColumns((id) => (id === me.id ? 'You' : `User ${id}`))}
            items={items.slice(0, most)}
            idOf={({ id }) => id}
          />
          {(items.length > most || hasNextPage) && (
            <div>
              <Button isBusy={isFetchingNextPage} onClick={more}>
                Show older
              </Button>
            </div>
          )}
        </>
      )}
    </Section>
  )
}
