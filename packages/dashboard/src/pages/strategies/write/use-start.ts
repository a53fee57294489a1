import { useEffect, useRef } from 'react'
import { useNow } from '../../../base/use-now.ts'
import { client } from '../../../data/client.ts'
import { useQuery } from '../../../data/use-query.ts'
import { inputOfRun, noteOf } from './past-run.ts'
import type { TestInput } from './test-input.ts'

/** What a test run begins with. */
export type Start = { delivery?: number | undefined; run?: number | undefined }

/**
 * Fills in the payload of the delivery that the address names, or all that is kept of what the named run saw.
 * @param present what the strategy is now
 * @returns what the user should know about it
 */
export function useStart(
  { delivery, run }: Start,
  hasPayload: boolean,
  present: { version: number; usesPrice: boolean },
  fill: (change: Partial<TestInput>) => void,
): { note: string | null; error: Error | null } {
  const past = useQuery({
    queryKey: ['runs', run],
    queryFn: () => client.runs.get(run!),
    enabled: run !== undefined,
  })
  const wanted = hasPayload ? (delivery ?? past.data?.delivery_id ?? undefined) : undefined
  const payload = useQuery({
    queryKey: ['deliveries', wanted],
    queryFn: () => client.deliveries.get(wanted!),
    enabled: wanted !== undefined,
  })
  const latest = useRef(fill)
  useEffect(() => {
    latest.current = fill
  })
  // Once: the user may have changed the input since.
  const filledRun = useRef<number>(undefined)
  useEffect(() => {
    if (past.data === undefined || filledRun.current === past.data.id) return
    filledRun.current = past.data.id
    latest.current(inputOfRun(past.data))
  }, [past.data])
  const filled = useRef<number>(undefined)
  useEffect(() => {
    if (payload.data === undefined || filled.current === payload.data.id) return
    filled.current = payload.data.id
    latest.current(inputOf(payload.data))
  }, [payload.data])
  const now = useNow(60_000)
  const note = past.data === undefined ? null : noteOf(past.data, present, now)
  return { note, error: past.error ?? payload.error }
}

/** The input with the payload of a delivery. */
export function inputOf(delivery: {
  id: number
  body: string | null
  headers: Record<string, string>
  ip: string
}): Partial<TestInput> {
  const { id, body, headers, ip } = delivery
  return { payload: body ?? '', source: { kind: 'delivery', id }, sent: { headers, ip } }
}
