/** `tokens` counts prompts and answers together. */
export type Spend = { tokens: number; actions: number }

/** A `key` stands for one strategy on one day. */
export type BudgetStore = {
  /**
   * Adds to the spending unless the sum would exceed a limit. Atomic, and all or nothing: `false` means that nothing
   * was added.
   * @param signal until it is aborted, this waits for a store that is away; default: it does not wait
   */
  reserve(key: string, wanted: Spend, limits: Spend, signal?: AbortSignal): Promise<boolean>
  /**
   * Replaces a reservation by the actual use. A reservation that is never settled stays spent.
   * @param signal as for `reserve`
   */
  settle(key: string, reserved: Spend, used: Spend, signal?: AbortSignal): Promise<void>
}

/** The most that a provider adds to a conversation itself, for roles and tool definitions. */
const frameTokens = 2_048

/**
 * The most tokens that a text can have: each token stands for at least one byte.
 * @param bytes of UTF-8
 */
export function mostTokens(bytes: number): number {
  return bytes + frameTokens
}

/**
 * The most tokens that a chart can cost. Providers count the 1024 × 512 pixels in squares of 16 to 512 pixels, which makes
 * 400 to 2,100 tokens. A few small models count many times as many, and can exceed a budget by that.
 */
export const mostPictureTokens = 4_096

/**
 * The part of one run in the daily budget of its strategy. Each step reserves the most that it can cost before it
 * begins, and settles the actual cost afterwards, so simultaneous runs never exceed the budget together. The day is
 * the one on which the run began, in UTC.
 */
export class RunBudget {
  #store: BudgetStore
  #key: string
  #limits: Spend

  constructor(
    store: BudgetStore,
    { strategyId, limits, now }: { strategyId: number; limits: Spend; now: Date },
  ) {
    this.#store = store
    this.#key = `${strategyId} ${now.toISOString().slice(0, 10)}`
    this.#limits = limits
  }

  /**
   * Resolves to a function that settles the reservation once, or to `null` if not enough is left.
   * @param signal until it is aborted, both wait for a store that is away; default: they do not wait
   */
  async reserve(wanted: Spend, signal?: AbortSignal): Promise<((used: Spend) => Promise<void>) | null> {
    if (!(await this.#store.reserve(this.#key, wanted, this.#limits, signal))) return null
    let settled = false
    return async (used) => {
      if (settled) return
      settled = true
      await this.#store.settle(this.#key, wanted, used, signal)
    }
  }
}

/** Budgets in memory, for test runs that no budget counts. */
export class MemoryBudgets implements BudgetStore {
  #spent = new Map<string, Spend>()

  async reserve(key: string, wanted: Spend, limits: Spend): Promise<boolean> {
    const next = sum(this.spent(key), wanted)
    if (next.tokens > limits.tokens || next.actions > limits.actions) return false
    this.#spent.set(key, next)
    return true
  }

  async settle(key: string, reserved: Spend, used: Spend): Promise<void> {
    const { tokens, actions } = reserved
    this.#spent.set(key, sum(sum(this.spent(key), used), { tokens: -tokens, actions: -actions }))
  }

  spent(key: string): Spend {
    return this.#spent.get(key) ?? { tokens: 0, actions: 0 }
  }
}

function sum(one: Spend, other: Spend): Spend {
  return { tokens: one.tokens + other.tokens, actions: one.actions + other.actions }
}
