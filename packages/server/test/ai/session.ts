import { eq } from 'drizzle-orm'
import type { Database } from '../../src/db/database.ts'
import { schedules } from '../../src/db/schema.ts'
import { notifySchedulers } from '../../src/schedules/schedules.ts'
import type { Client } from '../client.ts'
import type { TestDatabase } from '../databases.ts'
import { expect, strategyAt, type TestStrategy } from '../reaction.ts'
import { readSchedule } from '../schedules.ts'
import { until } from '../until.ts'
import { makeAiConnection } from './reaction.ts'
import type { StandIn } from './stand-in.ts'

export const sessionPath = '/api/v2/strategy/llm-session'

export type TestSession = TestStrategy & {
  connectionId: number
  /** Makes its schedule due, as if it had been due since `sinceMs`, and waits until a scheduler has seen to it. */
  due(sinceMs?: number): Promise<void>
}

/** Creates an AI connection if none is given, and an active session that uses it. Its schedule is due once a day. */
export async function makeSession(
  client: Client,
  { provider, database }: { provider: StandIn; database: TestDatabase },
  fields: Record<string, unknown> = {},
): Promise<TestSession> {
  const connectionId = (fields.connection_id as number) ?? (await makeAiConnection(client, provider))
  const settings = {
    ...{ prompt: 'Decide. You noted: {{storage}}', send_signal: true, symbol: 'BTCUSDT' },
    ...{ cron_interval: '1D', connection_id: connectionId, ...fields },
  }
  const { id } = await expect(201, client.api('POST', sessionPath, settings))
  const session = strategyAt(client, sessionPath, id)
  await session.setStatus('ACTIVE')
  return { ...session, connectionId, due: (sinceMs) => seeTo(database, id, sinceMs) }
}

async function seeTo(database: TestDatabase, id: number, sinceMs?: number): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const connected = await database.open(opened)
  await makeDue(connected, id, sinceMs)
  await until(
    'a scheduler to see to the schedule',
    async () => (await readSchedule(connected, id))!.nextMs > Date.now(),
  )
}

/** Makes the schedule of a strategy due, as if it had been due since `sinceMs`. */
export async function makeDue(database: Database, id: number, sinceMs = Date.now()): Promise<void> {
  const nextRunAt = new Date(sinceMs)
  await database.db.update(schedules).set({ nextRunAt }).where(eq(schedules.strategyId, id))
  await notifySchedulers(database)
}
