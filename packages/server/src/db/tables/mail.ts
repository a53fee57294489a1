import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { bytea, id, moment, reference } from './columns.ts'
import type { SignalEntry } from './entry.ts'
import type { Protection } from './protection.ts'

/**
 * Mails that wait, and for a while those that were sent. A mail is stored either as facts, which become text when it is
 * sent or shown, or as text. In that case `body` is encrypted, and removed once the mail is sent, because it may contain
 * a link that signs its reader in. Rows with the same `messageId` go together in one message.
 */
export const mails = pgTable(
  'mails',
  {
    id: id(),
    /** `null`: someone who is not a user yet. */
    userId: reference(),
    recipient: text().notNull(),
    kind: text().$type<MailKind>().notNull(),
    facts: jsonb().$type<MailFacts>(),
    subject: text(),
    body: bytea(),
    /** Events with the same key are reported once. */
    onceKey: text().unique('mails_once_key_unique'),
    status: text().$type<MailStatus>().notNull().default('WAITING'),
    /** Why it is not sent, as a sentence for people. */
    reason: text(),
    messageId: text(),
    /** Whether a node has claimed it. The claim ends at `nextAttemptAt`. */
    sending: boolean().notNull().default(false),
    attempts: integer().notNull().default(0),
    createdAt: moment().notNull().defaultNow(),
    nextAttemptAt: moment().notNull().defaultNow(),
    /** Later by the time in which no node tried although an attempt was due. */
    firstAttemptAt: moment(),
    finishedAt: moment(),
  },
  (table) => [
    index().on(table.userId, table.id),
    index('mails_due').on(table.nextAttemptAt).where(sql`status = 'WAITING'`),
    index('mails_pace').on(table.recipient, table.kind, table.finishedAt),
  ],
)

export type MailKind =
  | 'stop'
  | 'suspension'
  | 'reset'
  | 'invitation'
  | 'sign_in_failed'
  | 'locked'
  | 'confirmation'
  | 'notification'
  | 'notifications_disabled'
  | 'approval'
  | 'answer'
  | 'email_confirmation'
  | 'email_change_asked'
  | 'email_changed'

/** `KEPT`: there is no mail server, and the mail is only shown. `SUPERSEDED`: a newer mail of its kind replaced it. */
export type MailStatus = 'WAITING' | 'SENT' | 'FAILED' | 'KEPT' | 'SUPERSEDED'

/** An event of a strategy. `at` and `until` are ISO 8601, UTC. */
export type MailFacts = {
  strategy_id: number
  strategy_name: string
  run_id: number
  at: string
  until?: string
  rule?: string
  limit?: number
  actual?: number
  /** The action or the change that waits for approval. */
  approval_id?: number
  action?: string | null
  /** `status` is `null` for a change of code. */
  change?: {
    strategy_id: number
    strategy_name: string
    version: number
    status: 'ACTIVE' | 'INACTIVE' | null
  } | null
  symbols?: string[]
  size?: number | null
  protection?: Partial<Protection> | null
  entry?: SignalEntry | null
  /** What a model answered. */
  answer?: string
}
