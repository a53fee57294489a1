import { abortable } from '../outgoing/abortable.ts'
import { type Answer, askInStream, askWhole, type Model, type ModelOptions } from './answer.ts'
import { failureOf, type Seen } from './failure-of.ts'
import { ProviderFailure } from './provider-failure.ts'
import type { ProviderHttp } from './provider-http.ts'
import { redactor } from './redaction.ts'
import { type AiService, findService } from './services.ts'

/** What asking a model takes. */
export type ModelAccess = {
  serviceId: number
  /** `null`: the service's own. */
  baseUrl: string | null
  model: string
  /** `null` where the service needs none. */
  apiKey: string | null
  /** Whether to ask for a stream of events; the answer is waited for whole all the same. */
  streaming: boolean
}

export type Question = Pick<ModelOptions, 'prompt' | 'tools'> & {
  maxOutputTokens: number
  timeoutMs: number
}

/** Asks models, of whatever provider. One question is one request: nothing is repeated, and nothing continued. */
export class Providers {
  #http: ProviderHttp

  constructor(http: ProviderHttp) {
    this.#http = http
  }

  /**
   * @param signal gives the question up
   * @throws {ProviderFailure} and the reason of `signal`
   */
  async ask(access: ModelAccess, question: Question, signal: AbortSignal): Promise<Answer> {
    const redact = redactor(access.apiKey === null ? [] : [access.apiKey])
    const { timeoutMs, ...options } = question
    const seen: Seen = {}
    using time = deadline(timeoutMs)
    const ends = AbortSignal.any([signal, time.signal])
    try {
      const model = await makeModel(access, this.#fetchOnce(seen, ends))
      const ask = access.streaming ? askInStream : askWhole
      return await abortable(ask(model, { ...options, abortSignal: ends }), ends)
    } catch (error) {
      signal.throwIfAborted()
      throw failureOf(error, seen, redact)
    }
  }

  /** As libraries call it, for one request and no more: one of them goes on by itself for as long as it is told to. */
  #fetchOnce(seen: Seen, signal: AbortSignal): typeof fetch {
    return async (input, init) => {
      if (seen.asked === true)
        throw new ProviderFailure('malformed', 'The provider asked to repeat the request.')
      seen.asked = true
      const headers = new Map(new Headers(init?.headers))
      const url = new URL(String(input))
      try {
        const request = { method: 'POST', url, headers, body: String(init?.body) } as const
        const answer = await this.#http.send(request, signal)
        seen.answer = answer
        const hasBody = answer.status >= 200 && ![204, 205, 304].includes(answer.status)
        return new Response(hasBody ? answer.text : null, { status: answer.status, headers: answer.headers })
      } catch (error) {
        seen.failure = error
        throw error
      }
    }
  }
}

/** Libraries take memory and a tenth of a second to load: only who asks a model has them. */
async function makeModel(access: ModelAccess, fetch: typeof globalThis.fetch): Promise<Model> {
  const service = findService(access.serviceId)
  const baseURL = access.baseUrl ?? service?.baseUrl
  if (service === undefined || baseURL === undefined || baseURL === null) {
    throw new ProviderFailure('rejected', 'The connection has no provider address.', {
      mayHaveCost: false,
    })
  }
  // Anything but a text would have the libraries look for a key in the environment.
  const apiKey = access.apiKey ?? ''
  switch (service.protocol) {
    case 'openai':
      return openAiModel(service, { baseURL, model: access.model, apiKey: access.apiKey, fetch })
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ baseURL, apiKey, fetch })(access.model)
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google')
      return createGoogle({ baseURL, apiKey, fetch })(access.model)
    }
  }
}

async function openAiModel(
  { name }: AiService,
  wish: { baseURL: string; model: string; apiKey: string | null; fetch: typeof globalThis.fetch },
): Promise<Model> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const { baseURL, model, apiKey, fetch } = wish
  const provider = createOpenAICompatible({
    ...{ name: 'provider', baseURL, fetch, includeUsage: true },
    ...(apiKey === null ? {} : { apiKey }),
    ...(name === 'OpenAI' && { transformRequestBody: withNewLimit }),
  })
  return provider(model)
}

/** OpenAI's newer models know the limit of their answers by another name, and refuse the old one. */
function withNewLimit({ max_tokens: limit, ...body }: Record<string, unknown>): Record<string, unknown> {
  return limit === undefined ? body : { ...body, max_completion_tokens: limit }
}

function deadline(timeoutMs: number): Disposable & { signal: AbortSignal } {
  const over = new AbortController()
  const late = new ProviderFailure('timeout', `There was no answer within ${timeoutMs} ms.`)
  const timer = setTimeout(() => over.abort(late), timeoutMs)
  return { signal: over.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}
