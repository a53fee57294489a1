/** A request that the generator repeats. With `signWith`, it is signed again every second. */
export type LoadRequest = {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
  signWith?: { apiKey: string; apiSecret: string }
}

/** The task of the load generator: it sends the requests in turn, over this many connections. */
export type LoadPlan = {
  /** The origin of the server. */
  url: string
  requests: LoadRequest[]
  connections: number
  /** `null`: each connection sends its next request after the answer to the last one. */
  perSecond: number | null
  /** When to stop: at the first of these limits. */
  until: { ms?: number; answers?: number }
  /** The status that every answer must have. */
  status: number
  /** Whether the result lists each answer. Then each answer must have an `id`. */
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

/** A message from the load generator to its parent. */
export type LoadMessage = { result: LoadResult } | { failure: string }
