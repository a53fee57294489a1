import assert from 'node:assert/strict'
import { withDatabase } from '../../test/databases.ts'
import { outage } from '../../test/outage.ts'
import { makeReaction } from '../../test/reaction.ts'
import { startRemote } from '../../test/remote.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'
import { Node } from '../db/node.ts'

withDatabase('a run waits for its positions and its stop while the database is away', async (database) => {
  await using away = await outage(database.databaseUrl)
  const asked = Promise.withResolvers<void>()
  await using remote = await startRemote(async ({ url }, response) => {
    if (url === '/begin') await away.begin()
    else asked.resolve()
    response.end()
  })
  const env = { LOG_LEVEL: 'silent', HTTP_ALLOW: remote.host }
  await using service = await startService({ database, env })
  const reaction = await makeReaction(
    service,
    `await $.Http.get('${remote.url}/begin')
     const asked = [$.Strategy.positions(), $.Strategy.stop()]
     await $.Http.get('${remote.url}/asked')
     $.log(JSON.stringify(await Promise.all(asked)))`,
  )
  await reaction.post({})
  await asked.promise
  // The database has refused what came later, so it has refused what the run asked, too.
  await until('the service to notice', async () => {
    return (await service.send('GET', '/health/ready')).status === 503
  })
  await away.end()
  const [run] = await reaction.ended(1)
  assert.deepEqual([run.status, run.log], ['SUCCEEDED', '[[],true]\n'], JSON.stringify(run.error))
  assert.equal((await reaction.read()).status, 'INACTIVE')
})

withDatabase('a run that another node has taken over stops nothing', async (database) => {
  const direct = await database.open()
  await using other = new AsyncDisposableStack()
  const node = new Node(direct, { roles: ['worker'] })
  await node.start((error) => {
    throw error
  })
  other.defer(() => node.stop())
  const take = direct.prepare('take', 'update strategy_state set holder = $1::uuid')
  const refused = Promise.withResolvers<string>()
  await using remote = await startRemote(async ({ url, body }, response) => {
    if (url === '/take') await take([node.id])
    else refused.resolve(body)
    response.end()
  })
  const env = { LOG_LEVEL: 'silent', HTTP_ALLOW: remote.host }
  await using service = await startService({ database, env })
  const reaction = await makeReaction(
    service,
    `await $.Http.get('${remote.url}/take')
     const outcome = await $.Strategy.stop(true).then(() => 'stopped', ({ message }) => message)
     await $.Http.post('${remote.url}/outcome', outcome)`,
  )
  await reaction.post({})
  assert.match(await refused.promise, /not stopped, because another node takes over this run/)
  assert.equal((await reaction.read()).status, 'ACTIVE')
})
