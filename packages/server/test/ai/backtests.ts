/** Backtests of AI reactions, through the API. */
import { sql } from 'drizzle-orm'
import type { Client } from '../client.ts'
import { fileResources, type TestDatabase } from '../databases.ts'
import { longPatienceMs } from '../patience.ts'
import { expect } from '../reaction.ts'
import { until } from '../until.ts'

export const backtestPath = '/api/v2/backtest'
const minuteMs = 60_000

/** Everything was an hour earlier, so that candles of that time have ended. */
export async function letAnHourPass(database: TestDatabase): Promise<void> {
  const { db } = await database.open(fileResources)
  const hour = sql`interval '1 hour'`
  await db.execute(sql`update deliveries set received_at = received_at - ${hour}`)
  await db.execute(
    sql`update runs set started_at = started_at - ${hour}, finished_at = finished_at - ${hour}`,
  )
  await db.execute(sql`update signals set created_at = created_at - ${hour}`)
}

/** Minutes around the time of an hour ago, rising from 100. */
export function risingCandles(): number[][] {
  const first = Math.floor(Date.now() / minuteMs) * minuteMs - 75 * minuteMs
  return Array.from({ length: 40 }, (_, minute) => {
    const price = 100 + minute
    return [first + minute * minuteMs, price, price + 1, price, price + 1, 1]
  })
}

/** Starts a backtest, and waits for its end. */
export async function endedBacktest(client: Client, body: object) {
  const { id } = await expect(202, client.api('POST', backtestPath, body))
  return await endOfBacktest(client, id)
}

export async function endOfBacktest(client: Client, id: number) {
  const read = () => expect(200, client.api('GET', `${backtestPath}/${id}`))
  await until('the end', async () => (await read()).finished_at !== null, 3 * longPatienceMs)
  return await read()
}
