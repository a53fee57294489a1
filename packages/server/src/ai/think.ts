import type { Violation } from '@tickwright/sandbox'
import { roundMs } from '../base/durations.ts'
import { abortable } from '../outgoing/abortable.ts'
import type { Answer, Message, Tokens, ToolCall } from './answer.ts'
import type { RunBudget } from './budget.ts'
import { type AcceptedAction, type CallResult, Gate, type ThinkHost } from './gate.ts'
import { type PromptValues, writePrompt } from './prompt.ts'
import {
  describeChart,
  mayRefusePictures,
  mostTokensOf,
  type PromptChart,
  pictureOf,
  viewOf,
  withChart,
} from './prompt-chart.ts'
import { type FailureKind, mayFallBack, ProviderFailure } from './provider-failure.ts'
import type { ModelAccess, Providers } from './providers.ts'
import { type Redact, redactor, redactStart } from './redaction.ts'
import { findService } from './services.ts'
import type { Template } from './template.ts'
import { describeTools, type Policy } from './tools.ts'
import { Transcript, type TranscriptEntry } from './transcript.ts'
import { newBoundary } from './untrusted.ts'

export type ThinkInput = {
  connection: ModelAccess
  /** Asked once if the connection cannot answer, but never after the run has had an effect. */
  fallback: ModelAccess | null
  template: Template
  values: PromptValues
  /** Draws the chart that the model sees; `null`: it sees none. */
  drawChart: (() => Promise<PromptChart>) | null
  host: ThinkHost
  policy: Policy
  budget: Pick<RunBudget, 'reserve'>
  /** Further secrets, besides the keys, that must not be in the transcript. */
  secrets: readonly string[]
  /** Cancels the run. */
  signal?: AbortSignal
}

/** `timeoutMs` limits the whole run, `callTimeoutMs` one answer of the model, `steps` the number of answers. */
export type ThinkLimits = {
  steps: number
  timeoutMs: number
  callTimeoutMs: number
  maxOutputTokens: number
}

export const thinkLimits: ThinkLimits = {
  steps: 8,
  timeoutMs: 60_000,
  callTimeoutMs: 30_000,
  maxOutputTokens: 2_048,
}

/** `not_allowed`: the last call was refused. `internal`: the service could not carry it out. */
export type ThinkFailureKind =
  | FailureKind
  | 'budget'
  | 'too_many_steps'
  | 'not_allowed'
  | 'cancelled'
  | 'internal'

export type ThinkFailure = {
  kind: ThinkFailureKind
  /** A sentence for the owner, without secrets. */
  message: string
  retryAfterSeconds?: number
}

/** How a run ended. An action that was accepted before a failure or violation stands, as with code. */
export type ThinkOutcome = {
  /** `no_action`: the model answered and chose to do nothing. */
  status: 'completed' | 'no_action' | 'failed' | 'violation'
  action: AcceptedAction | null
  /** How many changes of strategies it has made or asked for. */
  changes: number
  /** The last value that the model stored, as JSON text; `undefined` if it stored none. */
  storage: string | undefined
  violation: Violation | null
  failure: ThinkFailure | null
  /** As the provider reports them; if it does not, the highest possible number. */
  tokens: Tokens
  durationMs: number
  /** The last text of the model, without secrets, of at most `answerLimit` characters; `null` if it wrote none. */
  answer: string | null
  transcript: readonly TranscriptEntry[]
  /** The chart in the transcript, a PNG; `null` without one. */
  picture: Buffer | null
}

/** A mail has room for as much. The transcript shortens texts more. */
export const answerLimit = 16_000

/** An answer with more calls is malformed. */
const callsPerAnswer = 16
/** The model sees at most this many characters of the JSON of a reply. */
const replyLimit = 64 * 1024

/** A model that may write the code of a strategy needs longer for an answer. */
export const writingLimits: ThinkLimits = {
  steps: 8,
  timeoutMs: 180_000,
  callTimeoutMs: 90_000,
  maxOutputTokens: 8_192,
}

export function limitsFor({ tools, mayChange }: Policy): ThinkLimits {
  return mayChange.length > 0 && tools.includes('set_strategy') ? writingLimits : thinkLimits
}

/** Executes one run of an AI strategy: asks the model and carries out its calls through the gate. Never rejects. */
export async function think(
  providers: Pick<Providers, 'ask'>,
  input: ThinkInput,
  limits: ThinkLimits = limitsFor(input.policy),
): Promise<ThinkOutcome> {
  const run = new Thinking(providers, input, limits)
  try {
    await run.converse()
  } catch (error) {
    run.fail(error)
  }
  return run.end()
}

class Thinking {
  #providers: Pick<Providers, 'ask'>
  #input: ThinkInput
  #limits: ThinkLimits
  #signal: AbortSignal
  #over = new AbortController()
  #timer: NodeJS.Timeout
  /** A secret part of the name of each untrusted block. */
  #boundary = newBoundary()
  #gate: Gate
  #transcript: Transcript
  #redact: Redact
  #startedMs = performance.now()
  #tokens: Tokens = { input: 0, output: 0 }
  #failure: ThinkFailure | null = null
  #said = ''
  #chart: PromptChart | null = null

