import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { eq } from 'drizzle-orm'
import { noNote } from '../src/accounts/audit-log.ts'
import type { Database } from '../src/db/database.ts'
import {
  type EndpointKind,
  notificationDeliveries,
  notificationEndpoints,
  notifications,
  users,
} from '../src/db/schema.ts'
import { UserLimits } from '../src/db/user-limits.ts'
import { Mailer } from '../src/mail/mailer.ts'
import { CallbackHosts } from '../src/notifications/callback-hosts.ts'
import { Endpoints } from '../src/notifications/endpoints.ts'
import type { ChatFields } from '../src/notifications/kinds/kind.ts'
import { Notifications } from '../src/notifications/notifications.ts'
import { startNotifications } from '../src/notifications/start.ts'
import { storeNotification } from '../src/notifications/store.ts'
import { createLogger } from '../src/ops/logger.ts'
import { Metrics } from '../src/ops/metrics.ts'
import { OutgoingHttp } from '../src/outgoing/outgoing-http.ts'
import { Vault } from '../src/secrets/vault.ts'
import { createTestDatabase, fileResources, type TestDatabase } from './databases.ts'
import { type Receiver, startReceivers } from './receiver.ts'
import { until } from './until.ts'

/** The receivers of a file. */
export const receivers = fileResources.use(await startReceivers())
export const vault = new Vault(randomBytes(32))
export const minute = 60_000
export const hour = 60 * minute

export type World = {
  database: Database
  userId: number
  clock: { nowMs: number }
  endpoints: Endpoints
  notifications: Notifications
  /** Creates an endpoint; resolves to its id. */
  makeEndpoint(url: string): Promise<number>
  /** The same for a chat, or for mail. */
  makeChat(kind: EndpointKind, fields: ChatFields): Promise<number>
  /** Stores a notification for the user. */
  tell(n: number): Promise<void>
  /** Stores a callback for the user; resolves to the id of the endpoint that stands for its host. */
  callBack(url: string, n: number): Promise<number>
  /** Starts a node that sends, with the time of `clock`. @param origins as in `ParcelService` */
  startNode(
    timeoutMs?: number,
    allow?: string[],
    origins?: Record<string, string>,
  ): Promise<AsyncDisposable & { wake(): void }>
}

async function makeWorld(place: TestDatabase): Promise<World> {
  const database = await place.open()
  const [user] = await database.db
    .insert(users)
    .values({ email: 'user@example.com', passwordHash: '', role: 'user' })
    .returning()
  const userId = user!.id
  const clock = { nowMs: Date.now() }
  const endpoints = new Endpoints({
    database,
    vault,
    limits: new UserLimits(),
    checkUrl: () => undefined,
    checkSecureUrl: () => undefined,
    hasMail: true,
    onSubscribers: async () => undefined,
    onWaiting: () => undefined,
  })
  const hosts = new CallbackHosts({ database, vault, limits: new UserLimits(), checkUrl: () => undefined })
  return {
    database,
    userId,
    clock,
    endpoints,
    notifications: new Notifications(database, () => undefined),
    makeEndpoint: async (url) => {
      const chosen = { description: '', events: ['run.failed' as const] }
      const settings = { kind: 'webhook' as const, fields: { url }, ...chosen }
      return (await endpoints.create(userId, settings, noNote)).endpoint.id
    },
    makeChat: async (kind, fields) => {
      const chosen = { description: '', events: ['order.settled' as const] }
      return (await endpoints.create(userId, { kind, fields, ...chosen }, noNote)).endpoint.id
    },
    callBack: async (address, n) => {
      const { origin, url } = await hosts.admit(userId, new URL(address))
      const isIt = eq(notificationEndpoints.callbackOrigin, origin)
      const [host] = await database.db.select().from(notificationEndpoints).where(isIt)
      const createdAt = new Date(clock.nowMs)
      const [told] = await database.db
        .insert(notifications)
        .values({ userId, type: 'signal.ended', data: { n }, createdAt })
        .returning()
      await database.db
        .insert(notificationDeliveries)
        .values({ notificationId: told!.id, endpointId: host!.id, url })
      return host!.id
    },
    tell: (n) => storeNotification(database.db, userId, 'run.failed', { n }),
    startNode: async (timeoutMs = 20_000, allow = [receivers.host], origins = {}) => {
      const http = new OutgoingHttp({ publicUrl: 'http://example.com', allow })
      const node = await startNotifications({
        ...{ database, vault, http, metrics: new Metrics(), logger: createLogger('silent') },
        mailer: new Mailer({ database, vault, onMail: () => undefined }),
        ...{ now: () => clock.nowMs, sweepMs: 20, timeoutMs, origins },
      })
      return {
        wake: () => node.wake(),
        [Symbol.asyncDispose]: async () => {
          await node.stop()
          http.close()
        },
      }
    },
  }
}

export function withWorld(name: string, fn: (world: World) => Promise<void>): void {
  test(name, async () => {
    await using place = await createTestDatabase()
    await fn(await makeWorld(place))
  })
}

export const numbers = (receiver: Receiver) => receiver.bodies().map(({ data }) => data.n)

export const range = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index)

export const got = (receiver: Receiver, count: number) =>
  until(`${count} notifications`, async () => receiver.received.length >= count)

/** The deliveries to an endpoint, oldest first. */
export const deliveriesTo = ({ database }: World, endpointId: number) =>
  database.db
    .select()
    .from(notificationDeliveries)
    .where(eq(notificationDeliveries.endpointId, endpointId))
    .orderBy(notificationDeliveries.notificationId)

/** Waits until this many attempts are over: until then, the service reads the clock for them. */
export const attempted = (world: World, endpointId: number, attempts: number) =>
  until(`${attempts} attempts`, async () => {
    const rows = await deliveriesTo(world, endpointId)
    const stored = rows.reduce((sum, row) => sum + row.attempts, 0)
    return stored >= attempts && (await heldState(world, endpointId))!.holder === null
  })

/** As if the endpoints that fail had failed at each attempt for so long. */
export async function makeOlder({ database, clock }: World, failingMs: number): Promise<void> {
  await database.db.update(notificationEndpoints).set({ failingSince: new Date(clock.nowMs - failingMs) })
}

/** The row of an endpoint. */
export async function heldState({ database }: World, id: number) {
  const [row] = await database.db.select().from(notificationEndpoints).where(eq(notificationEndpoints.id, id))
  return row
}
