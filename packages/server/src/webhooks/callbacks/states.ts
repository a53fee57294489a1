import { eq, sql } from 'drizzle-orm'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import { notificationDeliveries, signalCallbacks } from '../../db/schema.ts'

/** A callback of a signal. The figures are those of its delivery: `null` before there is one. */
export type Callback = {
  origin: string
  isTold: boolean
  status: 'WAITING' | 'DELIVERED' | 'FAILED' | null
  attempts: number | null
  lastStatus: number | null
  lastError: string | null
}

/** The callbacks of these signals, by signal. A signal without one is absent. */
export async function callbacksOf(
  { db, read }: Pick<Database, 'db' | 'read'>,
  signalIds: readonly number[],
): Promise<Map<number, Callback>> {
  if (signalIds.length === 0) return new Map()
  const { status, attempts, lastStatus, lastError } = notificationDeliveries
  const rows = await read('callbacks_of_signals', { signalIds }, ({ signalIds }) =>
    db
      .select({
        id: signalCallbacks.id,
        origin: signalCallbacks.origin,
        isTold: sql<boolean>`${signalCallbacks.notificationId} is not null`,
        ...{ status, attempts, lastStatus, lastError },
      })
      .from(signalCallbacks)
      .leftJoin(
        notificationDeliveries,
        eq(notificationDeliveries.notificationId, signalCallbacks.notificationId),
      )
      .where(sql`${signalCallbacks.id} = any(${signalIds})`),
  )
  return new Map(rows.map(({ id, ...callback }) => [id, callback]))
}

/** A callback as the API shows it. */
export const CallbackRecord = Type.Object(
  {
    origin: Type.String({ description: 'The host of the address, which the service does not show again.' }),
    status: Type.Enum(['PENDING', 'WAITING', 'DELIVERED', 'FAILED'], {
      description:
        'PENDING: bots still follow the signal. WAITING: it is being sent, or tried again. FAILED: the address did not accept it within a day.',
    }),
    attempts: Type.Integer(),
    last_status: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The HTTP status of the latest answer; null if there was none.',
    }),
    last_error: Type.Union([Type.String(), Type.Null()]),
  },
  { description: 'The callback that the sender asked for.' },
)

export function presentCallback({ origin, isTold, status, attempts, lastStatus, lastError }: Callback) {
  const isDropped = isTold && status === null
  return {
    origin,
    status: status ?? (isDropped ? ('FAILED' as const) : ('PENDING' as const)),
    attempts: attempts ?? 0,
    last_status: lastStatus,
    last_error: isDropped ? 'The host was deleted before the callback was sent.' : lastError,
  }
}
