/** Compares the tools in `docs/mcp.md` with the existing ones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageLimit, resultLimit } from '../packages/server/src/mcp/results.ts'
import { toolsFor } from '../packages/server/src/mcp/tools.ts'
import { read } from './repository.ts'
import { rowsOf } from './tables.ts'

test('docs/mcp.md has every tool, and says which of them write', async () => {
  const documented = rowsOf(await read('docs/mcp.md'), 'tool').map(([name, access]) => [name!, access!])
  const there = toolsFor({ access: 'write', apiKeyId: 1, principal: { userId: 1, role: 'admin' } }).map(
    ({ name, annotations }) => [name, annotations.readOnlyHint ? 'read' : 'write'],
  )
  assert.deepEqual(documented.sort(), there.sort())
})

test('docs/mcp.md has the current size limits', async () => {
  const text = await read('docs/mcp.md')
  assert.match(text, new RegExp(`at most ${pageLimit},`))
  assert.match(text, new RegExp(`larger than ${resultLimit / 1024} KB`))
})
