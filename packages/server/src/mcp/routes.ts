import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../base/errors.ts'
import type { Agent, SignedRequest } from '../base/principal.ts'
import { serviceVersion } from '../base/service-version.ts'
import { isSigned, originRefused, signatureOf, takeBytes } from '../http/authentication.ts'
import type { InProcessApi } from '../http/in-process.ts'
import { parseJson } from '../http/json-body.ts'
import { codeBodyLimit } from '../http/limits.ts'
import { isFromOwnPage } from '../http/origins.ts'
import type { App, Routes } from '../http/types.ts'
import type { McpServer } from './server.ts'

/** Identifies the agent of a request. Both reject with an `AppError` of status 401 if it is unknown. */
export type AgentAuthenticator = {
  authenticateAgent(request: SignedRequest): Promise<Agent>
  authenticateToken(token: string, sender: { readonly ip: string }): Promise<Agent>
}

type McpRouteParts = { agents: AgentAuthenticator; api: InProcessApi; publicUrl: string }

const path = '/mcp'
/** Real calls have a hundredth of this. The protocol's checks copy a message several times. */
const mostValues = 5_000
/** The most messages in one request. Each can be a call, and all run at the same time. */
const mostAtOnce = 10
const longestId = 255
const transportHeader = /^(accept|content-type|mcp-.*)$/

/** The endpoint for agents, which speak the Model Context Protocol. */
export function mcpRoutes({ agents, api, publicUrl }: McpRouteParts): Routes {
  return (scope) => {
    takeBytes(scope)
    receiveMessages(scope, { agents, api, publicUrl, server: lazyServer(scope) })
    refuseOtherMethods(scope)
  }
}

/** Loads the server with the first request of an agent: most installations have no agents, and start faster. */
function lazyServer(scope: App): () => Promise<McpServer> {
  const onError = (err: unknown) => scope.log.error({ err }, 'tool failed')
  let server: Promise<McpServer> | undefined
  const open = async () => {
    const { McpServer } = await import('./server.ts')
    return new McpServer({ version: serviceVersion, onError })
  }
  return () => {
    server ??= open()
    return server
  }
}

function receiveMessages(
  scope: App,
  { agents, api, publicUrl, server }: McpRouteParts & { server: () => Promise<McpServer> },
): void {
  scope.post(path, { bodyLimit: codeBodyLimit, schema: { hide: true } }, async (request, reply) => {
    if (isFromOwnPage(request.headers, publicUrl) === false) throw originRefused()
    const signal = signalOf(reply)
    const agent = await authenticate(request, reply, agents)
    const body = readBody(request.body as Buffer | undefined)
    const caller = { principal: agent.principal, ip: request.ip }
    const response = await (await server()).answer({
      agent,
      ask: (inner) => api.request(scope, caller, inner),
      body,
      headers: transportHeaders(request),
      signal,
    })
    return reply.send(response)
  })
}

/** There are no sessions, so there is none to listen to (GET) or to end (DELETE). */
function refuseOtherMethods(scope: App): void {
  scope.route({
    method: ['GET', 'DELETE'],
    url: path,
    schema: { hide: true },
    handler: (_request, reply) => reply.code(405).header('allow', 'POST').send(methodNotAllowed),
  })
}

const methodNotAllowed = {
  jsonrpc: '2.0',
  error: { code: -32000, message: 'Method not allowed: POST to this address.' },
  id: null,
}

/** A request with any part of a signature must have a valid signature; then its token does not count. */
async function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  agents: AgentAuthenticator,
): Promise<Agent> {
  try {
    const signed = signatureOf(request, request.body as Buffer | undefined)
    if (isSigned(signed)) return await agents.authenticateAgent(signed)
    const token = /^bearer +(\S{1,1000}) *$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token !== undefined) return await agents.authenticateToken(token, request)
    throw new AppError(
      'auth_missing',
      'Not authenticated: send the header "Authorization: Bearer <mcp_token of an API key>", or sign the request.',
    )
  } catch (error) {
    reply.header('www-authenticate', 'Bearer')
    throw error
  }
}

/** Texts that no database can store are accepted here: the API refuses them with an error that the agent sees. */
function readBody(bytes: Buffer | undefined): unknown {
  const body = bytes === undefined ? undefined : parseJson(bytes, mostValues)
  if (body === undefined) throw new AppError('request_malformed', 'The request has no body.')
  if (Array.isArray(body) && body.length > mostAtOnce) {
    throw new AppError(
      'request_malformed',
      `The request has ${body.length} messages; at most ${mostAtOnce} are allowed.`,
    )
  }
  if ([body].flat().some(hasLongId)) {
    throw new AppError('request_malformed', `The id of a message may have at most ${longestId} characters.`)
  }
  return body
}

/** A response repeats the id, and an error has to be short. */
function hasLongId(message: unknown): boolean {
  const id = (message as { id?: unknown } | null)?.id
  return typeof id === 'string' && id.length > longestId
}

function transportHeaders({ headers }: FastifyRequest): Record<string, string> {
  const relevant = Object.entries(headers).filter(([name]) => transportHeader.test(name))
  return Object.fromEntries(relevant.map(([name, value]) => [name, String(value)]))
}

/** Aborts when the agent closes the connection, or has its response. */
function signalOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}
