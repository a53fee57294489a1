import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'drizzle-orm'
import { addUsers, lookInto } from '../../test/accounts.ts'
import type { Client } from '../../test/client.ts'
import { withDatabase } from '../../test/databases.ts'
import { startProcess } from '../../test/process.ts'
import { expect, makeReaction, type TestReaction } from '../../test/reaction.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { withAccount } from '../../test/with-service.ts'

const folderPath = '/api/v2/strategy/reaction/code/folder'
const code = '$.log(JSON.stringify($.Env, Object.keys($.Env).sort()))'

const makeFolder = async (client: Client, parent_id: number | null = null): Promise<number> =>
  (await expect(201, client.api('POST', folderPath, { name: 'f', parent_id }))).id

const setVariable = async (
  client: Client,
  name: string,
  value: string,
  folder_id: number | null = null,
): Promise<number> => (await expect(201, client.api('POST', '/api/v2/env', { name, value, folder_id }))).id

/** The content of `$.Env` in the next run of a reaction. */
async function nextEnv(reaction: TestReaction): Promise<Record<string, string>> {
  const { length } = await reaction.runs()
  await reaction.post({})
  const run = (await reaction.ended(length + 1))[length]
  assert.equal(run.status, 'SUCCEEDED', JSON.stringify(run.error))
  return JSON.parse(run.log)
}

withAccount(
  'code reads the variables of its folders, the nearest first, and the global ones',
  async (account) => {
    const outer = await makeFolder(account)
    const inner = await makeFolder(account, outer)
    const beside = await makeFolder(account, outer)
    await setVariable(account, 'A', 'global')
    await setVariable(account, 'B', 'global')
    await setVariable(account, 'C', 'global')
    await setVariable(account, 'B', 'outer', outer)
    await setVariable(account, 'C', 'outer', outer)
    await setVariable(account, 'D', 'outer', outer)
    // Created after the variable of the outer folder, and before that of the inner one.
    await setVariable(account, 'C', 'inner', inner)
    await setVariable(account, 'C', 'beside', beside)
    const global = { A: 'global', B: 'global', C: 'global' }
    const inOuter = { A: 'global', B: 'outer', C: 'outer', D: 'outer' }
    const reaction = await makeReaction(account, code)
    assert.deepEqual(await nextEnv(reaction), global)
    const own = `/api/v2/strategy/reaction/code/${reaction.id}`
    for (const [folder_id, env] of [
      [outer, inOuter],
      [inner, { ...inOuter, C: 'inner' }],
      [beside, { ...inOuter, C: 'beside' }],
      [null, global],
    ] as const) {
      await expect(200, account.api('PUT', own, { folder_id }))
      assert.deepEqual(await nextEnv(reaction), env)
    }
  },
)

withAccount('a change of a variable, or of where a folder is, is seen by the next run', async (account) => {
  const folder = await makeFolder(account)
  const other = await makeFolder(account)
  const reaction = await makeReaction(account, code, { folder_id: folder })
  assert.deepEqual(await nextEnv(reaction), {})
  const id = await setVariable(account, 'A', 'first')
  assert.deepEqual(await nextEnv(reaction), { A: 'first' })
  const change = (changes: object) => expect(200, account.api('PUT', `/api/v2/env/${id}`, changes))
  await change({ value: 'sécond \u{1f4c8} \\n "' })
  assert.deepEqual(await nextEnv(reaction), { A: 'sécond \u{1f4c8} \\n "' })
  await change({ name: 'RENAMED' })
  assert.deepEqual(await nextEnv(reaction), { RENAMED: 'sécond \u{1f4c8} \\n "' })
  await change({ folder_id: other })
  assert.deepEqual(await nextEnv(reaction), {})
  await expect(200, account.api('PUT', `${folderPath}/${folder}`, { parent_id: other }))
  assert.deepEqual(await nextEnv(reaction), { RENAMED: 'sécond \u{1f4c8} \\n "' })
  await expect(200, account.api('DELETE', `/api/v2/env/${id}`))
  assert.deepEqual(await nextEnv(reaction), {})
})

