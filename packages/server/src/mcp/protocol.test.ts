/** Wrong calls, malformed messages, and many at once. */
import assert from 'node:assert/strict'
import { bearer, connectAgent, makeAgentKey, messageOf, postMessage } from '../../test/mcp.ts'
import { withSharedAccount } from '../../test/shared-account.ts'

withSharedAccount('the answer to a wrong call lets the agent correct it', async (account, service) => {
  const { token } = await makeAgentKey(account, 'write')
  await using agent = await connectAgent(service.url, token)
  const cases: [string, object, RegExp][] = [
    ['list_runs', { kind: 'reaction' }, /required properties strategy_id/],
    [
      'list_runs',
      { kind: 'bot', strategy_id: 1 },
      /kind must be equal to one of the allowed values: strategy, reaction, ai_reaction/,
    ],
    ['get_run', { id: '1' }, /id must be integer/],
    ['get_run', { id: 1.5 }, /id must be integer/],
    ['get_run', { id: -1 }, /request_invalid/],
    ['get_run', { id: 1e300 }, /id must be a whole number/],
    ['list_orders', { symbol: '\ud800' }, /query\.symbol must be a string/],
    ['save_strategy', { kind: 'ai_reaction', actions: ['BUY'] }, /actions\.0 must be.*: LONG, SHORT, EXIT/],
    ['test_strategy', { kind: 'strategy', code: '1', last_trigger: {} }, /request_invalid.*last_trigger/],
    ['get_run', { id: 1, also: 2 }, /`also` is unknown\. Known fields: `id`/],
    ['list_bots', { page: 0 }, /request_invalid/],
    ['list_signals', { since: 'yesterday' }, /request_invalid.*since/],
    [
      'save_strategy',
      { kind: 'strategy', code: 'eval(1)' },
      /code_forbidden_identifier.*"line":1,"column":1/,
    ],
    ['save_strategy', { kind: 'strategy', prompt: 'x' }, /strategy has no field prompt/],
    ['save_strategy', { kind: 'strategy', visibility: 'PUBLIC' }, /`visibility` is unknown/],
    ['test_strategy', { kind: 'ai_reaction', prompt: 'x' }, /Pass the id of a saved ai_reaction/],
    ['test_strategy', { kind: 'ai_session', id: 1, payload: {} }, /does not accept payload/],
    ['save_strategy', { kind: 'ai_session', delay: 1 }, /ai_session has no field delay/],
    ['save_strategy', { kind: 'ai_session', cron_interval: 'TICK' }, /request_invalid.*cannot be TICK/],
    ['test_strategy', { kind: 'strategy', id: 1, http: 'all' }, /http must be equal to one of/],
    ['read_docs', { page: '../README' }, /no such page.*runtime/],
    ['read_docs', { page: '../../etc/passwd\0' }, /no such page/],
    ['read_docs', { page: 'runtime.md' }, /no such page/],
    ['save_strategy', { kind: 'strategy', name: 'a\0b' }, /request_invalid.*NUL/],
    ['list_orders', { symbol: 'a\0b' }, /request_invalid/],
  ]
  for (const [tool, input, problem] of cases) {
    const { isError, text } = await agent.call(tool, { ...input })
    assert.ok(isError, `${tool}: ${text}`)
    assert.match(text, problem, tool)
    assert.doesNotMatch(text, /\.ts\b|node_modules|\n\s+at /)
  }
})

withSharedAccount(
  'a malformed message gets a protocol error, never an internal error',
  async (account, service) => {
    const { token } = await makeAgentKey(account, 'write')
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_strategy","arguments":{"payload":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}`
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call' }
    const cases: [unknown, status: number, what: number | string][] = [
      ['{"jsonrpc"', 400, 'request_malformed'],
      ['', 400, 'request_malformed'],
      [new Uint8Array([0x22, 0xff, 0x22]), 400, 'request_malformed'],
      [deep, 400, 'request_malformed'],
      [`"${'x'.repeat(1024 * 1024)}"`, 413, 'body_too_large'],
      ['{"jsonrpc":"2.0","id":1,"method":"a\\u0000"}', 200, -32601],
      ['null', 400, -32600],
      ['7', 400, -32600],
      [{}, 400, -32600],
      [[], 400, -32600],
      [Array(11).fill(ping), 400, 'request_malformed'],
      [{ ...ping, jsonrpc: '1.0' }, 400, -32600],
      [{ ...ping, method: 5 }, 400, -32600],
      [{ ...ping, method: 'tools/destroy' }, 200, -32601],
      [{ ...ping, method: 'resources/list' }, 200, -32601],
      [{ ...ping, method: 'subscriptions/listen', params: {} }, 200, -32601],
      [call, 200, -32602],
      [{ ...call, params: { name: 'list_bots', arguments: [] } }, 200, -32602],
      [{ ...call, params: { name: '__proto__' } }, 200, -32602],
      [{ ...call, params: { name: 'constructor', arguments: {} } }, 200, -32602],
    ]
    for (const [body, status, what] of cases) {
      const answer = await postMessage(service, token, body)
      const label = `${JSON.stringify(body).slice(0, 80)}: ${JSON.stringify(answer.body).slice(0, 300)}`
      assert.equal(answer.status, status, label)
      const code = typeof what === 'string' ? answer.body.code : messageOf(answer).error.code
      assert.equal(code, what, label)
    }
    assert.equal(
      (await postMessage(service, token, { jsonrpc: '2.0', method: 'notifications/initialized' })).status,
      202,
    )
    assert.equal((await postMessage(service, token, ping, { 'content-type': 'text/plain' })).status, 415)
    for (const method of ['GET', 'DELETE']) {
      const answer = await service.send(method, '/mcp', { headers: bearer(token) })
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'])
    }
  },
)

withSharedAccount('each of several messages in one request gets an answer', async (account, service) => {
  const { token } = await makeAgentKey(account)
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'list_bots' } })
  const answer = await postMessage(service, token, [
    call(1),
    call(2),
    { jsonrpc: '2.0', id: 3, method: 'nothing' },
  ])
  const answered = [...String(answer.body).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!))
  assert.deepEqual(answered.map(({ id }) => id).sort(), [1, 2, 3])
})

withSharedAccount(
  'a hundred calls at the same time are all answered, each to its own caller',
  async (account, service) => {
    const mine = await makeAgentKey(account)
    const theirs = await makeAgentKey(service)
    const ask = async (token: string) => {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_account' } }
      const { result } = messageOf(await postMessage(service, token, call))
      return JSON.parse(result.content[0].text.split('\n')[1]).key.id as number
    }
    const keys = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? mine : theirs))
    const keyIds = await Promise.all(keys.map(({ token }) => ask(token)))
    assert.deepEqual(
      keyIds,
      keys.map(({ id }) => id),
    )
  },
)
