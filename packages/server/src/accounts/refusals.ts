import type { AuditLog } from './audit-log.ts'

const everyMs = 60_000
/** The most keys that are counted at once. Further keys are not counted in the same minute. */
const keysAtMost = 10_000

export type Refusal = { userId: number; apiKeyId: number; reason: string; ip: string }

type Counted = Refusal & { more: number }

/**
 * Writes refused signatures of known keys to the audit log: the first of each key at once, and the number of further
 * ones once a minute, so that nobody can fill the log with invalid requests.
 */
export class Refusals {
  #audit: AuditLog
  #onError: (error: unknown) => void
  #counted = new Map<number, Counted>()
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout

  constructor(audit: AuditLog, onError: (error: unknown) => void) {
    this.#audit = audit
    this.#onError = onError
    this.#timer = setInterval(() => this.flush(), everyMs).unref()
  }

  note(refusal: Refusal): void {
    const counted = this.#counted.get(refusal.apiKeyId)
    if (counted !== undefined) {
      counted.more++
      counted.ip = refusal.ip
      counted.reason = refusal.reason
      return
    }
    if (this.#counted.size >= keysAtMost) return
    this.#counted.set(refusal.apiKeyId, { ...refusal, more: 0 })
    this.#write(refusal, {})
  }

  /** Writes the counts since the last time. */
  flush(): void {
    for (const counted of this.#counted.values()) {
      if (counted.more > 0) this.#write(counted, { times: counted.more })
    }
    this.#counted.clear()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.flush()
    await this.#writing
  }

  #write({ userId, apiKeyId, reason, ip }: Refusal, times: { times?: number }): void {
    const details = { api_key_id: apiKeyId, reason, ...times }
    const written = this.#audit
      .record(userId, 'signature_refused', { userId: null, ip }, details)
      .catch(this.#onError)
    this.#writing = Promise.all([this.#writing, written]).then(() => undefined)
  }
}
