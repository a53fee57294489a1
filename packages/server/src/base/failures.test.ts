import assert from 'node:assert/strict'
import { createConnection } from 'node:net'
import { test } from 'node:test'
import { DrizzleQueryError } from 'drizzle-orm'
import { isDatabaseAway } from './failures.ts'

/** As Node reports it for a connection, within the error of the query that needed one. */
function failedQuery(code: string): Error {
  const cause = Object.assign(new Error(`connect ${code} 192.0.2.1:5432`), { code, syscall: 'connect' })
  return new DrizzleQueryError('select 1', [], cause)
}

test('a database whose machine or network is off is away, and a statement that it refuses is not', async () => {
  const off = ['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'ETIMEDOUT']
  for (const code of off) assert.equal(isDatabaseAway(failedQuery(code)), true, code)
  for (const code of ['23505', '40P01', '42601', 'EACCES']) {
    assert.equal(isDatabaseAway(failedQuery(code)), false, code)
  }
  // This machine has no such address of its own, so no packet leaves it.
  const socket = createConnection({ host: '127.0.0.1', port: 1, localAddress: '192.0.2.1' })
  const error = await new Promise((resolve) => socket.once('error', resolve))
  assert.equal(isDatabaseAway(error), true, `${error}`)
})
