import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastingFor } from '../../../sandbox/test/busy.ts'
import { bearer, connectAgent, makeAgentKey } from '../../test/mcp.ts'
import { startReceivers } from '../../test/receiver.ts'
import { startService } from '../../test/service.ts'
import { until } from '../../test/until.ts'

test('an agent that disconnects does no harm, and a call in progress at the shutdown is answered', async () => {
  await using receivers = await startReceivers()
  await using service = await startService({ env: { HTTP_ALLOW: receivers.host } })
  const { token } = await makeAgentKey(service, 'write')
  const receiver = receivers.add()
  // The code reports that it runs, and then keeps running for a while.
  const code = `await $.Http.get('${receiver.url}'); ${lastingFor(400)}; $.log('done')`
  const call = { name: 'test_strategy', arguments: { kind: 'strategy', code } }
  const underWay = (count: number) =>
    until(`${count} runs to be under way`, async () => receiver.received.length === count)

  for (const [index, version] of (['2025-06-18', '2026-07-28'] as const).entries()) {
    const gone = new AbortController()
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { ...call, ...(index === 0 ? {} : { _meta: envelope }) }
    const hangsUp = fetch(new URL('/mcp', service.url), {
      method: 'POST',
      signal: gone.signal,
      headers: {
        ...bearer(token),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': version,
        'mcp-method': 'tools/call',
        'mcp-name': call.name,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    }).then((response) => response.text())
    await underWay(index + 1)
    gone.abort()
    await assert.rejects(hangsUp, { name: 'AbortError' })
  }

  const agents = [
    await connectAgent(service.url, token, 'legacy'),
    await connectAgent(service.url, token, 'auto'),
  ]
  /** Asks again while the test runs of the disconnected agents take the places of the account. */
  const ask = async (agent: (typeof agents)[number]) => {
    let answer: Awaited<ReturnType<typeof agent.call>> | undefined
    await until('a place for a test run', async () => {
      answer = await agent.call(call.name, call.arguments)
      return !answer.isError
    })
    return answer!.value
  }
  const answers = agents.map(ask)
  await underWay(4)
  await service.service.close()
  for (const { log } of await Promise.all(answers)) assert.equal(log.trim(), 'done')
  for (const agent of agents) await agent.client.close()
})
