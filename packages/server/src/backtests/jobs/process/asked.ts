/** The requests of code that the process of a backtest asks the service to send: the process itself has no network. */
import { type HttpRequest, type HttpResponse, httpRequestsPerRun } from '@tickwright/sandbox'
import type { Send } from '../../host.ts'
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
  readonly send: Send = (request, signal) => {
    signal.throwIfAborted()
    const id = ++this.#last
    return new Promise<HttpResponse>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(id)
        this.#post({ type: 'unneeded', id })
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.set(id, (answered) => {
        signal.removeEventListener('abort', leave)
        this.#waiting.delete(id)
        if ('response' in answered) resolve(answered.response)
        else reject(Object.assign(new Error(answered.error.message), { name: answered.error.name }))
      })
      this.#post({ type: 'ask', id, request })
    })
  }

  take(answered: Answered): void {
    this.#waiting.get(answered.id)?.(answered)
  }
}

/** In the service: sends what a process asks for. It checks again that nothing is sent that only a live run may send. */
export class Asked {
  readonly #send: Send | undefined
  readonly #answer: (answered: Answered) => void
  readonly #open = new Map<number, AbortController>()
  #count = 0

  /** @param send default: nothing is sent */
  constructor(send: Send | undefined, answer: (answered: Answered) => void) {
    this.#send = send
    this.#answer = answer
  }

  /** Never rejects. */
  async take(id: number, request: HttpRequest): Promise<void> {
    const ends = new AbortController()
    this.#open.set(id, ends)
    try {
      this.#answer({ type: 'answered', id, response: await this.#answerTo(request, ends.signal) })
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
