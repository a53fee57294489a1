import { useEffect, useRef } from 'react'
import { client } from '../../../data/client.ts'
import { useQuery } from '../../../data/use-query.ts'
import type { TestInput } from './test-input.ts'

/** What a test run begins with. */
export type Start = { delivery?: number | undefined; run?: number | undefined }

/**
 * Fills in the payload of the delivery or the run that the address names.
 * @returns what the user should know about it
 */
export function useStart(
  { delivery, run }: Start,
  hasPayload: boolean,
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
  const filled = useRef<number>(undefined)
  useEffect(() => {
    // Once: the user may have changed the payload since.
    if (payload.data === undefined || filled.current === payload.data.id) return
    filled.current = payload.data.id
    latest.current(inputOf(payload.data))
  }, [payload.data])
  return { note: past.data === undefined ? null : noteOf(past.data), error: past.error ?? payload.error }
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

/** No record has the storage and the price of a run. */
function noteOf({ id, delivery_id }: { id: number; delivery_id: number | null }): string {
  const payload =
    delivery_id === null
      ? `Run ${id} had no payload.`
      : `This is the payload of run ${id}, from delivery ${delivery_id}.`
  return `${payload} The service does not keep the storage and the price of past runs, so a test uses the present ones.`
}
