/**
 * Why a model could not be asked, or its answer not be used.
 *
 * `unreachable`: no connection, or it broke. `rejected`: the provider does not take the request, as with a wrong key.
 * `refused`: the model, or a filter before it, will not answer. `malformed`: the answer fits no shape.
 */
export type FailureKind =
  | 'timeout'
  | 'unreachable'
  | 'rate_limited'
  | 'provider_error'
  | 'rejected'
  | 'refused'
  | 'malformed'

/** `message` is a sentence for the owner of the connection; it has passed {@link redact}, or comes from here. */
export class ProviderFailure extends Error {
  override name = 'ProviderFailure'
  kind: FailureKind
  /** As the provider asks, with 429 and 503. */
  retryAfterSeconds: number | undefined
  /** Whether the provider may have worked, and so charge for it. */
  mayHaveCost: boolean

  constructor(
    kind: FailureKind,
    message: string,
    options: { retryAfterSeconds?: number | undefined; mayHaveCost?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.retryAfterSeconds = options.retryAfterSeconds
    this.mayHaveCost = options.mayHaveCost ?? true
  }
}

/** Those after which another provider may do better, without anything of the request being wrong. */
const worthAnother: ReadonlySet<FailureKind> = new Set([
  ...(['timeout', 'unreachable', 'rate_limited', 'provider_error'] as const),
])

export function isWorthAnother(kind: FailureKind): boolean {
  return worthAnother.has(kind)
}
