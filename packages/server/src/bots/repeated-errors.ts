import { AppError } from '../base/errors.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'

/** The bot gives up on a signal after this many attempts with the same error. */
const mostAlike = 5
/** The bot gives up after this many attempts in any case: alternating errors must not block a symbol forever either. */
const mostAttempts = 10

/** The errors of the attempts to follow one signal. */
export class RepeatedErrors {
  #pausesMs: readonly number[]
  #last: { error: unknown; fingerprint: string } | undefined
  #alike = 0
  #count = 0

  /** @param pausesMs the pause after the first error, the second, and so on; the last one also counts for later errors */
  constructor(pausesMs: readonly number[]) {
    this.#pausesMs = pausesMs
  }

  add(error: unknown): void {
    const fingerprint = fingerprintOf(error)
    this.#alike = fingerprint === this.#last?.fingerprint ? this.#alike + 1 : 1
    this.#last = { error, fingerprint }
    this.#count += 1
  }

  /** Whether the bot should give up. */
  get areEnough(): boolean {
    return this.#alike >= mostAlike || this.#count >= mostAttempts
  }

  /** The pause before the next attempt. */
  get pauseMs(): number {
    return this.#pausesMs[Math.min(this.#count, this.#pausesMs.length) - 1] ?? 0
  }

  /** For a person: the number of attempts and the last error. */
  get reason(): string {
    const error = describeError(this.#last?.error)
    const isSame = this.#alike >= mostAlike
    return isSame
      ? `Following the signal failed ${this.#alike} times with the same error: ${error}`
      : `Following the signal failed ${this.#count} times with different errors. The last one: ${error}`
  }
}

/**
 * Two errors with the same fingerprint count as the same error: it has the names, codes and messages along the chain of
 * causes, without digits, because ids, times and amounts differ each time.
 */
function fingerprintOf(error: unknown): string {
  const parts: string[] = []
  for (
    let at = error;
    at !== undefined && parts.length < 5;
    at = at instanceof Error ? at.cause : undefined
  ) {
    const { name, message, code } = at instanceof Error ? (at as Error & { code?: unknown }) : asError(at)
    parts.push(
      `${name} ${String(code ?? '')} ${message.slice(0, 500).replaceAll(/[\da-f]*\d[\da-f]*/gi, '#')}`,
    )
  }
  return parts.join('\n')
}

function asError(thrown: unknown) {
  return { name: typeof thrown, message: String(thrown), code: undefined }
}

/** The message of an error that is written for users. Other errors may quote SQL or an address, which only the log may show. */
function describeError(error: unknown): string {
  const isForUsers = [RangeError, AppError, NoSuchMarket, VenueUnreachable].some(
    (kind) => error instanceof kind,
  )
  return isForUsers
    ? (error as Error).message.slice(0, 300)
    : 'an internal error, see the log of the service.'
}
