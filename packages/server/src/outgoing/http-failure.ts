/** Why there is no answer: the `status` and `text` that the code gets instead. */
export class HttpFailure extends Error {
  override name = 'HttpFailure'
  status: 502 | 504

  constructor(status: 502 | 504, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/** What may be told of an error: its code, which unlike its message holds no address and no path. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? ` (${code})` : ''
}
