/** The reason for a missing answer. Strategy code gets its `status` and its message as `text`. */
export class HttpFailure extends Error {
  override name = 'HttpFailure'
  status: 502 | 504

  constructor(status: 502 | 504, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/** The code of an error in parentheses. Unlike the message, it contains no address and no path, so users may see it. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? ` (${code})` : ''
}
