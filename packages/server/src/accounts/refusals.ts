import type { AuditLog } from './audit-log.ts'

const everyMs = 60_000
/** As many keys at once; what more there are is not counted before the next minute. */
const keysAtMost = 10_000

export type Refusal = { userId: number; apiKeyId: number; reason: string; ip: string }

type Counted = Refusal & { more: number }

/**
 * Writes refused signatures of known keys to the audit log: the first of each key at once, and how many more there
 * were once a minute, so that nobody can fill the log by sending rubbish.
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

  /** Writes what was counted since the last time. */
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
