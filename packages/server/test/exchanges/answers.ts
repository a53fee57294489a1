import type { Reply } from './stand-in.ts'
import type { Failure, FailureKind } from './trading-types.ts'

/** What an account says about the next request. */
type Account = { inMaintenance: boolean; nextFailure(on: FailureKind): Failure | undefined }

const lateTakeMs = 150

/**
 * Answers a request, or fails as the test has chosen.
 * @param words this exchange's answers for a failure, a refused order, a rate limit and a maintenance
 */
export function answerOrFail(
  book: Account,
  on: FailureKind,
  answer: () => Reply,
  words: Record<'broken' | 'reject' | 'rateLimit', Reply> & { maintenance?: Reply },
): Reply {
  if (book.inMaintenance) return words.maintenance ?? words.broken
  const failure = book.nextFailure(on)
  switch (failure) {
    case undefined:
      return answer()
    case 'before-cut':
      return 'cut'
    case 'before-5xx':
      return words.broken
    case 'reject':
      return words.reject
    case 'rate-limit':
      return words.rateLimit
    case 'late':
      setTimeout(answer, lateTakeMs)
      return 'cut'
    default:
      answer()
  }
  if (failure === 'after-cut') return 'cut'
  if (failure === 'after-hang') return 'hang'
  if (failure === 'after-5xx') return words.broken
  return { status: 200, text: '<html>Just a moment</html>' }
}
