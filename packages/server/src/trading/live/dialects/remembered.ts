import type { CcxtAccount } from '../../../market/live/ccxt-trading.ts'

type Known<T> = { answer: Promise<T>; untilMs: number }
type Memory<T> = { answers: Map<string, Known<T>>; forgottenMs: number }

/**
 * Asks about an account at most once in a while, for facts that rarely change and that each order needs. Several callers
 * at once share one request. A failure is not remembered.
 */
export function remembered<T>(forMs: number, ask: (account: CcxtAccount, about: string) => Promise<T>) {
  const memories = new WeakMap<CcxtAccount, Memory<T>>()
  const memoryOf = (account: CcxtAccount): Memory<T> => {
    const memory = memories.get(account) ?? { answers: new Map(), forgottenMs: Number.NEGATIVE_INFINITY }
    memories.set(account, memory)
    return memory
  }
  return {
    of(account: CcxtAccount, about = ''): Promise<T> {
      const { answers } = memoryOf(account)
      const last = answers.get(about)
      if (last !== undefined && last.untilMs > performance.now()) return last.answer
      const answer = ask(account, about)
      answers.set(about, { answer, untilMs: performance.now() + forMs })
      answer.catch(() => answers.delete(about))
      return answer
    },
    /**
     * Makes the next call ask again, because the exchange refused what follows from the last answer.
     * @returns `false` if that has just happened: then the refusal has another reason
     */
    forget(account: CcxtAccount): boolean {
      const memory = memoryOf(account)
      if (performance.now() - memory.forgottenMs < forMs) return false
      memory.forgottenMs = performance.now()
      memory.answers.clear()
      return true
    },
  }
}
