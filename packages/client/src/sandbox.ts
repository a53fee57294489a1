/**
 * The client inside a strategy: `$.Http.createApiClient`. It sends through `$.Http`, with its limits and its errors. It
 * retries nothing, and needs only ECMAScript.
 */

import { need, needRecord, needText } from './arguments.ts'
import { createSender } from './client.ts'
import { type HostedClient, withHostedNames } from './hosted-client.ts'
import type { OutgoingRequest } from './transport.ts'

export type { HostedClient } from './hosted-client.ts'

/** The algorithms of API keys. */
export type Algorithm = 'HMAC' | 'ML-DSA'

/** An API key; by default an `HMAC` key. */
export type Credentials = { apiKey: string; apiSecret: string; algorithm?: Algorithm }

/** The parts of `$` that the client needs, and the address of the service. */
export type SandboxHost = {
  /** Origin of the service. */
  baseUrl: string
  http: {
    get(url: string, params: undefined, headers: Record<string, string>): Promise<HttpResponse>
    post(url: string, data: string | undefined, headers: Record<string, string>): Promise<HttpResponse>
    put(url: string, data: string | undefined, headers: Record<string, string>): Promise<HttpResponse>
    delete(url: string, params: undefined, headers: Record<string, string>): Promise<HttpResponse>
  }
  generateSignature(payload: string, secret: string, algorithm: Algorithm): Promise<string>
  /** The time in Unix milliseconds. */
  now(): number
}

type HttpResponse = { status: number; text: string }

/** @throws {TypeError} that names the missing or invalid credential */
export function createApiClient(credentials: Credentials, host: SandboxHost): HostedClient {
  needRecord(credentials, 'credentials')
  const { apiKey, apiSecret, algorithm = 'HMAC' } = credentials
  needText(apiSecret, 'apiSecret')
  need(algorithm === 'HMAC' || algorithm === 'ML-DSA', 'algorithm', "'HMAC' or 'ML-DSA'")
  const { baseUrl, http, generateSignature, now } = host
  const sender = createSender({
    baseUrl,
    apiKey,
    sign: (payload) => generateSignature(payload, apiSecret, algorithm),
    send: (request) => sendThrough(http, request),
    now,
  })
  return withHostedNames(sender, {})
}

/** The query stays in the URL: as parameters, its encoding might differ from the signed one. */
function sendThrough(http: SandboxHost['http'], request: OutgoingRequest): Promise<HttpResponse> {
  const { method, url, headers, body } = request
  switch (method) {
    case 'GET':
      return http.get(url, undefined, headers)
    case 'POST':
      return http.post(url, body, headers)
    case 'PUT':
      return http.put(url, body, headers)
    case 'DELETE':
      need(body === undefined, 'body', 'absent: a strategy cannot send a body with DELETE')
      return http.delete(url, undefined, headers)
  }
}
