import { AppError } from '../base/errors.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'

/** Attempts that end alike before a signal is given up. */
const alikeAtMost = 5
/** Attempts in all: errors that take turns must not keep a signal for ever either. */
const attemptsAtMost = 10

/** What the attempts to follow one signal have failed with. */
export class RepeatedErrors {
  #pausesMs: readonly number[]
  #last: { error: unknown; likeness: string } | undefined
  #alike = 0
  #count = 0

  /** @param pausesMs after the first error, the second, and so on; the last one is for all that follow */
  constructor(pausesMs: readonly number[]) {
    this.#pausesMs = pausesMs
  }

  add(error: unknown): void {
    const likeness = likenessOf(error)
    this.#alike = likeness === this.#last?.likeness ? this.#alike + 1 : 1
    this.#last = { error, likeness }
    this.#count += 1
  }

  /** Whether another attempt is pointless. */
  get areEnough(): boolean {
    return this.#alike >= alikeAtMost || this.#count >= attemptsAtMost
  }

  /** Before the next attempt. */
  get pauseMs(): number {
    return this.#pausesMs[Math.min(this.#count, this.#pausesMs.length) - 1] ?? 0
  }

  /** For a person: how often, and with what. */
  get reason(): string {
    const how = this.#alike >= alikeAtMost ? 'always with the same error' : 'with errors that change'
    return `It failed ${this.#count} times, ${how}: ${wordsFor(this.#last?.error)}`
  }
}

/**
 * What two errors have in common that are the same one again: names, codes and messages along the chain of causes,
 * without digits. Ids, moments and amounts are other ones each time.
 */
function likenessOf(error: unknown): string {
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

/** Errors that are written for users. Any other may quote a statement or an address, which are for the log alone. */
function wordsFor(error: unknown): string {
  const isForUsers = [RangeError, AppError, NoSuchMarket, VenueUnreachable].some(
    (kind) => error instanceof kind,
  )
  return isForUsers ? (error as Error).message.slice(0, 300) : 'the log of the service says which one.'
}
