import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionNames, RunViolation } from '@tickwright/sandbox'
import { sql } from 'drizzle-orm'
import { withDatabase } from '../../test/databases.ts'
import { exitAfterExitSql, isExitAfterExit, refuseExitAfterExit } from './exit-after-exit.ts'

const lastActions = [...actionNames, null]
const pairs = actionNames.flatMap((action) => lastActions.map((last) => [action, last] as const))

test('only EXIT after EXIT is refused, as the violation consecutive_exit', () => {
  for (const [action, last] of pairs) {
    if (action !== 'EXIT' || last !== 'EXIT') refuseExitAfterExit(action, last)
  }
  assert.throws(
    () => refuseExitAfterExit('EXIT', 'EXIT'),
    (error) => error instanceof RunViolation && error.violation.rule === 'consecutive_exit',
  )
})

withDatabase('SQL decides as the code does, and never null', async (place) => {
  const { db } = await place.open()
  const { rows } = (await db.execute(sql`
    select ${sql.raw(exitAfterExitSql('action', 'last_action'))} as refused
    from json_to_recordset(${JSON.stringify(pairs.map(([action, last_action], n) => ({ n, action, last_action })))}::json)
      as pair (n int, action text, last_action text)
    order by n`)) as { rows: { refused: boolean | null }[] }
  assert.deepEqual(
    rows.map(({ refused }) => refused),
    pairs.map(([action, last]) => isExitAfterExit(action, last)),
  )
})
