import { eq } from 'drizzle-orm'
import type { Database, Db } from '../db/database.ts'
import { type MailKind, mails, users } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import { subjectLine } from './words.ts'

/** A mail in plain text. `userId` is its user, who sees it in the API; `null` if it belongs to no user. */
export type Mail = {
  userId: number | null
  to: string
  kind: MailKind
  subject: string
  text: string
  /** Several mails with the same key are one. */
  onceKey?: string
}

export const bodyPurpose = 'mail'
const textLimit = 20_000

export type MailerParts = {
  database: Database
  vault: Vault
  /** Called after each mail that waits to be sent. */
  onMail(): void
}

/** Stores mail to be sent later, so that callers neither wait for the mail server nor see its errors. */
export class Mailer {
  #parts: MailerParts

  constructor(parts: MailerParts) {
    this.#parts = parts
  }

  /**
   * Resolves when the mail is stored.
   * @param tx a transaction to store it in; after the commit, the caller calls `told`
   */
  async send({ userId, to, kind, subject, text, onceKey }: Mail, tx?: Db): Promise<void> {
    const body = this.#parts.vault.seal(storable(text).slice(0, textLimit), bodyPurpose)
    const row = { userId, recipient: storable(to), kind, subject: subjectLine(subject), body, onceKey }
    await (tx ?? this.#parts.database.db).insert(mails).values(row).onConflictDoNothing()
    if (tx === undefined) this.told()
  }

  /** Wakes the sender. For mail that was stored in a transaction, call it after the commit. */
  told(): void {
    this.#parts.onMail()
  }
}

/** Mails the owner of a strategy that it has stopped itself, once for each run, in the transaction. */
export async function mailStop(
  tx: Db,
  strategy: { id: number; userId: number; name: string },
  runId: number,
): Promise<void> {
  const [owner] = await tx.select({ email: users.email }).from(users).where(eq(users.id, strategy.userId))
  if (owner === undefined) return
  await tx
    .insert(mails)
    .values({
      userId: strategy.userId,
      recipient: owner.email,
      kind: 'stop',
      facts: {
        strategy_id: strategy.id,
        strategy_name: strategy.name,
        run_id: runId,
        at: new Date().toISOString(),
      },
      onceKey: `stop:${runId}`,
    })
    .onConflictDoNothing()
}

/** Without NUL and lone surrogates, which PostgreSQL text cannot hold. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
