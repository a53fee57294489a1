/** A request to the API; `path` begins after `/api/v2`. */
export type ApiRequest = { method: 'GET' | 'POST' | 'PUT'; path: string; body?: unknown }

/** Makes a request for the agent that calls a tool, and resolves whatever the answer. */
export type AskApi = (request: ApiRequest) => Promise<{ status: number; body: unknown }>

/** What the API answers: resources, whose fields each tool knows. */
// biome-ignore lint/suspicious/noExplicitAny: their shapes are the schemas of the routes
export type Resource = Record<string, any>

/** An answer of the API from 400 on; `body` is for whoever asked. */
export class ApiRefusal extends Error {
  body: unknown

  constructor(body: unknown) {
    super('refused by the API')
    this.body = body
  }
}

export type Query = Record<string, string | number | boolean | undefined>

/** The API, as one agent sees it. Each method throws `ApiRefusal` where the API refuses. */
export class Api {
  #ask: AskApi

  constructor(ask: AskApi) {
    this.#ask = ask
  }

  get(path: string, query: Query = {}): Promise<Resource> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
    return this.#request({ method: 'GET', path: search.size === 0 ? path : `${path}?${search}` })
  }

  post(path: string, body: unknown): Promise<Resource> {
    return this.#request({ method: 'POST', path, body })
  }

  put(path: string, body: unknown): Promise<Resource> {
    return this.#request({ method: 'PUT', path, body })
  }

  async #request(request: ApiRequest): Promise<Resource> {
    const { status, body } = await this.#ask(request)
    if (status >= 400) throw new ApiRefusal(body)
    return body as Resource
  }
}

/** A call that fits its tool and can all the same not be made; the message is for whoever called. */
export class ToolRefusal extends Error {}
