/** Tokens are those of prompts and answers together. */
export type Spend = { tokens: number; actions: number }

/** `key` names one reaction on one day. */
export type BudgetStore = {
  /**
   * Adds to what is spent, unless that would go over a limit: all of it or nothing, in one step, whoever else does so at
   * the same moment. `false`: nothing was added.
   */
  reserve(key: string, wanted: Spend, limits: Spend): Promise<boolean>
  /** Replaces what was reserved by what was used. What is never settled stays spent. */
  settle(key: string, reserved: Spend, used: Spend): Promise<void>
}

/** Bytes that a provider may add to a conversation on its own, for roles and the form of tools. */
const frameTokens = 2_048

/**
 * Most tokens that a text can have: each of them stands for at least one byte.
 * @param bytes of UTF-8
 */
export function mostTokens(bytes: number): number {
  return bytes + frameTokens
}

/**
 * What one run may spend of its reaction's day. Each step reserves the worst that it can cost before it begins, and
 * settles what it did cost afterwards: so runs at the same time never spend more than there is together. The day is the
 * one on which the run began, in UTC.
 */
export class RunBudget {
  #store: BudgetStore
  #key: string
  #limits: Spend

  constructor(
    store: BudgetStore,
    { reactionId, limits, now }: { reactionId: number; limits: Spend; now: Date },
  ) {
    this.#store = store
    this.#key = `${reactionId} ${now.toISOString().slice(0, 10)}`
    this.#limits = limits
  }

  /** Resolves to what settles it, once; `null`: there is not enough left. */
  async reserve(wanted: Spend): Promise<((used: Spend) => Promise<void>) | null> {
    if (!(await this.#store.reserve(this.#key, wanted, this.#limits))) return null
    let settled = false
    return async (used) => {
      if (settled) return
      settled = true
      await this.#store.settle(this.#key, wanted, used)
    }
  }
}

/** Keeps budgets in the memory of this process: for trials, which count for nobody else. */
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
