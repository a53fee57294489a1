import type { CcxtAccount } from '../../../market/live/ccxt-trading.ts'

type Known<T> = { answer: Promise<T>; untilMs: number }

/**
 * Asks about an account at most once in a while, for facts that rarely change and that each order needs. Several callers
 * at once share one request. A failure is not remembered.
 */
export function remembered<T>(
  forMs: number,
  ask: (account: CcxtAccount, about: string) => Promise<T>,
): (account: CcxtAccount, about?: string) => Promise<T> {
  const known = new WeakMap<CcxtAccount, Map<string, Known<T>>>()
  return (account, about = '') => {
    const answers = known.get(account) ?? new Map<string, Known<T>>()
    known.set(account, answers)
    const last = answers.get(about)
    if (last !== undefined && last.untilMs > performance.now()) return last.answer
    const answer = ask(account, about)
    answers.set(about, { answer, untilMs: performance.now() + forMs })
    answer.catch(() => answers.delete(about))
    return answer
  }
}
