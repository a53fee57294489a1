import {
  type ActionName,
  type ActionOptions,
  type ActionResult,
  type BotPosition,
  type CandleRequest,
  type ExchangeName,
  type HttpRequest,
  type HttpResponse,
  type LastTrigger,
  packCandles,
  type RunHost,
  violations,
} from '@tickwright/sandbox'
import type { SignalOptions } from '../db/schema.ts'
import { readUrl } from '../outgoing/outgoing-request.ts'
import { createSigner } from '../outgoing/signing.ts'
import { checkOptions, signalOptions } from '../signals/action-options.ts'
import type { ActionRate } from '../signals/action-rate.ts'
import { refuseExitAfterExit } from '../signals/exit-after-exit.ts'
import type { MarketData } from './market-data.ts'
import type { View } from './runs.ts'

/** A signal that the strategy sent: after the end of candle `index`, or since its opening. */
export type Decided = {
  index: number
  atMs: number
  action: ActionName
  price: number | null
  options: SignalOptions
}

/** What a request of `$.Http` gets: one with this method, this address with its query, and this body. */
export type GivenAnswer = { method: string; url: string; body?: string | null; status: number; text: string }

/** As requests name their method and address. */
export function readAnswers(answers: readonly GivenAnswer[]): GivenAnswer[] {
  return answers.map((answer) => ({
    ...answer,
    method: answer.method.toUpperCase(),
    url: URL.parse(answer.url)?.href ?? answer.url,
  }))
}

/** Sends a request of code out of the service, which checks it as one of a live run. */
export type Send = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>

export type HostOptions = {
  data: MarketData
  view: View
  env: Record<string, string>
  lastTrigger: LastTrigger
  rate: ActionRate
  /** The number of the signal that the run may send. */
  signalId: number
  answers: readonly GivenAnswer[]
  /** Sends a GET that has no answer. Default: nothing is sent. */
  send?: Send
  positions(): Promise<BotPosition[]>
}

const sign = createSigner()

/** What `$` leads to in a run of a backtest. It records what the run asks for. */
export class BacktestHost implements RunHost {
  signal: Decided | null = null
  stopped = false
  asksPositions = false
  /** Whether a request got no answer. */
  isWithheld = false
  readonly checkOptions = checkOptions
  readonly sign = sign
  readonly #options: HostOptions

  constructor(options: HostOptions) {
    this.#options = options
  }

  async action(action: ActionName, given: ActionOptions): Promise<ActionResult> {
    const { data, view, lastTrigger, rate, signalId } = this.#options
    refuseExitAfterExit(action, lastTrigger.action)
    const options = signalOptions(given)
    const { atMs, price } = view
    if (!rate.wouldAccept(atMs)) throw violations.action_rate()
    this.signal = { index: view.candle, atMs, action, price, options }
    return { id: signalId, action, symbols: [data.symbol], price, at: atMs, delivered: false }
  }

  async positions(): Promise<BotPosition[]> {
    this.asksPositions = true
    return await this.#options.positions()
  }

  async stop(): Promise<boolean> {
    this.stopped = true
    return true
  }

  async http(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const { send } = this.#options
    const url = readUrl(request)?.href ?? request.url
    const answer = this.#options.answers.find(
      (each) =>
        each.method === request.method && each.url === url && (each.body ?? null) === (request.body ?? null),
    )
    if (answer !== undefined) return { status: answer.status, text: answer.text, cache: false }
    if (send !== undefined && request.method === 'GET') return await send(request, signal)
    this.isWithheld = true
    const sent = send === undefined ? 'a backtest sends no requests' : 'this backtest sends GET requests only'
    const text = `Not sent: ${sent}, and has no answer for ${request.method} ${url}.`
    return { status: 403, text: text.slice(0, 2_000), cache: false }
  }

  async rate(_exchange: ExchangeName, symbol: string): Promise<number | null> {
    const { data, view } = this.#options
    return data.isSymbol(symbol) ? view.price : null
  }

  async candles(request: CandleRequest) {
    const { data, view } = this.#options
    return packCandles(data.candlesAt(view.ended, request))
  }
}
