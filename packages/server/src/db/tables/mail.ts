import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { bytea, id, moment, reference } from './columns.ts'

/**
 * Mail on its way, and for a while what became of it. A mail is written either with the facts of what happened, which
 * are put into words when it is sent or shown, or with its words: then `body` is encrypted, and goes when the mail has
 * gone, since it may hold a link that lets its reader in. Rows with the same `messageId` went, or go, as one message.
 */
export const mails = pgTable(
  'mails',
  {
    id: id(),
    /** `null` for someone who is no user yet. */
    userId: reference(),
    recipient: text().notNull(),
    kind: text().$type<MailKind>().notNull(),
    facts: jsonb().$type<MailFacts>(),
    subject: text(),
    body: bytea(),
    /** What happens once is told of once. */
    onceKey: text().unique('mails_once_key_unique'),
    status: text().$type<MailStatus>().notNull().default('WAITING'),
    /** Why it is not sent, for a person. */
    reason: text(),
    messageId: text(),
    /** Whether a node has it in its hands: until `nextAttemptAt`. */
    sending: boolean().notNull().default(false),
    attempts: integer().notNull().default(0),
    createdAt: moment().notNull().defaultNow(),
    nextAttemptAt: moment().notNull().defaultNow(),
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
  | 'notifications_disabled'
  | 'approval'
  | 'email_confirmation'
  | 'email_change_asked'
  | 'email_changed'

/** `KEPT`: there is no mail server, and the mail is only shown. `SUPERSEDED`: a newer one of its kind went in its place. */
export type MailStatus = 'WAITING' | 'SENT' | 'FAILED' | 'KEPT' | 'SUPERSEDED'

/** What happened to a strategy. `at` and `until` are ISO 8601, UTC. */
export type MailFacts = {
  strategy_id: number
  strategy_name: string
  run_id: number
  at: string
  until?: string
  rule?: string
  limit?: number
  actual?: number
  /** What waits for approval. */
  approval_id?: number
  action?: string
  symbols?: string[]
  size?: number | null
}
