import { randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import { Counter, Gauge } from 'prom-client'
import { given } from '../base/given.ts'
import type { Database } from '../db/database.ts'
import { notificationEndpoints, users } from '../db/schema.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Metrics } from '../ops/metrics.ts'
import type { OutgoingHttp } from '../outgoing/outgoing-http.ts'
import type { Vault } from '../secrets/vault.ts'
import { Courier } from './courier.ts'
import { receiverOf } from './kinds/kinds.ts'
import type { Message } from './kinds/message.ts'
import { Pacer } from './pacer.ts'
import { sendParcel } from './parcel.ts'
import { DeliveryQueue, type HeldEndpoint } from './queue.ts'
import { openPlace } from './sealed.ts'

export type NotificationParts = {
  database: Database
  vault: Vault
  http: Pick<OutgoingHttp, 'deliver'>
  mailer: Pick<Mailer, 'send' | 'told'>
  metrics: Metrics
  logger: Logger
  /** The clock for attempts, in Unix ms. */
  now?(): number
  sweepMs?: number
  timeoutMs?: number
  /** As in {@link ParcelService}. */
  origins?: Readonly<Record<string, string>>
}

const channel = 'tickwright_notifications'

/** Sends notifications in this process. */
export async function startNotifications(parts: NotificationParts): Promise<Pick<Courier, 'wake' | 'stop'>> {
  const { database, vault, http, metrics, logger, now = () => Date.now(), sweepMs, timeoutMs } = parts
  const queue = new DeliveryQueue(database, randomUUID())
  const attempts = countAttempts(metrics, queue)
  const mail = (userId: number, message: Message, onceKey: string) =>
    mailMessage(parts, userId, message, onceKey)
  const parcels = { vault, http, mail, now, ...given({ timeoutMs, origins: parts.origins }) }
  const pacer = new Pacer(vault)
  const courier = new Courier({
    queue,
    now,
    ...(sweepMs === undefined ? {} : { sweepMs }),
    paceMs: (endpoint) => pacer.waitMs(endpoint),
    send: (endpoint, delivery, signal) => sendParcel(parcels, endpoint, delivery, signal),
    disable: (endpoint, reason) => disable(parts, endpoint, reason),
    onAttempt: ({ id: endpointId }, { notificationId, type }, { ok, status }) => {
      attempts.inc({ outcome: ok ? 'delivered' : 'failed' })
      logger.debug({ endpointId, notificationId, type, status }, 'notification')
    },
    onError: (err, endpointId) => logger.error({ err, endpointId }, 'notifications held up'),
  })
  await database.listen(channel, () => courier.wake())
  courier.start()
  return courier
}

/** Wakes the nodes that send notifications. Without this, their sweep finds new ones within a second. */
export function tellOfNotifications(database: Database): Promise<void> {
  return database.notify(channel, '')
}

async function disable(
  { database, vault, mailer, logger }: NotificationParts,
  endpoint: HeldEndpoint,
  reason: string,
): Promise<void> {
  const { id, userId, kind } = endpoint
  const isNew = await database.db.transaction(async (tx) => {
    const gone = await tx
      .update(notificationEndpoints)
      .set({ status: 'DISABLED', reason, updatedAt: sql`now()` })
      .where(and(eq(notificationEndpoints.id, id), eq(notificationEndpoints.status, 'ACTIVE')))
      .returning({ id: notificationEndpoints.id })
    if (gone.length === 0) return false
    const [owner] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId))
    if (owner !== undefined) {
      const words = disabledWords(id, receiverOf(kind, openPlace(vault, endpoint)), reason)
      await mailer.send({ userId, to: owner.email, kind: 'notifications_disabled', ...words }, tx)
    }
    return true
  })
  if (!isNew) return
  mailer.told()
  logger.warn({ endpointId: id, reason }, 'notification endpoint disabled')
}

/** Mails an event to the owner of an endpoint, once for each key. */
async function mailMessage(
  { database, mailer }: NotificationParts,
  userId: number,
  { title, lines }: Message,
  onceKey: string,
): Promise<void> {
  const [owner] = await database.db.select({ email: users.email }).from(users).where(eq(users.id, userId))
  if (owner === undefined) return
  const words = { subject: title, text: [title, ...lines].join('\n\n') }
  await mailer.send({ userId, to: owner.email, kind: 'notification', onceKey, ...words })
}

function disabledWords(id: number, receiver: string, reason: string): { subject: string; text: string } {
  return {
    subject: `Notifications to ${receiver} are disabled`,
    text: [
      `Your notification endpoint ${id}, ${receiver}, is disabled. It receives no more notifications.`,
      `Reason: ${reason}`,
      'The service keeps waiting notifications and new events, by default for 30 days. When the endpoint works again, set its status to ACTIVE: the service then sends the notifications that wait. To get the events since then, use recover.',
    ].join('\n\n'),
  }
}

function countAttempts(metrics: Metrics, queue: DeliveryQueue): Counter<'outcome'> {
  new Gauge({
    name: 'tickwright_notifications_waiting',
    help: 'Notifications that wait to be delivered to an endpoint.',
    registers: [metrics.registry],
    async collect() {
      // While the database is unreachable, the gauge keeps its last value.
      await queue.waiting().then(
        (waiting) => this.set(waiting),
        () => undefined,
      )
    },
  })
  return new Counter({
    name: 'tickwright_notification_attempts_total',
    help: 'Attempts to deliver a notification, by outcome.',
    labelNames: ['outcome'] as const,
    registers: [metrics.registry],
  })
}
