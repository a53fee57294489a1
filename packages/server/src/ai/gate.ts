import {
  type ActionName,
  type ActionOptions,
  type ActionResult,
  type BotPosition,
  type RunHost,
  RunViolation,
  type Violation,
  violations,
} from '@tickwright/sandbox'
import { given } from '../base/given.ts'
import { readIndicator } from '../market/indicators/indicator.ts'
import { abortable } from '../outgoing/abortable.ts'
import type { ToolCall } from './answer.ts'
import type { RunBudget } from './budget.ts'
import type { ModelLogs } from './log-tools.ts'
import { type ModelMarket, readCandles, readIndicatorValues, readPrice } from './market-tools.ts'
import { pageBlock } from './page-block.ts'
import { type PromptHost, shownLimits } from './prompt.ts'
import { modelStorageByteLimit, StoredValue } from './stored-value.ts'
import type { ModelStrategies, WantedChange } from './strategy-tools.ts'
import { type CheckedCall, type Policy, readCall, usualCandles, usualLogs } from './tools.ts'
import { untrustedBlock } from './untrusted.ts'

/** An action that the service sends only if the owner approves it. */
export type AwaitedAction = { action: ActionName; symbols: string[]; awaitsApproval: true }

/** The result of an action: a signal, or a request for approval. */
export type AcceptedAction = ActionResult | AwaitedAction

/** The functions behind a prompt and a model's tools. Actions follow the same rules as those of code. */
export type ThinkHost = PromptHost & {
  action(...asked: Parameters<RunHost['action']>): Promise<AcceptedAction>
  positions: RunHost['positions']
  market: ModelMarket
  logs: ModelLogs
  strategies: ModelStrategies
}

/**
 * The result of a call. `malformed`: it fits no tool. `refused`: it fits, but is not allowed. `failed`: the service
 * tried and could not do it. `violation`: it broke a rule, which ends the run.
 */
export type CallResult = {
  status: 'accepted' | 'malformed' | 'refused' | 'failed' | 'violation'
  /** The reply to the model, a JSON value. */
  reply: unknown
}

type MarketCall = Extract<CheckedCall, { tool: 'get_price' | 'get_candles' | 'get_indicator' }>

type GateParts = {
  host: ThinkHost
  policy: Policy
  budget: Pick<RunBudget, 'reserve'>
  /** The stored value at the start, as JSON text. */
  storage: string | null
  /** The secret part of the name of each untrusted block. */
  boundary: string
  signal: AbortSignal
}

/** Fewer than the host calls of code: a model that calls without end would keep the service busy. */
const callsPerRun = 40
/** Together with the pages of a prompt, fewer than the requests of code. */
const fetchesPerRun = 10
const changesPerRun = 4
/** Each costs the owner tokens. */
const mostPositions = 20
/** The most characters of a reason that an exchange may have had a part in. */
const reasonLimit = 500
const oneAction = { tokens: 0, actions: 1 }

/**
 * Checks each tool call of a model and carries it out. Whatever a payload has talked the model into, it can do no more
 * than code: one action per run, within the owner's policy, the budget and the host's rules.
 */
export class Gate {
  #parts: GateParts
  #calls = 0
  #asked = false
  /** The accepted action. It stands, whatever comes after it. */
  action: AcceptedAction | null = null
  violation: Violation | null = null
  /** Whether the budget of the day had no room for an action. */
  overBudget = false
  #fetches = 0
  /** How many changes of strategies it has made or asked for. */
  changes = 0
  #stored: StoredValue
  #hasStored = false

  constructor(parts: GateParts) {
    this.#parts = parts
    this.#stored = new StoredValue(parts.storage)
  }

  /** The value that the model has stored last, as JSON text; `undefined` if it stored none. */
  get storage(): string | undefined {
    return this.#stored.changed
  }

  /** Whether the run made more calls than it may. */
  get overCalls(): boolean {
    return this.#calls > callsPerRun
  }

  /** Whether the run has had an effect that another model, asked from the start, would repeat. */
  get hadEffect(): boolean {
    return this.#asked || this.#hasStored || this.changes > 0
  }

