import assert from 'node:assert/strict'
import type { Client } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { patienceMs } from '../../test/patience.ts'
import { startProcess } from '../../test/process.ts'
import { expect } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'

const path = '/api/v2/strategy/code'
const everyMs = 10_000
const strategyCount = 30

/** The times of all runs of a strategy, in tens of seconds, earliest first. */
async function momentsOf(service: Client, id: number): Promise<number[]> {
  const runs: { queued_at: string; status: string }[] = await expect(
    200,
    service.api('GET', `${path}/${id}/runs`),
  )
  return runs.map(({ queued_at }) => Math.floor(Date.parse(queued_at) / everyMs)).toReversed()
}

withDatabase(
  'if one of two services on one database is killed, each time fires once, and the runs go on',
  async (database) => {
    const doomed = await startProcess({ database })
    await using survivor = await startService({ database })
    const make = async () => {
      const code = 'await $.Storage.set(((await $.Storage.get()) ?? 0) + 1)'
      const { id } = await expect(201, survivor.api('POST', path, { code, cron_interval: '10S' }))
      await expect(200, survivor.api('PUT', `${path}/${id}/status`, { status: 'ACTIVE' }))
      return id as number
    }
    const ids = await Promise.all(Array.from({ length: strategyCount }, make))
    const allHave = async (count: number) => {
      const moments = await Promise.all(ids.map((id) => momentsOf(survivor, id)))
      return moments.every(({ length }) => length >= count)
    }
    await until('a first run of each', () => allHave(1))
    await doomed.killGroup()
    await until('two more of each', () => allHave(3), 3 * patienceMs)

    for (const id of ids) {
      const moments = await momentsOf(survivor, id)
      assert.equal(new Set(moments).size, moments.length, `${moments}`)
    }
    await until('the runs to have ended', async () => {
      const runs = await Promise.all(ids.map((id) => expect(200, survivor.api('GET', `${path}/${id}/runs`))))
      return runs.flat().every(({ status }) => status === 'SUCCEEDED')
    })
    for (const id of ids) {
      const { storage } = await expect(200, survivor.api('GET', `${path}/${id}`))
      const moments = await momentsOf(survivor, id)
      assert.ok(storage >= moments.length - 1 && storage <= moments.length)
    }
  },
)
