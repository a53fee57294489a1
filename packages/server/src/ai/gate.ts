import {
  type ActionName,
  type ActionOptions,
  type ActionResult,
  type RunHost,
  RunViolation,
  storageByteLimit,
  type Violation,
  violations,
} from '@tickwright/sandbox'
import type { ToolCall } from './answer.ts'
import type { RunBudget } from './budget.ts'
import { type FindPrice, priceWithin } from './prompt.ts'
import { type CheckedCall, type Policy, readCall } from './tools.ts'

/** An action of a model that is not sent unless its owner approves of it. */
export type AwaitedAction = { action: ActionName; symbols: string[]; awaitsApproval: true }

/** What became of an action: a signal, or something that its owner is asked for. */
export type AcceptedAction = ActionResult | AwaitedAction

/** What a model reaches of the world: actions by the rules of the host that code has, and prices. */
export type ThinkHost = {
  action(...asked: Parameters<RunHost['action']>): Promise<AcceptedAction>
  price: FindPrice
}

/**
 * What became of a call. `malformed`: it fits no tool. `refused`: it fits, and must not be. `failed`: it was tried.
 * `violation`: it broke a rule, and the run is over.
 */
export type CallResult = {
  status: 'accepted' | 'malformed' | 'refused' | 'failed' | 'violation'
  /** What the model is told, as JSON has it. */
  told: unknown
}

type GateParts = {
  host: ThinkHost
  policy: Policy
  budget: Pick<RunBudget, 'reserve'>
  /** The stored value at the start, as JSON text. */
  storage: string | null
  signal: AbortSignal
}

const priceTimeoutMs = 1_750
/** Calls that one run may have answered: as many as code has host calls would keep the service busy. */
const callsPerRun = 40
const oneAction = { tokens: 0, actions: 1 }

/**
 * Between a model and the world. Whatever the model was told or talked into, what passes here is what code could have
 * done too: one action a run, and what its owner's policy, the budget, and the host's own rules allow.
 */
export class Gate {
  #parts: GateParts
  #calls = 0
  #asked = false
  /** The action that was accepted, which stands whatever comes after it. */
  action: AcceptedAction | null = null
  violation: Violation | null = null
  /** The value set last, as JSON text; `undefined` while there is none. */
  storage: string | undefined
  /** An action that the day's budget had no room for. */
  overBudget = false

  constructor(parts: GateParts) {
    this.#parts = parts
  }

  /** Whether anything was done that asking another model from the start would do twice. */
  get hadEffect(): boolean {
    return this.#asked || this.storage !== undefined
  }

  /** Checks a call, and carries it out; the next one waits for it. */
  async call(call: ToolCall): Promise<CallResult> {
    if (this.violation !== null) return { status: 'refused', told: errorOf('The run has broken a rule.') }
    this.#calls += 1
    if (this.#calls > callsPerRun) {
      return { status: 'refused', told: errorOf(`At most ${callsPerRun} calls in a run.`) }
    }
    const read = readCall(call, this.#parts.policy)
    if ('problem' in read) return { status: 'malformed', told: errorOf(read.problem) }
    try {
      return await this.#carryOut(read)
    } catch (error) {
      return this.#failed(error)
    }
  }

  #carryOut(call: CheckedCall): CallResult | Promise<CallResult> {
    switch (call.tool) {
      case 'open_position':
        return this.#act(call.direction, call.size)
      case 'close_position':
        return this.#act('EXIT', call.size)
      case 'get_symbol_price':
        return this.#price(call)
      case 'get_storage':
        return {
          status: 'accepted',
          told: { value: JSON.parse(this.storage ?? this.#parts.storage ?? 'null') },
        }
      case 'set_storage':
        return this.#store(call.value)
      default:
        return call satisfies never
    }
  }

  async #act(action: ActionName, size: number | undefined): Promise<CallResult> {
    if (this.#asked) throw violations.actions_per_run()
    // The place is taken before anything is awaited.
    this.#asked = true
    const settle = await this.#parts.budget.reserve(oneAction)
    if (settle === null) {
      // Nothing was sent, so that it is not the one action either.
      this.#asked = false
      this.overBudget = true
      return { status: 'refused', told: errorOf('The actions of this day are used up.') }
    }
    const options: ActionOptions = size === undefined ? {} : { size }
    try {
      this.action = await this.#parts.host.action(action, options, this.storage)
    } catch (error) {
      // A violation has sent nothing. Of any other failure nobody knows, so that it counts.
      if (error instanceof RunViolation) await settle({ tokens: 0, actions: 0 })
      throw error
    }
    await settle(oneAction)
    return { status: 'accepted', told: toldOf(action, this.action) }
  }

  async #price({ exchange, service, pair }: Extract<CheckedCall, { tool: 'get_symbol_price' }>) {
    const { host, signal } = this.#parts
    const name = { exchange: exchange.toLowerCase(), service: service.toLowerCase(), pair }
    const price = await priceWithin(priceTimeoutMs, name, host.price, signal)
    return { status: 'accepted', told: { price } } as const
  }

  #store(value: unknown): CallResult {
    const text = JSON.stringify(value)
    const bytes = Buffer.byteLength(text)
    if (bytes > storageByteLimit) throw violations.storage_size(bytes)
    this.storage = text
    return { status: 'accepted', told: { stored: true } }
  }

  #failed(error: unknown): CallResult {
    if (error instanceof RunViolation) {
      this.violation = error.violation
      return { status: 'violation', told: errorOf(error.message) }
    }
    if (this.#parts.signal.aborted) throw error
    return { status: 'failed', told: errorOf('The service could not do this.') }
  }
}

/** Of an action that waits, a model is not led to believe that it was sent. */
function toldOf(action: ActionName, accepted: AcceptedAction): unknown {
  if (!('awaitsApproval' in accepted)) return { accepted: true, action }
  return {
    accepted: true,
    action,
    awaits_approval: true,
    note: 'It is sent once the owner approves of it. Do not ask again.',
  }
}

function errorOf(message: string): { error: string } {
  return { error: message }
}
