import { eq } from 'drizzle-orm'
import type { Database, Db } from '../db/database.ts'
import { type MailKind, mails, users } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import { subjectLine } from './words.ts'

/** A mail in plain text. `userId` is whose it is, `null` for someone who is no user yet. */
export type Mail = {
  userId: number | null
  to: string
  kind: MailKind
  subject: string
  text: string
}

export const bodyPurpose = 'mail'
const textLimit = 20_000

export type MailerParts = {
  database: Database
  vault: Vault
  /** Told of each mail that waits to be sent. */
  onMail(): void
}

/** Takes mail in, to be sent later: whoever sends one waits for no mail server, and hears nothing of its troubles. */
export class Mailer {
  #parts: MailerParts

  constructor(parts: MailerParts) {
    this.#parts = parts
  }

  /**
   * Resolves when the mail is durable.
   * @param tx where it is to be so together with something else; `told` is then the caller's to call
   */
  async send({ userId, to, kind, subject, text }: Mail, tx?: Db): Promise<void> {
    const body = this.#parts.vault.seal(storable(text).slice(0, textLimit), bodyPurpose)
    const row = { userId, recipient: storable(to), kind, subject: subjectLine(subject), body }
    await (tx ?? this.#parts.database.db).insert(mails).values(row)
    if (tx === undefined) this.told()
  }

  /** There is mail that was written along with something else. */
  told(): void {
    this.#parts.onMail()
  }
}

/** Has the owner of a strategy told that it has stopped itself, once for each run, when the transaction is committed. */
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

/** PostgreSQL text has neither NUL nor half a surrogate pair. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
