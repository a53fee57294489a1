import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { withDatabase } from '../../test/databases.ts'
import { startAddressOf } from '../../test/one-address.ts'
import { until } from '../../test/until.ts'
import { DatabaseClient } from './database-client.ts'
import { Node } from './node.ts'
import { openDatabase } from './open.ts'

withDatabase(
  'a heartbeat without an answer is given up, and the next one takes another connection',
  async (place, { mock }) => {
    const direct = await place.open()
    const { address, url } = await startAddressOf(place.databaseUrl)
    await using _address = address
    const database = await openDatabase(url, () => undefined)
    const node = new Node(database, { roles: ['worker'] })
    const errors: unknown[] = []
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    await node.start((error) => errors.push(error))
    const heartbeats = direct.prepare('heartbeats', 'select heartbeat_at from nodes')
    const first = await heartbeats([])
    address.silence()
    mock.timers.tick(2_000)
    await turn()
    mock.timers.tick(10_000)
    await turn()
    mock.timers.tick(2_000)
    mock.timers.reset()
    await until('the next heartbeat', async () => `${await heartbeats([])}` !== `${first}`)
    assert.match(`${errors}`, /timeout/)
    await node.stop()
    await database.close()
  },
)

withDatabase(
  'a machine that was suspended may work again only after a heartbeat',
  async (place, { mock }) => {
    const node = new Node(await place.open(), { roles: ['worker'] })
    // The monotonic clock goes on as if nothing had happened, as it does on Linux.
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    await node.beat()
    assert.equal(node.mayWork(), true)
    mock.timers.setTime(Date.now() + 7_000)
    assert.equal(node.mayWork(), false)
    await node.beat()
    assert.equal(node.mayWork(), true)
    // A clock that was set back makes nobody wait.
    mock.timers.setTime(Date.now() - 3_600_000)
    assert.equal(node.mayWork(), true)
  },
)

withDatabase('the system asks idle connections to the database after ten seconds', async (place, context) => {
  if (process.platform !== 'linux') return context.skip('Only Linux says when it asks.')
  const { address, url } = await startAddressOf(place.databaseUrl)
  await using _address = address
  const database = await openDatabase(url, () => undefined)
  await database.listen('tickwright_test', () => undefined)
  await using _client = await DatabaseClient.open(url)
  const port = address.port.toString(16).toUpperCase().padStart(4, '0')
  /** Seconds until the system asks on each connection to the address; `null`: it never does. */
  const asks = async () => {
    const lines = (await readFile('/proc/net/tcp', 'utf8'))
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
    return lines
      .filter(([, , remote, state]) => remote?.endsWith(`:${port}`) && state === '01')
      .map(([, , , , , timer]) => /^02:(.*)/.exec(timer!)?.[1])
      .map((ticks) => (ticks === undefined ? null : Number.parseInt(ticks, 16) / 100))
  }
  await until('the acknowledgements', async () => (await asks()).every((seconds) => seconds !== null))
  const seconds = await asks()
  assert.ok(seconds.length === 3 && seconds.every((each) => each! <= 10), `${seconds}`)
  await database.close()
})
