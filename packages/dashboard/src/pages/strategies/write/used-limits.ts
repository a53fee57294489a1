/** A limit of a run, and how much of it was used. */
export type UsedLimit = {
  name: string
  used: number
  max: number
  unit?: 'ms' | 'bytes'
  /** 1: all of it. */
  share: number
}

const known: Record<string, string> = {
  time_ms: 'Time',
  storage_bytes: 'Storage',
  log_bytes: 'Log',
  http_requests: 'Requests',
  host_calls: 'Calls of $',
  actions: 'Actions',
}

/** The limits of a run in their order. One that a newer service adds is shown by its name in the API. */
export function usedLimits(limits: Record<string, { used: number; max: number }>): UsedLimit[] {
  return Object.entries(limits).map(([key, { used, max }]) => ({
    name: known[key] ?? key,
    used,
    max,
    ...(key.endsWith('_ms')
      ? { unit: 'ms' as const }
      : key.endsWith('_bytes')
        ? { unit: 'bytes' as const }
        : {}),
    share: max > 0 ? used / max : 0,
  }))
}
