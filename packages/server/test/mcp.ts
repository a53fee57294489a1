import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type ApiAnswer, type Client as ApiClient, type HmacKey, signedHeaders } from './client.ts'
import { expect } from './reaction.ts'

/** An API key for an agent. */
export type AgentKey = HmacKey & { id: number; token: string }

/** The answer of a tool: its text, and the JSON in it. */
export type ToolAnswer = {
  text: string
  isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on what they look at
  value: any
}

/** An agent that uses the service through the official MCP client. */
export type TestAgent = AsyncDisposable & {
  client: Client
  call(name: string, input?: Record<string, unknown>): Promise<ToolAnswer>
  /** The value of a tool's answer, which must not be an error. */
  ask(name: string, input?: Record<string, unknown>): Promise<ToolAnswer['value']>
  toolNames(): Promise<string[]>
}

/** Revisions of the protocol: the one of agents from 2025, and the one of 2026. */
export type Revision = 'legacy' | 'auto'

export const mcpPath = '/mcp'
const accepts = { accept: 'application/json, text/event-stream' }

export async function makeAgentKey(client: ApiClient, mcp?: 'read' | 'write'): Promise<AgentKey> {
  const settings = { name: 'agent', algorithm: 'HMAC', ...(mcp && { mcp }) }
  const made = await expect(201, client.api('POST', '/api/v2/api/key', settings))
  return { id: made.id, key: made.api_key, secret: made.api_secret, token: made.mcp_token }
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Signs in with a token. */
export function connectAgent(url: string, token: string, revision: Revision = 'auto'): Promise<TestAgent> {
  return connect(url, revision, { requestInit: { headers: bearer(token) } })
}

/** Signs each request, as for the API. */
export function connectSigning(url: string, key: HmacKey, revision: Revision = 'auto'): Promise<TestAgent> {
  return connect(url, revision, {
    fetch: (target, init = {}) => {
      const { method = 'GET', body } = init
      const headers = new Headers(init.headers)
      const signed = signedHeaders(key, method, new URL(target).pathname, body as string | undefined)
      for (const [name, value] of Object.entries(signed)) headers.set(name, value)
      return fetch(target, { ...init, headers })
    },
  })
}

type TransportOptions = ConstructorParameters<typeof StreamableHTTPClientTransport>[1]

async function connect(url: string, mode: Revision, options: TransportOptions): Promise<TestAgent> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpPath, url), options))
  const call: TestAgent['call'] = async (name, input = {}) =>
    readAnswer(await client.callTool({ name, arguments: input }))
  return {
    client,
    call,
    ask: async (name, input) => {
      const { value, text, isError } = await call(name, input)
      assert.equal(isError, false, `${name}: ${text}`)
      return value
    },
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function readAnswer(result: { content: unknown; isError?: boolean | undefined }): ToolAnswer {
  const [{ text }] = result.content as [{ text: string }]
  return { text, isError: result.isError ?? false, value: jsonIn(text) }
}

/** The JSON of an answer, after the notice that it may begin with. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.search(/^[[{]/m)))
  } catch {
    return undefined
  }
}

/** Posts a message unchanged, without a client: for messages that no client would send. */
export function postMessage(
  client: ApiClient,
  token: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  return client.send('POST', mcpPath, { body, headers: { ...accepts, ...bearer(token), ...headers } })
}

/** The JSON-RPC message in an answer, sent as JSON or as an event. */
export function messageOf({ body }: ApiAnswer): ApiAnswer['body'] {
  return typeof body === 'string' ? JSON.parse(/^data: (.*)$/m.exec(body)![1]!) : body
}
