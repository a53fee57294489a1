import { type ReactNode, useCallback, useMemo } from 'react'
import type { eventRowsQuery } from '../../data/event-rows.ts'
import { useInfiniteQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import type { Beside } from '../../parts/beside.ts'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { type Column, Rows } from '../../parts/Rows.tsx'
import styles from './webhooks.module.css'

/** Deliveries of any number. The end of the list asks for older ones. */
export function DeliveryRows<Item extends { id: number }>({
  query,
  columns,
  link,
  beside,
  empty,
}: {
  query: ReturnType<typeof eventRowsQuery<Item>>
  columns: readonly Column<Item>[]
  link: (item: Item) => ReactNode
  beside: Beside | undefined
  /** What the list says if it has none. */
  empty: ReactNode
}) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(query)
  const items = useMemo(() => data?.pages.flatMap((part) => part.items) ?? [], [data])
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  if (error !== null && items.length === 0) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={8} />
  // A filter looks at some thousands of deliveries at a time, and may have found none of them.
  if (items.length === 0 && hasNextPage)
    return (
      <div>
        <Button isBusy={isFetchingNextPage} onClick={more}>
          Search older deliveries
        </Button>
      </div>
    )
  if (items.length === 0) return empty
  return (
    <div className={styles.list}>
      <Rows
        label="Deliveries"
        columns={columns}
        items={items}
        idOf={({ id }) => id}
        link={link}
        onEnd={more}
        beside={beside}
      />
    </div>
  )
}
