/**
 * Why there is no usable answer.
 *
 * `unreachable`: no connection, or it broke. `rejected`: the provider does not accept the request, for example because
 * of a wrong key. `refused`: the model, or a filter before it, refuses to answer. `malformed`: the answer cannot be
 * read.
 */
export type FailureKind =
  | 'timeout'
  | 'unreachable'
  | 'rate_limited'
  | 'provider_error'
  | 'rejected'
  | 'refused'
  | 'malformed'

/** `message` is a sentence for the owner of the connection, without secrets. */
export class ProviderFailure extends Error {
  override name = 'ProviderFailure'
  kind: FailureKind
  /** From the `Retry-After` of a 429 or 503. */
  retryAfterSeconds: number | undefined
  /** Whether the provider may charge for the request. */
  mayHaveCost: boolean
  /** The status that the provider answered, if it is one of an error. */
  status: number | undefined

  constructor(
    kind: FailureKind,
    message: string,
    options: {
      retryAfterSeconds?: number | undefined
      mayHaveCost?: boolean
      status?: number | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.retryAfterSeconds = options.retryAfterSeconds
    this.mayHaveCost = options.mayHaveCost ?? true
    this.status = options.status
  }
}

/** Failures that are not the fault of the request, so that another provider may succeed. */
const fallbackKinds: ReadonlySet<FailureKind> = new Set([
  ...(['timeout', 'unreachable', 'rate_limited', 'provider_error'] as const),
])

export function mayFallBack(kind: FailureKind): boolean {
  return fallbackKinds.has(kind)
}
