import { Outage } from '../base/outage.ts'
import type { Entrance } from './addresses.ts'
import type { CountedRefusal, Refusal } from './refused-posts.ts'
import { bucketOf } from './sender-checks.ts'

/** Each URL of a webhook writes at most once in this time. */
const perUrlMs = 1000
/** The node writes at most once in this time. */
const betweenWritesMs = 250
const rowsAtOnce = 1000
/** The most URLs whose refused posts are counted at the same time. */
const urlsAtMost = 10_000

export type RefusalWriterParts = {
  /** Makes refused posts durable, all or none. */
  write(refusals: readonly CountedRefusal[]): Promise<void>
  /** Called when writing begins to fail. It is tried again. */
  onError(error: unknown): void
  /** Called with the number of refused posts of which nothing was kept, not even a count. */
  onLost(posts: number): void
}

/** `waiting` is written at `dueMs`, together with the number of further posts until then. */
type Url = { waiting: CountedRefusal | null; dueMs: number }

/**
 * Writes the first refused post of each URL at once, and after that one each second, with the number of those that
 * followed it. So a flood of refused posts costs a count in memory for each of them, and the database one row a second.
 */
export class RefusalWriter {
  #parts: RefusalWriterParts
  #urls = new Map<number, Url>()
  #lost = 0
  #outage = new Outage()
  #timer: NodeJS.Timeout | undefined
  #nextMs = 0
  #writing: Promise<void> | undefined

  constructor(parts: RefusalWriterParts) {
    this.#parts = parts
  }

  /** @param describe called only if this post will be written, and not just counted */
  note(entrance: Entrance, describe: () => Refusal): void {
    const key = bucketOf(entrance)
    let url = this.#urls.get(key)
    if (url === undefined) {
      if (this.#urls.size >= urlsAtMost) {
        this.#lost++
        return
      }
      url = { waiting: null, dueMs: 0 }
      this.#urls.set(key, url)
    }
    if (url.waiting !== null) {
      url.waiting.more++
      return
    }
    const { webhook, sender } = entrance
    url.waiting = { ...describe(), webhookId: webhook.id, senderId: sender?.userId ?? null, more: 0 }
    this.#wake()
  }

  /** Writes everything that waits. What the database does not take now is lost. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
    const left = [...this.#urls.values()].filter(({ waiting }) => waiting !== null)
    this.#urls.clear()
    for (let at = 0; at < left.length; at += rowsAtOnce) {
      const refusals = left.slice(at, at + rowsAtOnce).map(({ waiting }) => waiting!)
      await this.#parts.write(refusals).catch((error: unknown) => {
        this.#parts.onError(error)
        for (const { more } of refusals) this.#lost += 1 + more
      })
    }
    this.#tellLost()
  }

  #wake(): void {
    if (this.#timer !== undefined || this.#writing !== undefined) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#writing = this.#flush().finally(() => {
          this.#writing = undefined
          if (this.#urls.size > 0) this.#wake()
        })
      },
      Math.max(0, this.#nextMs - performance.now()),
    ).unref()
  }

  async #flush(): Promise<void> {
    const now = performance.now()
    this.#nextMs = now + betweenWritesMs
    this.#tellLost()
    const due = this.#takeDue(now)
    if (due.length === 0) return
    try {
      await this.#parts.write(due.map(({ refusal }) => refusal))
      this.#outage.worked()
    } catch (error) {
      if (this.#outage.failed()) this.#parts.onError(error)
      // If only the answer was lost, this writes them twice: better than not at all.
      for (const { url, refusal } of due) putBack(url, refusal)
    }
  }

  /** Takes what is due, and forgets the URLs that have been quiet since they were written. */
  #takeDue(now: number): { url: Url; refusal: CountedRefusal }[] {
    const due: { url: Url; refusal: CountedRefusal }[] = []
    for (const [key, url] of this.#urls) {
      if (url.dueMs > now) continue
      if (url.waiting === null) this.#urls.delete(key)
      else if (due.length < rowsAtOnce) {
        due.push({ url, refusal: url.waiting })
        url.waiting = null
        url.dueMs = now + perUrlMs
      }
    }
    return due
  }

  #tellLost(): void {
    if (this.#lost > 0) this.#parts.onLost(this.#lost)
    this.#lost = 0
  }
}

function putBack(url: Url, refusal: CountedRefusal): void {
  if (url.waiting !== null) refusal.more += 1 + url.waiting.more
  url.waiting = refusal
}
