/** Adds the hosted service's names to a client. Needs only ECMAScript, so it also works in a strategy's isolate. */

import { need, needRecord } from './arguments.ts'
import type { Sender } from './client.ts'
import { hostedNames } from './hosted-names.ts'
import type { Merged, OtherRequest } from './hosted-types.ts'
import { namespaces } from './namespaces.ts'
import type { Operation, Request } from './request.ts'
import { bindAll } from './resource.ts'

export type { Id, OtherRequest } from './hosted-types.ts'

/** A client with the names of the hosted service's client besides our own. */
export type HostedClient = {
  /** Any operation of the API: by its request line, or by method, path and body. */
  readonly request: Request & (<Answer = unknown>(request: OtherRequest) => Promise<Answer>)
  /** The same client, which sends this `Idempotency-Key` with each changing request. */
  withIdempotencyKey(key: string): HostedClient
} & Merged<typeof namespaces, typeof hostedNames>

/** @param others further members of the client, except of one with an idempotency key */
export function withHostedNames<Others extends object>(
  sender: Sender,
  others: Others,
): HostedClient & Others {
  const request = (first: Operation | OtherRequest, ...args: unknown[]) =>
    typeof first === 'string'
      ? sender.request(first, ...(args as never))
      : requestByParts(sender.request, first)
  const withIdempotencyKey = (key: string) => withHostedNames(sender.withIdempotencyKey(key), {})
  const members = { request, withIdempotencyKey, ...others }
  return bindAll(sender.request, [namespaces, hostedNames], members) as HostedClient & Others
}

async function requestByParts(request: Request, parts: OtherRequest): Promise<unknown> {
  needRecord(parts, 'request')
  const { method, path, query, body, ...others } = parts
  const unknown = Object.keys(others)[0]
  need(unknown === undefined, `request.${unknown}`, 'absent: a request has method, path, query and body')
  need(['GET', 'POST', 'PUT', 'DELETE'].includes(method), 'request.method', 'GET, POST, PUT or DELETE')
  need(isPath(path), 'request.path', 'a path such as /strategy/code, percent-encoded')
  need(method !== 'GET' || body === undefined, 'request.body', 'absent: GET has none')
  need(query === undefined || !path.includes('?'), 'request.query', 'absent: the path has one already')
  const target = path.startsWith('/api/v2/') ? path : `/api/v2${path}`
  const line = `${method} ${target}${query === undefined ? '' : '?{query}'}${body === undefined ? '' : ' {body}'}`
  // A line without places, except those of the query and the body.
  const args = [...(query === undefined ? [] : [query]), ...(body === undefined ? [] : [body])]
  return request(line as Operation, ...(args as never))
}

/** Whether URL parsers leave a path as it is, so that the signed bytes are the sent ones. */
function isPath(path: unknown): path is string {
  return (
    typeof path === 'string' &&
    /^\/[\w.~%:@!$&()*+,;=/-]*(?:\?[\w.~%:@!$&()*+,;=/?-]*)?$/.test(path) &&
    !/\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(path)
  )
}
