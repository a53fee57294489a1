import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AiConnection } from '@tickwright/client'
import { makeAiConnection } from '../../test/ai/reaction.ts'
import { withProvider } from '../../test/ai/service.ts'
import { connectAgent, makeAgentKey } from '../../test/mcp.ts'
import { createApi } from './api.ts'
import { pick } from './results.ts'

withProvider('an agent sees the service and the model of each AI connection', async (given) => {
  const { account, provider, service } = given
  const id = await makeAiConnection(account, provider, { name: 'Mine' })
  const { service_id } = (await account.api('GET', `/api/v2/api/llm/${id}`)).body
  const { token } = await makeAgentKey(account)
  await using agent = await connectAgent(service.url, token)
  const { ai_connections } = await agent.ask('get_account')
  assert.deepEqual(ai_connections, [{ id, name: 'Mine', service_id, model: 'stand-in' }])
})

test('a request or a field that the API does not have does not compile', async () => {
  const asked: string[] = []
  const api = createApi(async ({ method, target, body }) => {
    asked.push([method, target, body].join(' '))
    return { status: 200, body: {} }
  })
  // Each of these lines fails the type check of the project if the compiler accepts the next one.
  // @ts-expect-error
  await api('GET /api/v2/runs/{id}', 1)
  // @ts-expect-error
  await api('GET /api/v2/signal?{query}', { strategy: 1 })
  // @ts-expect-error
  await api('PUT /api/v2/trading {body}', { halt: true })
  const connection = { id: 1, service_id: 2 } as AiConnection
  // @ts-expect-error
  assert.deepEqual(pick(connection, ['id', 'service']), { id: 1 })
  assert.deepEqual(pick(connection, ['id', 'service_id']), { id: 1, service_id: 2 })
  assert.deepEqual(asked, [
    'GET /api/v2/runs/1 ',
    'GET /api/v2/signal?strategy=1 ',
    'PUT /api/v2/trading {"halt":true}',
  ])
})
