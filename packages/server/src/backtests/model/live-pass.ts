/** Decides as the model of a reaction, delivery by delivery: as it has decided live if all was the same, or else by asking it. */
import type { LastTrigger } from '@tickwright/sandbox'
import type { RunBudget, Spend } from '../../ai/budget.ts'
import { ProviderFailure } from '../../ai/provider-failure.ts'
import type { ModelAccess, Providers } from '../../ai/providers.ts'
import { parseTemplate, type Template } from '../../ai/template.ts'
import { limitsFor, type ThinkOutcome, think } from '../../ai/think.ts'
import { storageDigest } from '../../runs/transcript-basis.ts'
import type { DecideOptions, Decisions, RunMoment } from '../decide.ts'
import type { PastDeliveries } from '../delivery-runs.ts'
import { BacktestHost, readAnswers } from '../host.ts'
import { drawerOf, modelHost } from './live-host.ts'
import type {
  AskModel,
  EventRecord,
  LiveModel,
  ModelArrival,
  ModelCounts,
  RecordedDecision,
} from './live-model.ts'
import { type DecisionContext, findDecision, unaskedReasons } from './missing.ts'
import { decidedOf, ModelPass, underRules } from './model-pass.ts'

/** `code` is the prompt. The runs are those on `deliveries`. */
export type LiveOptions = Omit<DecideOptions, 'sandbox' | 'seriesId' | 'seed' | 'eventsAtOnce'> & {
  model: LiveModel
  /** The digest of what the model is asked. */
  question: string
  recordOf(run: number): EventRecord
  deliveries: Pick<PastDeliveries, 'requestOf'>
  ask: AskModel
}

/** The service may wait for a provider, and ask it again. */
const runTimeoutMs = 15 * 60_000
/** After so many events without an answer, the provider is left alone. */
const mostUnanswered = 10
/** With these, the provider had no answer. */
const noAnswer: ReadonlySet<string> = new Set([
  ...['timeout', 'unreachable', 'rate_limited', 'provider_error', 'rejected'],
])
/** The most characters of the words of the model that the report shows. */
const wordsLimit = 1_000
const nobody: ModelArrival = { pending: [], actions: { day: '', count: 0 }, unanswered: 0, over: null }
const nothing: ModelCounts = { recorded: 0, asked: 0, missing: {}, tokens: 0 }

/**
 * Rejects with the reason of `stop`, or if the service cannot be asked.
 * @throws {Error} if the prompt cannot be read
 */
export async function decideLive(options: LiveOptions): Promise<Decisions> {
  const pass = new LivePass(options)
  const { first, end, from, stop, arrived } = options
  for (let run = from?.next ?? first; run < end; run += 1) {
    stop?.throwIfAborted()
    await pass.decide(run)
    const next = run + 1
    options.decided(next, pass.release(next))
    arrived?.(pass.arrivalAt(next))
  }
  stop?.throwIfAborted()
  return pass.result()
}

class LivePass {
  #options: LiveOptions
  #template: Template
  #pass: ModelPass
  #storage: string | null
  #counts: ModelCounts
  #state: ModelArrival
  /** How many of the signals have been passed on. */
  #released: number
  /** Why the service could not be asked. */
  #broken: unknown

  constructor(options: LiveOptions) {
    const { code, from, lastTrigger, storage, answers } = options
    const { template } = parseTemplate(code)
    if (template === undefined) throw new Error('The prompt cannot be read.')
    this.#options = { ...options, answers: readAnswers(answers) }
    this.#template = template
    this.#pass = new ModelPass(lastTrigger, from)
    this.#storage = from === undefined ? storage : from.decisions.storage
    this.#counts = structuredClone(from?.decisions.model ?? nothing)
    this.#state = structuredClone(from?.model ?? nobody)
    this.#released = from?.decisions.signals.length ?? 0
  }

