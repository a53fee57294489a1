import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../base/errors.ts'
import type { Agent, SignedRequest } from '../base/principal.ts'
import { serviceVersion } from '../base/service-version.ts'
import { isSigned, originRefused, signatureOf, takeBytes } from '../http/authentication.ts'
import type { InProcessApi } from '../http/in-process.ts'
import { parseJson } from '../http/json-body.ts'
import { codeBodyLimit } from '../http/limits.ts'
import { isFromOwnPage } from '../http/origins.ts'
import type { Routes } from '../http/types.ts'
import type { McpServer } from './server.ts'

/** Finds out which agent asks; both throw an `AppError` of status 401 when it is nobody. */
export type AgentGate = {
  authenticateAgent(request: SignedRequest): Promise<Agent>
  authenticateToken(token: string, sender: { readonly ip: string }): Promise<Agent>
}

type McpRouteParts = { gate: AgentGate; api: InProcessApi; publicUrl: string }

const path = '/mcp'
/** The largest call has a hundredth of it. The protocol's own checks copy a message several times. */
const mostValues = 5_000
/** Messages in one request: each may be a call, and none waits for another. */
const mostAtOnce = 10
const longestId = 255
const transportHeader = /^(accept|content-type|mcp-.*)$/

/** Where agents come in, by the Model Context Protocol. */
export function mcpRoutes({ gate, api, publicUrl }: McpRouteParts): Routes {
  return (scope) => {
    let server: Promise<McpServer> | undefined
    const onError = (err: unknown) => scope.log.error({ err }, 'tool failed')
    const open = async () => {
      // Loaded by the first agent: most installations have none, and a start must not wait for it.
      const { McpServer } = await import('./server.ts')
      return new McpServer({ version: serviceVersion, onError })
    }
    takeBytes(scope)

    scope.post(path, { bodyLimit: codeBodyLimit, schema: { hide: true } }, async (request, reply) => {
      if (isFromOwnPage(request.headers, publicUrl) === false) throw originRefused()
      const signal = signalOf(reply)
      const agent = await letIn(request, reply, gate)
      const body = readBody(request.body as Buffer | undefined)
      server ??= open()
      const caller = { principal: agent.principal, ip: request.ip }
      const response = await (await server).answer({
        agent,
        ask: (inner) => api.request(scope, caller, inner),
        body,
        headers: transportHeaders(request),
        signal,
      })
      return reply.send(response)
    })

    // There are no sessions, so that there is none to listen to or to end.
    scope.route({
      method: ['GET', 'DELETE'],
      url: path,
      schema: { hide: true },
      handler: (_request, reply) => reply.code(405).header('allow', 'POST').send(methodNotAllowed),
    })
  }
}

const methodNotAllowed = {
  jsonrpc: '2.0',
  error: { code: -32000, message: 'Method not allowed: POST to this address.' },
  id: null,
}

/** Where there is any of a signature it alone counts, and no token. */
async function letIn(request: FastifyRequest, reply: FastifyReply, gate: AgentGate): Promise<Agent> {
  try {
    const signed = signatureOf(request, request.body as Buffer | undefined)
    if (isSigned(signed)) return await gate.authenticateAgent(signed)
    const token = /^bearer +(\S{1,1000}) *$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token !== undefined) return await gate.authenticateToken(token, request)
    throw new AppError(
      'auth_missing',
      'Not authenticated: send the header "Authorization: Bearer <mcp_token of an API key>", or sign the request.',
    )
  } catch (error) {
    reply.header('www-authenticate', 'Bearer')
    throw error
  }
}

/** What of it no database can store, the API refuses in a way that the agent is told of. */
function readBody(bytes: Buffer | undefined): unknown {
  const body = bytes === undefined ? undefined : parseJson(bytes, mostValues)
  if (body === undefined) throw new AppError('request_malformed', 'The request has no body.')
  if (Array.isArray(body) && body.length > mostAtOnce) {
    throw new AppError('request_malformed', `A request may contain at most ${mostAtOnce} messages.`)
  }
  if ([body].flat().some(hasLongId)) {
    throw new AppError('request_malformed', `The id of a message may have at most ${longestId} characters.`)
  }
  return body
}

/** An answer repeats the id, and an error has to be short. */
function hasLongId(message: unknown): boolean {
  const id = (message as { id?: unknown } | null)?.id
  return typeof id === 'string' && id.length > longestId
}

function transportHeaders({ headers }: FastifyRequest): Record<string, string> {
  const told = Object.entries(headers).filter(([name]) => transportHeader.test(name))
  return Object.fromEntries(told.map(([name, value]) => [name, String(value)]))
}

/** Aborts when the agent hangs up, or has its answer. */
function signalOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}
