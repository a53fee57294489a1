import { type Operation, type Request, type RequestLine, requestLine } from '@tickwright/client'

/** Makes a request for the agent that calls a tool. Resolves with the response, whatever its status. */
export type AskApi = (
  request: RequestLine,
) => Promise<{ status: number; body: unknown; etag?: string | undefined }>

/** The API answered with a status of 400 or above. The agent sees `body`. */
export class ApiRefusal extends Error {
  body: unknown

  constructor(body: unknown) {
    super('The API refused the request')
    this.body = body
  }
}

/** The arguments of a call fit the tool's schema, but the call is not possible. The agent sees the message. */
export class ToolRefusal extends Error {}

/**
 * The API with the permissions of one agent: `api('GET /api/v2/run/{id}', 12)`. The operations of the client type
 * the arguments and the answer. Rejects with `ApiRefusal` or `ToolRefusal`.
 */
export type Api = Request

export function createApi(ask: AskApi): Api {
  return async (operation, ...args) => {
    const { status, body, etag } = await ask(lineOf(operation, args))
    if (status >= 400) throw new ApiRefusal(body)
    // As in the client, it is no field of the record.
    if (etag !== undefined) Object.defineProperty(body, 'etag', { value: etag })
    return body as never
  }
}

/** Only the agent's own values can be unfit: for example an id that no number can hold exactly. */
function lineOf(operation: Operation, args: readonly unknown[]): RequestLine {
  try {
    return requestLine(operation, args)
  } catch (error) {
    if (error instanceof TypeError) throw new ToolRefusal(`${error.message}.`, { cause: error })
    throw error
  }
}
