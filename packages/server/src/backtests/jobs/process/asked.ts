/** The requests of code, and questions to a model, that the process of a backtest asks the service to send: the process itself has no network. */
import { type HttpRequest, type HttpResponse, httpRequestsPerRun } from '@tickwright/sandbox'
import type { Send } from '../../host.ts'
import type { AskModel, ModelQuestion, ModelReply } from '../../model/live-model.ts'
import type { Answered, FromProcess } from './messages.ts'

/** So many requests does one process of a backtest send. */
const mostRequests = 10_000

/** In the process: asks the service. */
export class Asking {
  #post: (message: FromProcess) => void
  #last = 0
  readonly #waiting = new Map<number, (answered: Answered) => void>()

  constructor(post: (message: FromProcess) => void) {
    this.#post = post
  }

  /** Rejects as the service does, and with the reason of `signal`. */
  readonly send: Send = async (request, signal) => {
    const answered = await this.#ask((id) => ({ type: 'ask', id, request }), signal)
    return (answered as Extract<Answered, { response: object }>).response
  }

  /** Rejects as `send` does. */
  readonly askModel: AskModel = async (question, signal) => {
    const answered = await this.#ask((id) => ({ type: 'ask_model', id, question }), signal)
    return (answered as Extract<Answered, { reply: object }>).reply
  }

  take(answered: Answered): void {
    this.#waiting.get(answered.id)?.(answered)
  }

  #ask(messageOf: (id: number) => FromProcess, signal: AbortSignal): Promise<Answered> {
    signal.throwIfAborted()
    const id = ++this.#last
    return new Promise<Answered>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(id)
        this.#post({ type: 'unneeded', id })
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.set(id, (answered) => {
        signal.removeEventListener('abort', leave)
        this.#waiting.delete(id)
        if (!('error' in answered)) resolve(answered)
        else reject(Object.assign(new Error(answered.error.message), { name: answered.error.name }))
      })
      this.#post(messageOf(id))
    })
  }
}

/** In the service: sends what a process asks for. It checks again that nothing is sent that only a live run may send. */
export class Asked {
  readonly #send: Send | undefined
  readonly #askModel: AskModel | undefined
  readonly #answer: (answered: Answered) => void
  readonly #open = new Map<number, AbortController>()
  #count = 0

  /** Default: nothing is sent, and no model is asked. */
  constructor(
    { send, askModel }: { send: Send | undefined; askModel: AskModel | undefined },
    answer: (answered: Answered) => void,
  ) {
    this.#send = send
    this.#askModel = askModel
    this.#answer = answer
  }

  /** Never rejects. */
  async take(message: Extract<FromProcess, { type: 'ask' | 'ask_model' }>): Promise<void> {
    const { id } = message
    const ends = new AbortController()
    this.#open.set(id, ends)
    try {
      const answer =
        message.type === 'ask'
          ? { response: await this.#answerTo(message.request, ends.signal) }
          : { reply: await this.#replyTo(message.question, ends.signal) }
      this.#answer({ type: 'answered', id, ...answer })
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error))
      if (!ends.signal.aborted) this.#answer({ type: 'answered', id, error: { name, message } })
    } finally {
      this.#open.delete(id)
    }
  }

  /** Ends a request whose run is over. */
  drop(id: number): void {
    this.#open.get(id)?.abort(new Error('The run is over.'))
  }

  /** Ends all of them. */
  close(): void {
    for (const id of this.#open.keys()) this.drop(id)
  }

  async #replyTo(question: ModelQuestion, signal: AbortSignal): Promise<ModelReply> {
    if (this.#askModel === undefined) throw new Error('This backtest asks no model.')
    return await this.#askModel(question, signal)
  }

  async #answerTo(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const refusal = this.#refusalOf(request)
    if (refusal !== null) return { status: 403, text: `Not sent: ${refusal}.`, cache: false }
    this.#count += 1
    const { status, text, cache } = await this.#send!(request, signal)
    return { status, text, cache }
  }

  #refusalOf({ method }: HttpRequest): string | null {
    if (this.#send === undefined) return 'this backtest sends no requests'
    if (method !== 'GET') return 'this backtest sends GET requests only'
    if (this.#open.size > httpRequestsPerRun) return `a run sends at most ${httpRequestsPerRun} requests`
    return this.#count < mostRequests ? null : `a backtest sends at most ${mostRequests} requests`
  }
}