  /** Checks a call and carries it out. The caller makes one call at a time. */
  async call(call: ToolCall): Promise<CallResult> {
    if (this.violation !== null)
      return { status: 'refused', reply: errorOf('This run has broken a rule. It accepts no more calls.') }
    this.#calls += 1
    if (this.overCalls) {
      return {
        status: 'refused',
        reply: errorOf(`This is call ${this.#calls} of the run; at most ${callsPerRun} are allowed.`),
      }
    }
    const read = readCall(call, this.#parts.policy)
    if ('problem' in read) return { status: 'malformed', reply: errorOf(read.problem) }
    try {
      return await this.#carryOut(read)
    } catch (error) {
      return this.#failed(error)
    }
  }

  #carryOut(call: CheckedCall): CallResult | Promise<CallResult> {
    switch (call.tool) {
      case 'open_position':
        return this.#act(call.direction, call)
      case 'close_position':
        return this.#act('EXIT', call)
      case 'get_positions':
        return this.#positions()
      case 'get_price':
      case 'get_candles':
      case 'get_indicator':
        return this.#readMarket(call)
      case 'web_fetch':
        return this.#fetch(call.url)
      case 'get_strategy':
        return this.#readStrategy(call.id)
      case 'set_strategy':
        return this.#change(call.id, { kind: 'code', code: call.code })
      case 'set_strategy_status':
        return this.#change(call.id, { kind: 'status', status: call.status })
      case 'get_signal_logs':
      case 'get_error_logs':
        return this.#readLogs(call)
      case 'get_storage':
        return accepted(this.#mark('storage', this.#stored.read(call), shownLimits.storage))
      case 'set_storage':
        return this.#store(call.value)
      case 'append_storage':
        return this.#append(call)
      default:
        return call satisfies never
    }
  }

  async #act(
    action: ActionName,
    { size, protection, entry }: Pick<ActionOptions, 'size' | 'protection' | 'entry'>,
  ): Promise<CallResult> {
    if (this.#asked) throw violations.actions_per_run()
    // Before the first await, so that no second call can pass the check above.
    this.#asked = true
    const settle = await this.#parts.budget.reserve(oneAction, this.#parts.signal)
    if (settle === null) {
      // The service sent nothing, so this does not count as the one action.
      this.#asked = false
      this.overBudget = true
      return { status: 'refused', reply: errorOf('No actions are left for today (UTC).') }
    }
    const options: ActionOptions = given({ size, protection, entry })
    try {
      this.action = await this.#parts.host.action(action, options, this.storage)
    } catch (error) {
      // A violation has sent nothing. After any other failure the action may have been sent, so it counts.
      if (error instanceof RunViolation) await settle({ tokens: 0, actions: 0 })
      throw error
    }
    await settle(oneAction)
    return { status: 'accepted', reply: replyTo(action, this.action) }
  }

  async #readMarket(call: MarketCall): Promise<CallResult> {
    const { host, signal } = this.#parts
    const { market } = host
    switch (call.tool) {
      case 'get_price':
        return accepted(await abortable(readPrice(market, call, this.#mark), signal))
      case 'get_candles': {
        const { count = usualCandles } = call
        return accepted(await abortable(readCandles(market, call, count, this.#mark), signal))
      }
      case 'get_indicator': {
        const { indicator, parameters = {}, count = 1 } = call
        const plan = readIndicator(indicator, parameters, count)
        if ('problem' in plan) return { status: 'malformed', reply: errorOf(plan.problem) }
        return accepted(await abortable(readIndicatorValues(market, call, plan, count, this.#mark), signal))
      }
    }
  }

  async #fetch(url: string): Promise<CallResult> {
    this.#fetches += 1
    if (this.#fetches > fetchesPerRun) {
      const rule = `at most ${fetchesPerRun} are allowed`
      return { status: 'refused', reply: errorOf(`This is page ${this.#fetches} of the run; ${rule}.`) }
    }
    const { host, boundary, signal } = this.#parts
    return accepted(await abortable(pageBlock(url, { http: host.http, boundary, signal }), signal))
  }

  async #readStrategy(id: number): Promise<CallResult> {
    const refused = this.#refuseOthers(id)
    if (refused !== undefined) return refused
    const { host, signal } = this.#parts
    const strategy = await abortable(host.strategies.read(id), signal)
    if (strategy === undefined) return refusedWith(`There is no code strategy or code reaction ${id}.`)
    const { name, type, status, version, code } = strategy
    const shown = JSON.stringify({ id, name, type, status, version, code })
    return accepted(this.#mark('strategy', shown, shownLimits.strategy))
  }

  async #change(id: number, wanted: WantedChange): Promise<CallResult> {
    const refused = this.#refuseOthers(id)
    if (refused !== undefined) return refused
    if (this.changes >= changesPerRun) {
      return refusedWith(`A run may change strategies ${changesPerRun} times; this would be once more.`)
    }
    const settle = await this.#parts.budget.reserve(oneAction, this.#parts.signal)
    if (settle === null) {
      this.overBudget = true
      return refusedWith('No actions are left for today (UTC).')
    }
    // Before it is known: a change whose answer is lost may have been made.
    this.changes += 1
    const result = await this.#parts.host.strategies.change(id, wanted)
    if ('problem' in result) {
      this.changes -= 1
      await settle({ tokens: 0, actions: 0 })
      return refusedWith(result.problem)
    }
    await settle(oneAction)
    if (!result.awaitsApproval) return accepted({ changed: true })
    const note = 'The service makes the change when the owner approves it. Do not repeat the call.'
    return accepted({ changed: false, awaits_approval: true, note })
  }

  #refuseOthers(id: number): CallResult | undefined {
    const { mayChange } = this.#parts.policy
    if (mayChange.includes(id)) return undefined
    return refusedWith(`Strategy ${id} is none of those that you may change: ${mayChange.join(', ')}.`)
  }

  async #readLogs({
    tool,
    count = usualLogs,
  }: Extract<CheckedCall, { tool: 'get_signal_logs' | 'get_error_logs' }>) {
    const { host, signal } = this.#parts
    const [name, asked] =
      tool === 'get_signal_logs' ? ['signals', host.logs.signals(count)] : ['errors', host.logs.errors(count)]
    const found: readonly object[] = await abortable<readonly object[]>(asked, signal)
    return accepted(this.#mark(name, JSON.stringify(found), shownLimits.logs))
  }

  #mark = (name: string, text: string, limit = reasonLimit): string =>
    untrustedBlock(name, text, { boundary: this.#parts.boundary, limit })

  async #positions(): Promise<CallResult> {
    const { host, signal } = this.#parts
    const open = (await abortable(host.positions(), signal)).filter(({ side }) => side !== null)
    return {
      status: 'accepted',
      reply: { positions: open.slice(0, mostPositions).map(positionFor), total: open.length },
    }
  }

  #store(value: object): CallResult {
    const stored = new StoredValue(null)
    const bytes = stored.replace(value)
    if (bytes > modelStorageByteLimit) throw violations.storage_size(bytes, modelStorageByteLimit)
    this.#stored = stored
    this.#hasStored = true
    return accepted({ stored: true })
  }

  /** Unlike a value that is too large, an entry that does not fit is no violation: lists grow from run to run. */
  #append({ key, entry, keep }: Extract<CheckedCall, { tool: 'append_storage' }>): CallResult {
    const refused = this.#stored.append(key, entry, keep)
    if (refused !== undefined) return { status: 'refused', reply: errorOf(refused.problem) }
    this.#hasStored = true
    return accepted({ stored: true })
  }

  #failed(error: unknown): CallResult {
    if (error instanceof RunViolation) {
      this.violation = error.violation
      return { status: 'violation', reply: errorOf(error.message) }
    }
    if (this.#parts.signal.aborted) throw error
    return { status: 'failed', reply: errorOf('The service could not carry out this call.') }
  }
}

/**
 * Without reasons and names, and without flat symbols: anyone who may post a signal can choose how it spells a symbol,
 * and a reason may quote it. A model could take such text for an instruction.
 */
function positionFor({ bot, symbol, side, size, entryPrice, unrealised, signal }: BotPosition) {
  const latest = signal && { action: signal.action, status: signal.status, at: signal.at }
  return {
    ...{ bot_id: bot.id, mode: bot.mode, symbol, side, size },
    ...{ entry_price: entryPrice, unrealised, signal: latest },
  }
}

/** The reply must not suggest that an action was sent that still waits for approval. */
function replyTo(action: ActionName, accepted: AcceptedAction): unknown {
  if (!('awaitsApproval' in accepted)) return { accepted: true, action }
  return {
    accepted: true,
    action,
    awaits_approval: true,
    note: 'The service sends the action when the owner approves it. Do not repeat the call.',
  }
}

function refusedWith(message: string): CallResult {
  return { status: 'refused', reply: errorOf(message) }
}

function accepted(reply: unknown): CallResult {
  return { status: 'accepted', reply }
}

function errorOf(message: string): { error: string } {
  return { error: message }
}
