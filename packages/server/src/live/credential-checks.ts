import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { LiveStream } from './stream.ts'

/** A stream ends within a second of its session or key: this long until the next check, and the rest for the check. */
const checkMs = 400

/** The session or the key that a principal uses: a text that changes when its secret does; absent if it has ended. */
export type ValidCredentials = { sessions: ReadonlySet<number>; keys: ReadonlyMap<number, string> }

/** Reads which of these sessions and API keys still let their users in. */
export type CredentialCheck = (sessionIds: number[], keyIds: number[]) => Promise<ValidCredentials>

/** Ends streams whose session, API key or user has ended or is suspended. One query asks for all streams. */
export class CredentialChecks {
  #check: CredentialCheck
  #onError: (error: unknown) => void
  /** With the version of its key when it was opened. */
  #streams = new Map<LiveStream, string | undefined>()
  #isChecking = false
  #stop = new AbortController()

  constructor(check: CredentialCheck, onError: (error: unknown) => void) {
    this.#check = check
    this.#onError = onError
  }

  /** @throws {AppError} 401 if the principal may no longer use the service */
  async add(stream: LiveStream): Promise<void> {
    const { principal } = stream
    const valid = await this.#check(idsOf([principal], 'sessionId'), idsOf([principal], 'apiKeyId'))
    const version = versionOf(principal, valid)
    if (version === undefined) {
      throw new AppError('auth_session', 'Not signed in: the session or the API key has ended.')
    }
    if (stream.destroyed) return
    this.#streams.set(stream, version)
    if (!this.#isChecking) void this.#checkAgainAndAgain()
  }

  remove(stream: LiveStream): void {
    this.#streams.delete(stream)
  }

  close(): void {
    this.#stop.abort()
  }

  async #checkAgainAndAgain(): Promise<void> {
    this.#isChecking = true
    let isFailing = false
    while (this.#streams.size > 0 && !this.#stop.signal.aborted) {
      await sleep(checkMs, undefined, { ref: false, signal: this.#stop.signal }).catch(() => undefined)
      try {
        await this.#endSome()
        isFailing = false
      } catch (error) {
        if (!isFailing) this.#onError(error)
        isFailing = true
      }
    }
    this.#isChecking = false
  }

  async #endSome(): Promise<void> {
    const asked = [...this.#streams]
    const principals = asked.map(([{ principal }]) => principal)
    const valid = await this.#check(idsOf(principals, 'sessionId'), idsOf(principals, 'apiKeyId'))
    for (const [stream, version] of asked) {
      if (versionOf(stream.principal, valid) !== version) stream.finish()
    }
  }
}

function idsOf(principals: Principal[], key: 'sessionId' | 'apiKeyId'): number[] {
  return [...new Set(principals.map((principal) => principal[key]).filter((id) => id !== undefined))]
}

function versionOf(
  { sessionId, apiKeyId }: Principal,
  { sessions, keys }: ValidCredentials,
): string | undefined {
  if (apiKeyId !== undefined) return keys.get(apiKeyId)
  return sessionId !== undefined && sessions.has(sessionId) ? '' : undefined
}
