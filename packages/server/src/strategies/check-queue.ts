import type { SyntaxChecker } from '@tickwright/sandbox'
import { AppError } from '../base/errors.ts'

/** Normal checks take milliseconds, but hostile code keeps the checker busy for a second each. */
const mostOfUser = 100

/**
 * Limits the syntax checks of each user that wait or are under way on this node. The checker gives users turns, so others
 * hardly wait for them, but without a limit one user could fill the memory with code that waits.
 */
export class CheckQueue {
  #checker: Pick<SyntaxChecker, 'check'>
  #ofUser = new Map<number, number>()

  constructor(checker: Pick<SyntaxChecker, 'check'>) {
    this.#checker = checker
  }

  /**
   * Like {@link SyntaxChecker.check}.
   * @throws {AppError} 429 if the user has too many
   */
  async check(code: string, userId: number): ReturnType<SyntaxChecker['check']> {
    const open = this.#ofUser.get(userId) ?? 0
    if (open >= mostOfUser) {
      const sentence = `The code was not checked: ${mostOfUser} checks of your code already wait. Send fewer at once.`
      throw new AppError('rate_limited', sentence, { retryAfterSeconds: 1 })
    }
    this.#ofUser.set(userId, open + 1)
    try {
      return await this.#checker.check(code, userId)
    } finally {
      const left = this.#ofUser.get(userId)! - 1
      if (left === 0) this.#ofUser.delete(userId)
      else this.#ofUser.set(userId, left)
    }
  }
}