  async decide(run: number): Promise<void> {
    const { runs, data, question, recordOf } = this.#options
    const moment = { run, atMs: runs.atMs(run) }
    if (!this.#pass.begins(moment.atMs)) return
    const record = recordOf(run)
    const storage = storageDigest(this.#storage)
    const standingAt = (startedMs: number): DecisionContext => {
      const { action: lastAction, at: lastActionAt } = this.#pass.lastTriggerAt(startedMs)
      return { question, storage, lastAction, lastActionAt }
    }
    // What a model has stored live is known only by its digest, so the decisions after it could not go on.
    const usable = record.runs.filter(({ basis }) => basis?.kept === basis?.storage)
    const decision = findDecision(usable, standingAt, data)
    if ('run' in decision) return await this.#repeat(moment, decision.run)
    if (this.#state.over === null) await this.#ask(moment, record.deliveryId)
    else this.#leaveOut(moment)
  }

  /** Those signals that have not been passed on and that no later run can precede. */
  release(next: number) {
    const { runs, end } = this.#options
    const { signals } = this.#pass.done
    const untilMs = next < end ? runs.atMs(next) : Number.POSITIVE_INFINITY
    const first = this.#released
    while (this.#released < signals.length && signals[this.#released]!.atMs <= untilMs) this.#released += 1
    return signals.slice(first, this.#released)
  }

  arrivalAt(next: number) {
    const { signals } = this.#pass.done
    const pending = signals.slice(this.#released)
    const decisions = this.result()
    return {
      ...{ next, ...this.#pass.place, model: { ...this.#state, pending } },
      decisions:
        pending.length === 0 ? decisions : { ...decisions, signals: signals.slice(0, this.#released) },
    }
  }

  result(): Decisions {
    const model = { ...this.#counts, missing: { ...this.#counts.missing } }
    return { ...this.#pass.end(this.#storage), model }
  }

  async #repeat(moment: RunMoment, { signal, violation }: RecordedDecision): Promise<void> {
    this.#counts.recorded += 1
    underRules(this.#pass, moment, () => {
      if (signal === null) return
      this.#pass.act(decidedOf(signal, this.#options.data))
      this.#countAction(moment.atMs)
    })
    if (violation !== null) this.#pass.violate(moment, violation)
  }

  async #ask(moment: RunMoment, deliveryId: number): Promise<void> {
    const pass = this.#pass
    const { runs, positions, data, env, send, answers } = this.#options
    const view = runs.viewOf(moment.run)
    const lastTrigger = pass.lastTriggerAt(moment.atMs)
    const host = new BacktestHost({
      ...{ data, view, env, lastTrigger, rate: pass.rate, answers, positions: () => positions(moment.run) },
      ...(send && { send }),
      signalId: pass.done.signals.length + 1,
    })
    const outcome = await this.#think(moment, { deliveryId, host, lastTrigger, view })
    this.#options.stop?.throwIfAborted()
    if (this.#broken !== undefined) throw this.#broken
    pass.note(host)
    const { storage, answer, violation, failure } = outcome
    if (storage !== undefined) this.#storage = storage
    if (answer !== null) pass.log(moment, answer.slice(0, wordsLimit).toWellFormed())
    const { signal } = host
    if (signal !== null) underRules(pass, moment, () => pass.act(signal))
    if (violation !== null) pass.violate(moment, violation)
    if (this.#state.over !== null) return this.#leaveOut(moment)
    if (failure === null) this.#counts.asked += 1
    else this.#miss(moment, failure.kind, failure.message)
    const isSilent = failure !== null && noAnswer.has(failure.kind)
    this.#state.unanswered = isSilent ? this.#state.unanswered + 1 : 0
    if (this.#state.unanswered >= mostUnanswered) this.#state.over = 'unavailable'
  }

  async #think(
    { run, atMs }: RunMoment,
    {
      deliveryId,
      host,
      lastTrigger,
      view,
    }: {
      deliveryId: number
      host: BacktestHost
      lastTrigger: LastTrigger
      view: ReturnType<DecideOptions['runs']['viewOf']>
    },
  ): Promise<ThinkOutcome> {
    const { model, data, deliveries, env, stop } = this.#options
    const { connection, fallback, policy, chart } = model
    const providers: Pick<Providers, 'ask'> = {
      ask: async (access: ModelAccess, question, signal) => {
        const isFallback = access === fallback
        const reply = await this.#options.ask({ deliveryId, isFallback, question }, signal).catch((error) => {
          if (!signal.aborted) this.#broken = error
          throw error
        })
        this.#counts.tokens = reply.tokens
        if ('refused' in reply) {
          this.#state.over = reply.refused
          throw new Error(unaskedReasons[reply.refused])
        }
        if ('answer' in reply) return reply.answer
        const { kind, message, mayHaveCost, status } = reply.failure
        throw new ProviderFailure(kind, message, { mayHaveCost, status })
      },
    }
    return await think(
      providers,
      {
        ...{ connection, fallback, policy, template: this.#template },
        values: { ...deliveries.requestOf(run), lastTrigger, storage: this.#storage, now: new Date(atMs) },
        drawChart: drawerOf(data, view, chart),
        host: modelHost(host, { data, view, done: this.#pass.done }),
        budget: this.#actionsOf(atMs),
        secrets: Object.values(env),
        ...(stop && { signal: stop }),
      },
      { ...limitsFor(policy), timeoutMs: runTimeoutMs },
    )
  }

  #leaveOut(moment: RunMoment): void {
    const { over } = this.#state
    this.#miss(moment, over!, unaskedReasons[over!])
  }

  #miss(moment: RunMoment, reason: string, message: string): void {
    const { missing } = this.#counts
    missing[reason] = (missing[reason] ?? 0) + 1
    this.#pass.fail(moment, { name: reason, message })
  }

  /** The service reserves tokens when it is asked. Actions count on the day of the backtest. */
  #actionsOf(atMs: number): Pick<RunBudget, 'reserve'> {
    return {
      reserve: async ({ actions }: Spend) => {
        if (actions === 0) return async () => undefined
        if (this.#countAction(atMs) > this.#options.model.actionsPerDay) {
          this.#state.actions.count -= actions
          return null
        }
        return async (used) => {
          this.#state.actions.count -= actions - used.actions
        }
      },
    }
  }

  /** @returns how many the day has with it */
  #countAction(atMs: number): number {
    const day = new Date(atMs).toISOString().slice(0, 10)
    if (this.#state.actions.day !== day) this.#state.actions = { day, count: 0 }
    this.#state.actions.count += 1
    return this.#state.actions.count
  }
}
