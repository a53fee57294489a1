import { type CSSProperties, type ReactNode, useCallback, useEffect, useMemo } from 'react'
import { useIsPhone } from '../../base/use-media.ts'
import type { eventRowsQuery } from '../../data/event-rows.ts'
import { useInfiniteQuery } from '../../data/use-query.ts'
import type { Beside } from '../beside.ts'
import { Failure, Skeleton } from '../Notice.tsx'
import { type Column, Rows, rowHeightOf } from '../Rows.tsx'
import styles from './records.module.css'

export type RecordQuery<Item extends { id: number }> = ReturnType<typeof eventRowsQuery<Item>>

const headHeight = 29

/**
 * A list of records as long as history, newest first. It reads on while it is scrolled.
 * @param empty what is shown if there are none
 * @param beside the row whose detail is open beside the list
 * @param above the height in pixels that the rest of the page needs; `null` on a page that gives the list all the rest
 */
export function RecordRows<Item extends { id: number }>({
  label,
  query,
  columns,
  link,
  beside,
  empty,
  above,
}: {
  label: string
  query: RecordQuery<Item>
  columns: readonly Column<Item>[]
  link?: ((item: Item) => ReactNode) | undefined
  beside?: Beside | undefined
  empty: ReactNode
  above?: number | null
}) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(query)
  const items = useMemo(() => data?.pages.flatMap((part) => part.items) ?? [], [data])
  const isPhone = useIsPhone()
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  if (error !== null && items.length === 0) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={10} />
  // A search may have to go on before it finds something.
  if (items.length === 0 && hasNextPage) return <Searching more={more} />
  if (items.length === 0) return empty
  const list = (
    <Rows
      label={label}
      columns={columns}
      items={items}
      idOf={({ id }) => id}
      {...(link === undefined ? {} : { link })}
      onEnd={more}
      beside={beside}
    />
  )
  if (above === null) return list
  const rows = items.length * rowHeightOf(columns, isPhone)
  const size = { '--rows-height': `${headHeight + rows}px`, ...(above && { '--above': `${above}px` }) }
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      <div className={styles.list} style={size as CSSProperties}>
        {list}
      </div>
    </>
  )
}

/** Nothing found yet, and there are older records to look at. */
function Searching({ more }: { more: () => void }) {
  useEffect(more)
  return <Skeleton lines={10} />
}
