import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure, Skeleton } from '../../parts/Notice.tsx'

/** What was read, or that it is still being read, or why it cannot be. */
export function Loaded<Data>({
  query: { data, error, refetch },
  lines = 4,
  children,
}: {
  query: UseQueryResult<Data>
  lines?: number
  children: (data: Data) => ReactNode
}) {
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={lines} />}
      {data !== undefined && children(data)}
    </>
  )
}
