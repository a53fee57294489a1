import { useQueryClient } from '@tanstack/react-query'
import { eachOf, type List, type LiveEvent } from '@tickwright/client'
import { useEffect, useRef } from 'react'
import { live } from '../../data/live.ts'
import { useQuery } from '../../data/use-query.ts'

/** A chart shows at most this many of the newest records of each kind. */
const most = 1000
/** Records come in bursts. */
const refreshMs = 1000

type Part = { page?: number; before?: number; limit: number }

/**
 * The newest records for a chart, read again after events that concern them.
 * @param concerns must know every event that changes one of them
 */
export function useNewest<Item>(
  key: readonly unknown[],
  read: (part: Part) => Promise<List<Item>>,
  concerns: (event: LiveEvent) => boolean,
): readonly Item[] {
  const queries = useQueryClient()
  const queryKey = ['chart', ...key]
  const { data } = useQuery({
    queryKey,
    queryFn: async () => {
      const items: Item[] = []
      for await (const item of eachOf(read)) {
        items.push(item)
        if (items.length === most) break
      }
      return items
    },
  })
  const latest = useRef({ concerns, queryKey })
  useEffect(() => {
    latest.current = { concerns, queryKey }
  })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = live.listen((event) => {
      if (!latest.current.concerns(event)) return
      timer ??= setTimeout(() => {
        timer = undefined
        void queries.invalidateQueries({ queryKey: latest.current.queryKey })
      }, refreshMs)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [queries])
  return data ?? none
}

const none: readonly never[] = []
