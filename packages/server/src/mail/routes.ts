import { Type } from 'typebox'
import { eventsRoute } from '../http/crud.ts'
import { Nullable, Timestamp } from '../http/schemas.ts'
import type { Routes } from '../http/types.ts'
import type { Mails, ShownMail } from './mails.ts'

const MailRecord = Type.Object({
  id: Type.Integer(),
  kind: Type.String({
    description:
      'stop, suspension, approval, answer, reset, invitation, sign_in_failed, locked, confirmation, email_confirmation, email_change_asked, email_changed, notification or notifications_disabled.',
  }),
  subject: Type.String(),
  text: Nullable(
    Type.String({ description: 'null if the mail may contain a link that signs its reader in.' }),
  ),
  status: Type.Enum(['WAITING', 'SENT', 'FAILED', 'KEPT', 'SUPERSEDED']),
  reason: Nullable(Type.String({ description: 'The reason why the mail was not sent.' })),
  created_at: Timestamp,
  next_attempt_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
})

/** The route for the caller's own mail, sent or not. */
export function mailRoutes(mails: Mails): Routes {
  return (scope) =>
    eventsRoute(scope, '/user/mail', {
      tags: ['Mail'],
      summary: 'List your mail, newest first',
      description:
        'The service deletes finished mail after the days that the setting `RETENTION_DAYS` says, 30 by default. Without a mail server, mail is `KEPT`, and you can read it here.',
      item: MailRecord,
      list: async (userId, window) => (await mails.list(userId, window)).map(present),
      count: (userId) => mails.count(userId),
    })
}

function present(mail: ShownMail) {
  return {
    id: mail.id,
    kind: mail.kind,
    subject: mail.subject,
    text: mail.text,
    status: mail.status,
    reason: mail.reason,
    created_at: mail.createdAt.toISOString(),
    next_attempt_at: mail.nextAttemptAt?.toISOString() ?? null,
    finished_at: mail.finishedAt?.toISOString() ?? null,
  }
}
