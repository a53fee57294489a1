/** Asks the model of a backtest for its process, which has neither the key nor the network, within two budgets. */
import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type BudgetStore, RunBudget } from '../../ai/budget.ts'
import { mostTokensOf } from '../../ai/prompt-chart.ts'
import { mayFallBack, ProviderFailure } from '../../ai/provider-failure.ts'
import type { ModelAccess, Providers, Question } from '../../ai/providers.ts'
import type { LiveModel, ModelQuestion, ModelReply } from '../model/live-model.ts'
import type { UnaskedReason } from '../model/missing.ts'
import type { Asking, ModelAnswers } from './model-answers.ts'
import { NoLongerHeld } from './store.ts'

/** A provider that is busy is asked so often. A backtest is in no hurry. */
const mostTries = 3
const firstWaitMs = 1_000
/** A provider that wants a longer wait is not asked again. */
const longestWaitMs = 30_000

export type DeskParts = {
  providers: Pick<Providers, 'ask'>
  /** Of the days of strategies, shared by all nodes. */
  budgets: BudgetStore
  answers: ModelAnswers
  asking: Asking
  /** The access of the model and of its fallback, with their keys. */
  access: { connection: ModelAccess; fallback: ModelAccess | null }
  /** The tokens of the backtest. */
  budget: number
}

type Settle = (used: number) => Promise<void>

export class ModelDesk {
  #parts: DeskParts

  constructor(parts: DeskParts) {
    this.#parts = parts
  }

  /**
   * What the model answers, or has answered before in a backtest of the account: then it is not asked.
   * @throws {NoLongerHeld}, or the reason of `signal`
   */
  async ask({ deliveryId, isFallback, question }: ModelQuestion, signal: AbortSignal): Promise<ModelReply> {
    const { answers, access } = this.#parts
    const asked = isFallback ? access.fallback! : access.connection
    const key = keyOf(deliveryId, asked, question)
    const known = await answers.find(key)
    const reply = known === undefined ? await this.#askAnew(asked, question, key, signal) : { answer: known }
    return { ...reply, tokens: await answers.tokens() }
  }

  async #askAnew(access: ModelAccess, question: Question, key: Buffer, signal: AbortSignal) {
    for (let tries = 1; ; tries += 1) {
      signal.throwIfAborted()
      const failure = await this.#try(access, question, key, signal)
      if (!(failure instanceof ProviderFailure)) return failure
      const { kind, message, mayHaveCost, status } = failure
      const waitMs = waitFor(failure, tries)
      if (waitMs === null) return { failure: { kind, message, mayHaveCost, status } }
      await setTimeout(waitMs, undefined, { signal })
    }
  }

  async #try(access: ModelAccess, question: Question, key: Buffer, signal: AbortSignal) {
    const { providers, answers } = this.#parts
    const most = mostTokensOf(question.prompt, question.tools) + question.maxOutputTokens
    const settleDay = await this.#reserve(most)
    if (typeof settleDay === 'string') return { refused: settleDay }
    try {
      const answer = await providers.ask(access, question, signal)
      const used = answer.tokens === null ? most : answer.tokens.input + answer.tokens.output
      await answers.keep(key, answer, { reserved: most, used })
      await settleDay(used)
      return { answer }
    } catch (error) {
      // If the question was cancelled, nobody knows what it cost: what was reserved stays spent.
      if (!(error instanceof ProviderFailure)) throw error
      const used = error.mayHaveCost ? most : 0
      await answers.settle({ reserved: most, used })
      await settleDay(used)
      return error
    }
  }

  /** Of the budget of the backtest, and of that of the reaction for the day. */
  async #reserve(most: number): Promise<Settle | UnaskedReason> {
    const { answers, budgets, asking, budget } = this.#parts
    const tokens = await answers.tokensPerDay()
    if (tokens === undefined) return 'deleted'
    const isReserved = await answers.reserve(most, budget)
    if (isReserved === undefined) throw new NoLongerHeld()
    if (!isReserved) return 'over_budget'
    const limits = { tokens, actions: 0 }
    const day = new RunBudget(budgets, { strategyId: asking.strategyId, limits, now: new Date() })
    try {
      const settle = await day.reserve({ tokens: most, actions: 0 })
      if (settle !== null) return (used) => settle({ tokens: used, actions: 0 })
    } catch (error) {
      // A reaction that was deleted just now has no days.
      if ((await answers.tokensPerDay()) !== undefined) throw error
      await answers.settle({ reserved: most, used: 0 })
      return 'deleted'
    }
    await answers.settle({ reserved: most, used: 0 })
    return 'over_day'
  }
}

/** How long to wait before the next try, in ms; `null`: there is none. */
function waitFor({ kind, retryAfterSeconds }: ProviderFailure, tries: number): number | null {
  if (!mayFallBack(kind) || tries >= mostTries) return null
  const waitMs = retryAfterSeconds === undefined ? firstWaitMs * 2 ** (tries - 1) : 1_000 * retryAfterSeconds
  return waitMs > longestWaitMs ? null : waitMs
}

/** The names of untrusted blocks differ each time, and mean nothing. */
const blockName = /untrusted-[0-9a-f]{24}/g

function keyOf(deliveryId: number, access: LiveModel['connection'], question: Question): Buffer {
  const { serviceId, baseUrl, model } = access
  const { prompt, tools, maxOutputTokens } = question
  const text = JSON.stringify([deliveryId, serviceId, baseUrl, model, maxOutputTokens, prompt, tools])
  return createHash('sha256').update(text.replaceAll(blockName, 'untrusted')).digest()
}
