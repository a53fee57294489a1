import { useCallback, useMemo } from 'react'
import { formatNumber } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { useInfiniteQuery, useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { ChoiceFilter } from '../../parts/Filter.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { groupChoices, isInGroup } from '../audit/audit-text.ts'
import { eventColumns } from '../audit/columns.tsx'
import { auditQuery } from '../audit/query.ts'
import styles from './administration.module.css'
import { usersQuery } from './administration.ts'
import type { View } from './view.ts'

/** The security events of one user: who did what, when, and from where. */
export function AuditLog({ search, change, myId }: View & { myId: number }) {
  const userId = search.user ?? myId
  const { data: users } = useQuery(usersQuery)
  const { data, error, hasNextPage, isFetching, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(auditQuery(userId))
  const names = useMemo(() => new Map(users?.map(({ id, email }) => [id, email])), [users])
  const read = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const items = useMemo(() => read.filter(({ event }) => isInGroup(event, search.events)), [read, search])
  const columns = eventColumns((id) => names.get(id) ?? `User ${id}`)
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const [first] = data?.pages ?? []
  return (
    <>
      <div className={styles.bar}>
        <ChoiceFilter
          label="User"
          all="You"
          choices={(users ?? [])
            .filter(({ id }) => id !== myId)
            .map(({ id, email }) => ({ value: String(id), text: plainText(email) }))}
          value={userId === myId ? undefined : String(userId)}
          onChange={(id) => change({ user: id === undefined ? undefined : Number(id) })}
        />
        <ChoiceFilter
          label="Events"
          all="All events"
          choices={groupChoices}
          value={search.events}
          onChange={(events) => change({ events })}
        />
        {first && (
          <span className={styles.total}>
            {first.isExact ? formatNumber(first.total) : `over ${formatNumber(first.total)}`} events in 365
            days
          </span>
        )}
        <Button isBusy={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton />}
      {data !== undefined && items.length === 0 && (
        <NoEvents
          isFiltered={search.events !== undefined}
          readNumber={read.length}
          onMore={hasNextPage ? more : undefined}
          isReading={isFetchingNextPage}
          onAll={() => change({ events: undefined })}
        />
      )}
      {items.length > 0 && (
        <div className={styles.list}>
          <Rows
            label="Security events"
            columns={columns}
            items={items}
            idOf={({ id }) => id}
            // A filter that fits few events would otherwise read the whole year at once.
            onEnd={search.events === undefined ? more : undefined}
            after={
              search.events !== undefined &&
              hasNextPage && (
                <div className={styles.further}>
                  <span className={styles.total}>
                    The latest {formatNumber(read.length)} events were looked at.
                  </span>
                  <Button isBusy={isFetchingNextPage} onClick={more}>
                    Look further back
                  </Button>
                </div>
              )
            }
          />
        </div>
      )}
    </>
  )
}

function NoEvents({
  isFiltered,
  readNumber,
  onMore,
  isReading,
  onAll,
}: {
  isFiltered: boolean
  readNumber: number
  onMore: (() => void) | undefined
  isReading: boolean
  onAll: () => void
}) {
  if (!isFiltered) {
    return (
      <Empty title="No event yet">
        Each sign-in and each change of a password, key or secret is written here, and kept for 365 days.
      </Empty>
    )
  }
  if (onMore !== undefined) {
    return (
      <Empty
        title={`None among the latest ${formatNumber(readNumber)} events`}
        action={
          <Button isBusy={isReading} onClick={onMore}>
            Look further back
          </Button>
        }
      />
    )
  }
  return <Empty title="No such event" action={<Button onClick={onAll}>Show all events</Button>} />
}
