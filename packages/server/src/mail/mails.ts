import { and, eq } from 'drizzle-orm'
import type { Window } from '../base/window.ts'
import type { Database } from '../db/database.ts'
import { type MailKind, type MailStatus, mails } from '../db/schema.ts'
import { betweenCursors, countUpToMost, inOrder, newestFirst } from '../db/windows.ts'
import type { Vault } from '../secrets/vault.ts'
import { bodyPurpose } from './mailer.ts'
import { secretKinds, type Words, wordsOf } from './words.ts'

type Row = typeof mails.$inferSelect

/** A mail, as its user sees it. `text` is `null` if it may contain a link that signs its reader in. */
export type ShownMail = {
  id: number
  kind: MailKind
  subject: string
  text: string | null
  status: MailStatus
  reason: string | null
  createdAt: Date
  nextAttemptAt: Date | null
  finishedAt: Date | null
}

/** Lists mail for its user. */
export class Mails {
  #database: Database
  #vault: Vault

  constructor(database: Database, vault: Vault) {
    this.#database = database
    this.#vault = vault
  }

  /** Newest first. */
  async list(userId: number, window: Window): Promise<ShownMail[]> {
    const rows = await this.#database.db
      .select()
      .from(mails)
      .where(and(eq(mails.userId, userId), betweenCursors(mails.id, window)))
      .orderBy(...inOrder(window, mails.id))
      .limit(window.limit)
      .offset(window.offset)
    return newestFirst(rows, window).map((row) => this.#show(row))
  }

  /** At most one more than `mostCounted`. */
  count(userId: number): Promise<number> {
    return countUpToMost(this.#database.db, mails, eq(mails.userId, userId))
  }

  #show(row: Row): ShownMail {
    const { id, kind, status, reason, createdAt, nextAttemptAt, finishedAt } = row
    const words = readWords(row, this.#vault)
    return {
      id,
      kind,
      subject: words?.subject ?? row.subject ?? '',
      // Someone who has stolen an API key must not be able to set a new password with it.
      text: secretKinds.has(kind) ? null : (words?.text ?? null),
      status,
      reason,
      createdAt,
      nextAttemptAt: status === 'WAITING' ? nextAttemptAt : null,
      finishedAt,
    }
  }
}

/** Subject and text of a mail; `undefined` if the text was deleted, or encrypted with another master key. */
export function readWords(row: Row, vault: Vault): Words | undefined {
  if (row.facts !== null) return wordsOf(row.kind, row.facts)
  if (row.body === null) return undefined
  try {
    return { subject: row.subject ?? '', text: vault.open(row.body, bodyPurpose).toString('utf8') }
  } catch {
    return undefined
  }
}
