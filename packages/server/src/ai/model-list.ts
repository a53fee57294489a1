import { HttpFailure } from '../outgoing/http-failure.ts'
import { failureOf, type Seen } from './failure-of.ts'
import { ProviderFailure } from './provider-failure.ts'
import type { ProviderHttp } from './provider-http.ts'
import type { ModelAccess } from './providers.ts'
import { redactor } from './redaction.ts'
import { findService, type Protocol } from './services.ts'

const timeoutMs = 10_000
/** Providers that resell models list hundreds. */
const mostModels = 1_000

const queries: Record<Protocol, string> = { openai: '', anthropic: '?limit=1000', google: '?pageSize=1000' }

/**
 * The models that a provider lists, sorted.
 * @throws {ProviderFailure}
 */
export async function listModels(http: ProviderHttp, access: Omit<ModelAccess, 'model'>): Promise<string[]> {
  const service = findService(access.serviceId)
  const base = access.baseUrl ?? service?.baseUrl
  if (service === undefined || base === undefined || base === null) {
    throw new ProviderFailure('rejected', 'The connection has no provider address.')
  }
  const url = new URL(`${base.replace(/\/+$/, '')}/models${queries[service.protocol]}`)
  const seen: Seen = {}
  const headers = headersOf(service.protocol, access.apiKey)
  const late = new HttpFailure(504, `There was no answer within ${timeoutMs} ms.`)
  const ends = new AbortController()
  const timer = setTimeout(() => ends.abort(late), timeoutMs)
  try {
    seen.answer = await http.send({ method: 'GET', url, headers, body: null }, ends.signal)
    if (seen.answer.status !== 200) throw new Error('No list.')
    return modelsIn(JSON.parse(seen.answer.text))
  } catch (error) {
    if (seen.answer === undefined) seen.failure = error
    throw failureOf(error, seen, redactor(access.apiKey === null ? [] : [access.apiKey]))
  } finally {
    clearTimeout(timer)
  }
}

function headersOf(protocol: Protocol, apiKey: string | null): Map<string, string> {
  const headers = new Map([['accept', 'application/json']])
  if (protocol === 'anthropic') headers.set('anthropic-version', '2023-06-01')
  if (apiKey === null) return headers
  if (protocol === 'openai') return headers.set('authorization', `Bearer ${apiKey}`)
  return headers.set(protocol === 'anthropic' ? 'x-api-key' : 'x-goog-api-key', apiKey)
}

type Listed = { id?: unknown; name?: unknown; supportedGenerationMethods?: unknown }

/** @throws if the body contains no list */
function modelsIn(body: { data?: Listed[]; models?: Listed[] }): string[] {
  const listed = body.data ?? body.models
  if (!Array.isArray(listed)) throw new TypeError('No list.')
  const names = listed
    // Google also lists models that only make embeddings or images.
    .filter((one) => methodsOf(one)?.includes('generateContent') ?? true)
    .map((one) => one?.id ?? (typeof one?.name === 'string' ? one.name.replace(/^models\//, '') : undefined))
    .filter((name): name is string => typeof name === 'string' && /^[!-~]{1,200}$/.test(name))
  return [...new Set(names)].sort().slice(0, mostModels)
}

function methodsOf(one: Listed): unknown[] | undefined {
  const methods = one?.supportedGenerationMethods
  return Array.isArray(methods) ? methods : undefined
}
