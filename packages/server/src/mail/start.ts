import type { Logger } from 'pino'
import { Counter, Gauge } from 'prom-client'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Metrics } from '../ops/metrics.ts'
import type { Vault } from '../secrets/vault.ts'
import { Outbox } from './outbox.ts'
import { Postman } from './postman.ts'
import { Smtp } from './smtp.ts'
import { secretKinds } from './words.ts'

export type MailParts = {
  config: Pick<Config, 'smtpUrl' | 'mailFrom'>
  database: Database
  vault: Vault
  metrics: Metrics
  logger: Logger
}

const channel = 'tickwright_mail'

/** Sends mail in this process, or keeps it if there is no mail server. */
export async function startMail(parts: MailParts): Promise<Pick<Postman, 'wake' | 'stop'>> {
  const { config, database, vault, metrics, logger } = parts
  const outbox = new Outbox(database, vault)
  const smtp = config.smtpUrl === null ? null : new Smtp(config.smtpUrl, config.mailFrom)
  const ended = countMails(metrics, outbox)
  const postman = new Postman({
    outbox,
    smtp,
    onOutcome: ({ kind, attempts, messageId }, outcome) => {
      if (outcome.status !== 'WAITING') ended.inc({ status: outcome.status })
      const level = outcome.status === 'SENT' ? 'info' : 'warn'
      const reason = outcome.status === 'SENT' ? undefined : outcome.reason
      logger[level]({ kind, attempts, messageId, status: outcome.status, reason }, 'mail')
    },
    onKept: ({ kind, recipient, words }) => {
      ended.inc({ status: 'KEPT' })
      // Without a mail server, the log is the only way to the link, for the operator to pass on.
      const shown = secretKinds.has(kind) ? { recipient, subject: words?.subject, text: words?.text } : {}
      logger.warn({ kind, ...shown }, 'mail kept: SMTP_URL is not set')
    },
    onError: (err) => logger.error({ err }, 'mail held up'),
  })
  await database.listen(channel, () => postman.wake())
  postman.start()
  return {
    wake: () => postman.wake(),
    stop: async () => {
      await postman.stop()
      smtp?.close()
    },
  }
}

/** Wakes the nodes that send mail. Without this, their sweep finds new mail within seconds. */
export function tellOfMail(database: Database): Promise<void> {
  return database.notify(channel, '')
}

function countMails(metrics: Metrics, outbox: Outbox): Counter<'status'> {
  new Gauge({
    name: 'tickwright_mails_waiting',
    help: 'Mails that wait to be sent.',
    registers: [metrics.registry],
    async collect() {
      // While the database is unreachable, the gauge keeps its last value.
      await outbox.waiting().then(
        (waiting) => this.set(waiting),
        () => undefined,
      )
    },
  })
  return new Counter({
    name: 'tickwright_mails_total',
    help: 'Messages that were sent, that failed for good, or that were kept without a mail server, by status.',
    labelNames: ['status'] as const,
    registers: [metrics.registry],
  })
}
