import { setTimeout as sleep } from 'node:timers/promises'
import { Semaphore } from '../base/semaphore.ts'
import { Sweeper } from '../base/sweeper.ts'
import type { KeptMail, Message, Outbox, Outcome } from './outbox.ts'
import type { Sent } from './smtp.ts'
import type { Words } from './words.ts'

export type PostmanParts = {
  outbox: Outbox
  /** `null`: there is no mail server, so mail is kept. */
  smtp: { send(to: string, messageId: string, words: Words): Promise<Sent> } | null
  /** Called with the outcome of each attempt. */
  onOutcome(message: Message, outcome: Outcome): void
  onKept(mail: KeptMail): void
  /** Called for errors other than failed attempts. The work is tried again. */
  onError(error: unknown): void
  now?(): number
  sweepMs?: number
}

const defaultSweepMs = 3_000
const mostAtOnce = 2
const firstRetryMs = 60_000
const longestRetryMs = 6 * 60 * 60 * 1000
const giveUpMs = 24 * 60 * 60 * 1000

/** Sends waiting mail. Any number of nodes can do so. */
export class Postman {
  #parts: PostmanParts
  #places = new Semaphore(mostAtOnce)
  #underWay = new Set<Promise<void>>()
  #sweeper: Sweeper

  constructor(parts: PostmanParts) {
    this.#parts = parts
    const { sweepMs: everyMs = defaultSweepMs, onError } = parts
    this.#sweeper = new Sweeper({ work: () => this.#work(), everyMs, onError })
  }

  start(): void {
    this.#sweeper.start()
  }

  /** Call it when there may be something to send. */
  wake(): void {
    this.#sweeper.wake()
  }

  /** Starts nothing new, and waits a moment for attempts in progress. Another node, or the next start, sends the rest. */
  async stop(): Promise<void> {
    const all = Promise.all([this.#sweeper.stop(), ...this.#underWay])
    await Promise.race([all, sleep(2_000, undefined, { ref: false })])
  }

  #work(): Promise<void> {
    const { smtp, outbox, onKept } = this.#parts
    return smtp === null ? outbox.keepAll(onKept) : this.#sendDue()
  }

  async #sendDue(): Promise<void> {
    for (const group of await this.#parts.outbox.due()) {
      const leave = await this.#places.acquire()
      const message = this.#sweeper.isStopped
        ? undefined
        : await this.#parts.outbox.claim(group).catch(leaveAndRethrow(leave))
      if (message === undefined) {
        leave()
        continue
      }
      const sending = this.#send(message).catch(this.#parts.onError).finally(leave)
      this.#underWay.add(sending)
      void sending.finally(() => {
        this.#underWay.delete(sending)
        // Mail that waited for this message may go now.
        this.wake()
      })
    }
  }

  async #send(message: Message): Promise<void> {
    const sent = await this.#parts.smtp!.send(message.recipient, message.messageId, message)
    const outcome = this.#outcomeOf(message, sent)
    await this.#parts.outbox.finish(message, outcome)
    this.#parts.onOutcome(message, outcome)
  }

  #outcomeOf({ attempts, firstAttemptAt }: Message, sent: Sent): Outcome {
    if (sent.status === 'sent') return { status: 'SENT' }
    const { reason } = sent
    if (sent.status === 'refused') return { status: 'FAILED', reason }
    const nowMs = this.#parts.now?.() ?? Date.now()
    const retryMs = Math.min(firstRetryMs * 2 ** (attempts - 1), longestRetryMs)
    const isTooLate = nowMs + retryMs - firstAttemptAt.getTime() > giveUpMs
    if (isTooLate) return { status: 'FAILED', reason }
    return { status: 'WAITING', reason, nextAttemptAt: new Date(nowMs + retryMs) }
  }
}

function leaveAndRethrow(leave: () => void): (error: unknown) => never {
  return (error) => {
    leave()
    throw error
  }
}
