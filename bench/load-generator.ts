/**
 * A process that sends requests and times the answers. Its parent sends a {@link LoadPlan} for each round. It is
 * separate from the server, so that neither waits for the other's event loop.
 */
import { HttpConnection, httpRequest } from '../examples/http-connection.ts'
import type { LoadMessage, LoadPlan, LoadRequest, LoadResult } from './load-plan.ts'
import { sign } from './sign.ts'
import { percentile } from './statistics.ts'

process.on('message', (plan: LoadPlan) => {
  run(plan).then(
    (result) => answer({ result }),
    (error: Error) => answer({ failure: error.message }),
  )
})
process.on('disconnect', () => process.exit())

function answer(message: LoadMessage): void {
  process.send!(message)
}

async function run(plan: LoadPlan): Promise<LoadResult> {
  const connections = await Promise.all(
    Array.from({ length: plan.connections }, () => HttpConnection.connect(plan.url)),
  )
  const round = new Round(plan)
  const startedAt = performance.now()
  try {
    if (plan.perSecond === null)
      await Promise.all(connections.map((connection) => sendInTurn(connection, round)))
    else await sendOnTime(connections, round, plan.perSecond)
  } finally {
    for (const connection of connections) connection.close()
  }
  return round.result((performance.now() - startedAt) / 1000)
}

/** Closed loop: the next request follows the answer to the last one. */
async function sendInTurn(connection: HttpConnection, round: Round): Promise<void> {
  while (round.goesOn()) await round.send(connection)
}

/** Open loop: at fixed times, whether the server keeps up or not. */
async function sendOnTime(
  connections: readonly HttpConnection[],
  round: Round,
  perSecond: number,
): Promise<void> {
  const startedAt = performance.now()
  const underWay: Promise<void>[] = []
  await new Promise<void>((resolve) => {
    const sendDue = () => {
      const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1000) + 1
      while (underWay.length < due && round.goesOn()) {
        underWay.push(round.send(connections[underWay.length % connections.length]!))
      }
      if (round.goesOn()) setTimeout(sendDue, 1)
      else resolve()
    }
    sendDue()
  })
  await Promise.all(underWay)
}

/** One run of a plan: the next request, and the results so far. */
class Round {
  #plan: LoadPlan
  #requests: PreparedRequest[]
  #startedAt = performance.now()
  #sent = 0
  #latenciesMs: number[] = []
  #answers: LoadResult['answers'] = []

  constructor(plan: LoadPlan) {
    this.#plan = plan
    this.#requests = plan.requests.map((request) => new PreparedRequest(plan.url, request))
  }

  goesOn(): boolean {
    const { ms, answers } = this.#plan.until
    return this.#sent < (answers ?? Infinity) && performance.now() - this.#startedAt < (ms ?? Infinity)
  }

  async send(connection: HttpConnection): Promise<void> {
    const request = this.#requests[this.#sent++ % this.#requests.length]!
    const sentAtMs = Date.now()
    const sentAt = performance.now()
    const { status, body } = await connection.send(request.bytes())
    const latencyMs = performance.now() - sentAt
    this.#latenciesMs.push(latencyMs)
    if (status !== this.#plan.status) {
      throw new Error(`Expected status ${this.#plan.status}, got ${status}: ${body.toString('utf8', 0, 300)}`)
    }
    if (this.#plan.keepAnswers) {
      this.#answers.push({ sentAtMs, latencyMs, id: JSON.parse(body.toString('utf8')).id })
    }
  }

  result(seconds: number): LoadResult {
    return {
      answered: this.#latenciesMs.length,
      seconds,
      p50Ms: percentile(this.#latenciesMs, 0.5),
      p99Ms: percentile(this.#latenciesMs, 0.99),
      answers: this.#answers,
    }
  }
}

/** The bytes of a request, prepared once. A signed request is prepared again when its timestamp changes. */
class PreparedRequest {
  #url: URL
  #request: LoadRequest
  #bytes: Buffer | undefined
  #madeInSecond = 0

  constructor(origin: string, request: LoadRequest) {
    this.#url = new URL(request.path, origin)
    this.#request = request
  }

  bytes(): Buffer {
    const second = this.#request.signWith === undefined ? 0 : Math.floor(Date.now() / 1000)
    if (this.#bytes === undefined || second !== this.#madeInSecond) {
      this.#madeInSecond = second
      this.#bytes = this.#make()
    }
    return this.#bytes
  }

  #make(): Buffer {
    const { method, path, headers = {}, body = '', signWith } = this.#request
    const signed = signWith === undefined ? {} : sign(signWith, method, path, body)
    const type = body === '' ? {} : { 'content-type': 'application/json' }
    return httpRequest(method, this.#url, { ...type, ...headers, ...signed }, body)
  }
}