  constructor(providers: Pick<Providers, 'ask'>, input: ThinkInput, limits: ThinkLimits) {
    this.#providers = providers
    this.#input = input
    this.#limits = limits
    const { host, policy, budget, values, connection, fallback } = input
    const late = new ProviderFailure('timeout', `The run took longer than ${limits.timeoutMs} ms.`)
    this.#timer = setTimeout(() => this.#over.abort(late), limits.timeoutMs)
    this.#signal = AbortSignal.any([this.#over.signal, ...(input.signal === undefined ? [] : [input.signal])])
    const { storage } = values
    this.#gate = new Gate({
      ...{ host, policy, budget, storage, boundary: this.#boundary, signal: this.#signal },
    })
    const keys = [connection, fallback].flatMap((access) => access?.apiKey ?? [])
    this.#redact = redactor([...keys, ...input.secrets])
    this.#transcript = new Transcript(this.#redact, this.#startedMs)
  }

  async converse(): Promise<void> {
    const { template, values, host, connection, fallback, drawChart } = this.#input
    const signal = this.#signal
    const drawn = drawChart === null ? null : abortable(drawChart(), signal)
    const written = writePrompt(template, values, { host, boundary: this.#boundary, signal })
    const [prompt, chart] = await Promise.all([written, drawn])
    this.#chart = chart
    for (const { role, content } of prompt) {
      const text = typeof content === 'string' ? content : content.map((part) => textIn(part)).join('')
      this.#transcript.add({ type: 'prompt', role: role === 'system' ? role : 'user', text })
    }
    if (chart !== null) this.#transcript.add(describeChart(chart))
    try {
      await this.#converseWith(connection, prompt)
    } catch (error) {
      const another = fallback !== null && !signal.aborted && !this.#gate.hadEffect
      if (!another || !(error instanceof ProviderFailure) || !mayFallBack(error.kind)) throw error
      this.#note(error)
      // From the beginning, because a provider may not accept the messages of another.
      await this.#converseWith(fallback, prompt)
    }
  }

  /** Records why the run failed. */
  fail(error: unknown): void {
    if (this.#gate.violation !== null) return
    if (error instanceof ProviderFailure) this.#failure = this.#note(error)
    else if (error instanceof Ended) this.#end(error.kind, error.message)
    else if (this.#input.signal?.aborted === true) this.#end('cancelled', 'The run was cancelled.')
    else this.#end('internal', 'The service failed.')
  }

  end(): ThinkOutcome {
    clearTimeout(this.#timer)
    const { action, violation, storage, changes } = this.#gate
    const done = action === null && changes === 0 ? 'no_action' : 'completed'
    return {
      status: violation !== null ? 'violation' : this.#failure !== null ? 'failed' : done,
      ...{ action, changes, storage, violation, failure: this.#failure, tokens: this.#tokens },
      durationMs: roundMs(performance.now() - this.#startedMs),
      answer: this.#said === '' ? null : this.#firstOf(this.#said),
      transcript: this.#transcript.entries,
      picture: pictureOf(this.#chart),
    }
  }

  async #converseWith(access: ModelAccess, prompt: readonly Message[]): Promise<void> {
    const service = findService(access.serviceId)?.name ?? 'unknown'
    const fallback = access === this.#input.fallback
    this.#transcript.add({ type: 'asked', service, model: access.model, fallback })
    let last: CallResult | undefined
    let { messages, answer } = await this.#begin(access, prompt)
    for (let step = 1; answer.calls.length > 0; step += 1) {
      const results: [ToolCall, CallResult][] = []
      for (const call of answer.calls) {
        last = await this.#call(call)
        results.push([call, last])
        if (last.status === 'violation') return
      }
      if (step >= this.#limits.steps) {
        throw new Ended('too_many_steps', `The model did not finish within ${this.#limits.steps} answers.`)
      }
      messages = [...messages, answer.message, toolMessage(answer.message, results)]
      answer = await this.#ask(access, messages)
    }
    this.#conclude(last)
  }

  /** Asks the first question; and if the provider may have refused a picture in it, once more with rows instead. */
  async #begin(
    access: ModelAccess,
    prompt: readonly Message[],
  ): Promise<{ messages: Message[]; answer: Answer }> {
    const view = viewOf(this.#chart)
    const messages = withChart(prompt, this.#chart, { view, boundary: this.#boundary })
    try {
      return { messages, answer: await this.#ask(access, messages) }
    } catch (error) {
      if (view === 'rows' || !mayRefusePictures(error)) throw error
      this.#note(error)
    }
    this.#transcript.add({
      type: 'chart',
      text: 'The model may not take pictures: it gets rows.',
      picture: false,
    })
    const rows = withChart(prompt, this.#chart, { view: 'rows', boundary: this.#boundary })
    return { messages: rows, answer: await this.#ask(access, rows) }
  }

  /** The model has finished. If its last call was unsuccessful, so is the run. */
  #conclude(last: CallResult | undefined): void {
    if (this.#gate.overBudget && this.#gate.action === null) {
      throw new Ended('budget', 'No actions are left for today (UTC).')
    }
    const message = (last?.reply as { error?: string } | undefined)?.error ?? ''
    if (last?.status === 'malformed') throw new Ended('malformed', message)
    if (last?.status === 'failed') throw new Ended('internal', message)
    if (last?.status === 'refused') {
      throw new Ended(this.#gate.overCalls ? 'too_many_steps' : 'not_allowed', message)
    }
  }

  async #call(call: ToolCall): Promise<CallResult> {
    this.#signal.throwIfAborted()
    this.#transcript.add({ type: 'call', tool: call.name, input: call.input })
    const result = await this.#gate.call(call)
    const text = textOf(result)
    this.#transcript.add({ type: 'result', tool: call.name, status: result.status, text })
    return result
  }

  /** One answer of the model. Reserves the most that it can cost before asking. */
  async #ask(access: ModelAccess, prompt: Message[]): Promise<Answer> {
    this.#signal.throwIfAborted()
    const { maxOutputTokens, callTimeoutMs: timeoutMs } = this.#limits
    const tools = describeTools(this.#input.policy)
    const worst = { input: mostTokensOf(prompt, tools), output: maxOutputTokens }
    const most = worst.input + worst.output
    const settle = await this.#input.budget.reserve({ tokens: most, actions: 0 }, this.#signal)
    if (settle === null) throw new Ended('budget', overBudget(most))
    let used = worst
    try {
      const question = { prompt, tools, maxOutputTokens, timeoutMs }
      const answer = await this.#providers.ask(access, question, this.#signal)
      used = answer.tokens ?? worst
      this.#record(answer)
      return usable(answer, this.#limits)
    } catch (error) {
      if (error instanceof ProviderFailure && !error.mayHaveCost) used = { input: 0, output: 0 }
      throw error
    } finally {
      this.#tokens.input += used.input
      this.#tokens.output += used.output
      await settle({ tokens: used.input + used.output, actions: 0 })
    }
  }

  #record({ text, finish, tokens }: Answer): void {
    this.#transcript.add({ type: 'answer', text, finish, tokens })
    if (text !== '') this.#said = text
  }

  #firstOf(text: string): string {
    return redactStart(text, answerLimit, this.#redact).text.slice(0, answerLimit).toWellFormed()
  }

  #note({ kind, message, retryAfterSeconds }: ProviderFailure): ThinkFailure {
    const text = this.#redact(message)
    this.#transcript.add({ type: 'failure', kind, text })
    return { kind, message: text, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
  }

  #end(kind: ThinkFailureKind, message: string): void {
    this.#failure = { kind, message: this.#redact(message) }
    this.#transcript.add({ type: 'failure', kind, text: message })
  }
}

/** A run ended for a reason that is not the provider's. */
class Ended extends Error {
  kind: ThinkFailureKind

  constructor(kind: ThinkFailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}

function overBudget(tokens: number): string {
  return `The next answer may need up to ${tokens.toLocaleString('en')} tokens, but fewer are left for today (UTC).`
}

/** @throws {ProviderFailure} if the answer is unusable; then none of its calls is carried out */
function usable(answer: Answer, { maxOutputTokens }: ThinkLimits): Answer {
  switch (answer.finish) {
    case 'content-filter':
      throw new ProviderFailure('refused', `The model refused to answer. ${answer.text}`.trim().slice(0, 500))
    case 'length':
      throw new ProviderFailure('malformed', `The answer was cut off at ${maxOutputTokens} tokens.`)
    case 'interrupted':
      throw new ProviderFailure('malformed', 'The answer is incomplete.')
    case 'error':
      throw new ProviderFailure('provider_error', 'The provider interrupted its answer.')
  }
  if (answer.calls.length === 0 && answer.text === '' && answer.tokens === null) {
    throw new ProviderFailure('malformed', 'The answer is empty.')
  }
  if (answer.calls.length <= callsPerAnswer) return answer
  throw new ProviderFailure(
    'malformed',
    `The answer has ${answer.calls.length} calls; at most ${callsPerAnswer} are allowed.`,
  )
}

function toolMessage(said: Message, results: readonly [ToolCall, CallResult][]): Message {
  // Providers compare these names with those in the preceding message.
  const parts = said.role === 'assistant' ? said.content.filter((part) => part.type === 'tool-call') : []
  const content = results.map(([{ id, name }, result], index) => ({
    type: 'tool-result' as const,
    toolCallId: id,
    toolName: parts[index]?.toolName ?? name,
    output: {
      type: result.status === 'accepted' ? ('text' as const) : ('error-text' as const),
      value: textOf(result).slice(0, replyLimit),
    },
  }))
  return { role: 'tool', content }
}

/** A reply that is a text already, such as a marked one, needs no quotes around it. */
function textOf({ reply }: CallResult): string {
  return typeof reply === 'string' ? reply : JSON.stringify(reply)
}

function textIn(part: { type: string; text?: unknown }): string {
  return typeof part.text === 'string' ? part.text : ''
}
