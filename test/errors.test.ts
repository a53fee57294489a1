/** Compares `docs/errors.md` and the OpenAPI document with the table of errors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorStatus } from '../packages/server/src/base/errors.ts'
import { read } from './repository.ts'
import { rowsOf } from './tables.ts'

type Operation = { summary?: string; responses: Record<string, unknown> }
type OpenApi = { paths: Record<string, Record<string, Operation>> }

test('docs/errors.md has exactly the codes of the table, with status and in the same order', async () => {
  const documented = rowsOf(await read('docs/errors.md'), 'code').map(([code, status]) => [
    code,
    Number(status),
  ])
  assert.deepEqual(documented, Object.entries(errorStatus))
})

/** Not an error but a report of the part that is not ready. */
const notReady = '/health/ready 503'

test('the OpenAPI document declares every error status, with the one error shape', async () => {
  const { paths } = JSON.parse(await read('docs/openapi.json')) as OpenApi
  const known = new Set<number>(Object.values(errorStatus))
  const declared = new Set<number>()
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(operations)) {
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) < 400 || `${path} ${status}` === notReady) continue
        declared.add(Number(status))
        const where = `${method} ${path} ${status}`
        assert.ok(known.has(Number(status)), `${where} is not in the table of errors`)
        assert.match(JSON.stringify(response), /"#\/components\/schemas\/Error"/, where)
      }
    }
  }
  assert.deepEqual([...declared].sort(), [...known].sort())
})
