import { abortable } from '../outgoing/abortable.ts'
import { type Answer, askInStream, askWhole, type Model, type ModelOptions } from './answer.ts'
import { failureOf, type Seen } from './failure-of.ts'
import { ProviderFailure } from './provider-failure.ts'
import type { ProviderHttp } from './provider-http.ts'
import { redactor } from './redaction.ts'
import { type AiService, findService } from './services.ts'

/** Everything that is needed to ask a model. */
export type ModelAccess = {
  serviceId: number
  /** `null`: the address of the service. */
  baseUrl: string | null
  model: string
  /** `null` if the service needs none. */
  apiKey: string | null
  /** Whether to ask for a stream of events. The service waits for the complete answer either way. */
  streaming: boolean
}

export type Question = Pick<ModelOptions, 'prompt' | 'tools'> & {
  maxOutputTokens: number
  timeoutMs: number
}

/** Asks models of any provider. One question is one request, without retries. */
export class Providers {
  #http: ProviderHttp

  constructor(http: ProviderHttp) {
    this.#http = http
  }

  /**
   * @param signal cancels the question
   * @throws {ProviderFailure}, or the reason of `signal`
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

  /** A `fetch` for one request: one library repeats requests for as long as the provider tells it to. */
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

/** Loads a library only when it is needed: each takes memory and a tenth of a second. */
async function makeModel(access: ModelAccess, fetch: typeof globalThis.fetch): Promise<Model> {
  const service = findService(access.serviceId)
  const baseURL = access.baseUrl ?? service?.baseUrl
  if (service === undefined || baseURL === undefined || baseURL === null) {
    throw new ProviderFailure('rejected', 'The connection has no provider address.', {
      mayHaveCost: false,
    })
  }
  // Without a string, the libraries would look for a key in the environment.
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
  options: { baseURL: string; model: string; apiKey: string | null; fetch: typeof globalThis.fetch },
): Promise<Model> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const { baseURL, model, apiKey, fetch } = options
  const provider = createOpenAICompatible({
    ...{ name: 'provider', baseURL, fetch, includeUsage: true },
    ...(apiKey === null ? {} : { apiKey }),
    ...(name === 'OpenAI' && { transformRequestBody: withNewLimit }),
  })
  return provider(model)
}

/** OpenAI's newer models call this limit by another name, and reject the old one. */
function withNewLimit({ max_tokens: limit, ...body }: Record<string, unknown>): Record<string, unknown> {
  return limit === undefined ? body : { ...body, max_completion_tokens: limit }
}

function deadline(timeoutMs: number): Disposable & { signal: AbortSignal } {
  const over = new AbortController()
  const late = new ProviderFailure('timeout', `There was no answer within ${timeoutMs} ms.`)
  const timer = setTimeout(() => over.abort(late), timeoutMs)
  return { signal: over.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}
