/** A request that is sent again and again. With `signWith` it is signed again every second. */
export type LoadRequest = {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
  signWith?: { apiKey: string; apiSecret: string }
}

/** What the load generator is to do: the requests are taken in turn, over so many connections. */
export type LoadPlan = {
  /** Origin of the server. */
  url: string
  requests: LoadRequest[]
  connections: number
  /** `null`: each connection sends its next request when the last one is answered. */
  perSecond: number | null
  /** When to stop sending: whichever comes first. */
  until: { ms?: number; answers?: number }
  /** The status that every answer must have. */
  status: number
  /** Whether the result lists each answer; they must have an `id` then. */
  keepAnswers?: boolean
}

export type LoadResult = {
  answered: number
  /** From the first request to the last answer. */
  seconds: number
  p50Ms: number
  p99Ms: number
  /** With `keepAnswers`: when each request was sent (Unix ms), how long it took, and the `id` in its answer. */
  answers: { sentAtMs: number; latencyMs: number; id: number }[]
}

/** What the load generator says to its parent. */
export type LoadMessage = { result: LoadResult } | { failure: string }