withAccount(
  'a change that comes while runs are under way is seen by all that start later',
  async (account) => {
    const reaction = await makeReaction(account, `$.log($.Env.N, JSON.parse($.Request.data).n)`)
    const id = await setVariable(account, 'N', '0')
    let n = 0
    let over = false
    const posting = (async () => {
      while (!over) await Promise.all([reaction.post({ n }), reaction.post({ n }), reaction.post({ n })])
    })()
    for (n = 1; n <= 10; n++) {
      await expect(200, account.api('PUT', `/api/v2/env/${id}`, { value: String(n) }))
    }
    over = true
    await posting
    const runs = await reaction.ended((await reaction.runs()).length)
    for (const { log } of runs) {
      const [value, posted] = log.split(' ').map(Number)
      // A payload has the number of the change in progress. The change before it is certainly done.
      assert.ok(value >= posted - 1, `a payload of ${posted} saw ${value}`)
    }
  },
)

withDatabase('variables are of one account, and one that cannot be opened fails the run', async (place) => {
  const [ownKey, otherKey] = await addUsers(place, ['own@example.com', 'other@example.com'])
  let reaction: TestReaction
  {
    await using service = await startService({ database: place })
    const [own, other] = [service.as(ownKey!), service.as(otherKey!)]
    await setVariable(own, 'SECRET', 'own')
    await setVariable(other, 'SECRET', 'other')
    reaction = await makeReaction(other, code)
    assert.deepEqual(await nextEnv(reaction), { SECRET: 'other' })
  }
  // Someone who can write to the table, but has no master key, gives one account the value of another.
  await lookInto(place, ({ db }) =>
    db.execute(sql`update variables set value = (select value from variables order by id limit 1)`),
  )
  await using service = await startService({ database: place })
  const other = service.as(otherKey!)
  await expect(202, service.send('POST', reaction.path, { body: {} }))
  const runsPath = `/api/v2/strategy/reaction/code/${reaction.id}/runs`
  await until('the run to end', async () => (await other.api('GET', runsPath)).body[0].status === 'FAILED')
  const [run] = await expect(200, other.api('GET', runsPath))
  assert.deepEqual(run.error, {
    name: 'UnreadableVariable',
    message: 'The environment variable SECRET cannot be read; set its value again.',
    line: null,
    column: null,
  })
  assert.equal((await expect(200, other.api('GET', runsPath.slice(0, -5)))).status, 'ACTIVE')
})

withDatabase('a change made on one node is seen by the next run on another', async (place) => {
  await using worker = await startService({ database: place, env: { ROLES: 'api,worker' } })
  await using other = await startService({ database: place, env: { ROLES: 'api,worker' } })
  await using api = await startService({ database: place, env: { ROLES: 'api' } })
  const id = await setVariable(worker, 'N', '0')
  const reactions = await Promise.all(Array.from({ length: 3 }, () => makeReaction(worker, code)))
  // From here on, the first node holds the strategies.
  for (const reaction of reactions) assert.deepEqual(await nextEnv(reaction), { N: '0' })
  for (let n = 1; n <= 6; n++) {
    const changing = [other, api][n % 2]!
    await expect(200, changing.api('PUT', `/api/v2/env/${id}`, { value: String(n) }))
    for (const reaction of reactions) assert.deepEqual(await nextEnv(reaction), { N: String(n) })
  }
  await expect(200, other.api('DELETE', `/api/v2/env/${id}`))
  for (const reaction of reactions) assert.deepEqual(await nextEnv(reaction), {})
})

test('no value gets into a log or an answer, however it is used', async () => {
  const value = 'value-marker-6613'
  await using service = await startProcess({ env: { LOG_LEVEL: 'trace' } })
  const id = await setVariable(service, 'SECRET', value)
  const answers: unknown[] = []
  const ask = async (...request: Parameters<Client['api']>) => {
    answers.push((await service.api(...request)).body)
  }
  await ask('POST', '/api/v2/env', { name: 'SECRET', value })
  await ask('POST', '/api/v2/env', { name: 'a b', value })
  await ask('POST', '/api/v2/env', { name: 'A', value: value.repeat(2000) })
  await ask('POST', '/api/v2/env', `{"name":"A","value":"${value}`)
  await ask('PUT', `/api/v2/env/${id}`, { value })
  await ask('GET', `/api/v2/env/${id}`)
  await ask('GET', '/api/v2/env')
  const reaction = await makeReaction(
    service,
    'if ($.Env.SECRET.length !== 17) throw new Error($.Env.SECRET)',
  )
  await reaction.post({})
  assert.equal((await reaction.ended(1))[0].status, 'SUCCEEDED')
  assert.ok(!JSON.stringify([answers, await reaction.runs()]).includes(value))
  assert.equal(await service.stop(), 0)
  assert.match(service.output(), /run ended/)
  assert.ok(!service.output().includes(value))
})
