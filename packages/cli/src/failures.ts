/** What an exit code of this program means. */
export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  notAllowed: 3,
  conflict: 4,
  differs: 5,
  unreachable: 6,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A failure that a user can do something about. `message` says what. */
export class Failure extends Error {
  override name = 'Failure'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = exitCodes.refused) {
    super(message)
    this.exitCode = exitCode
  }
}

/** A failure because of how the command was written. */
export function wrongUse(message: string): Failure {
  return new Failure(message, exitCodes.usage)
}

/**
 * The message and the exit code of anything that a command throws. It looks at names, because the client with its
 * classes of errors loads only in commands that reach a service.
 */
export function explained(error: unknown): { message: string; exitCode: ExitCode } {
  if (error instanceof Failure) return { message: error.message, exitCode: error.exitCode }
  if (!(error instanceof Error)) return { message: String(error), exitCode: exitCodes.refused }
  if (error.name === 'ApiError') {
    const { status, requestId } = error as Error & { status: number; requestId: string | null }
    const id = status >= 500 && requestId !== null ? ` (request ${requestId})` : ''
    return { message: `${error.message}${id}`, exitCode: codeOfStatus(status) }
  }
  if (error.name === 'ConnectionError') return noAnswer(error.cause)
  return { message: error.message, exitCode: exitCodes.refused }
}

function codeOfStatus(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.notAllowed
  if (status === 409 || status === 412) return exitCodes.conflict
  return status === 502 || status === 503 || status === 504 ? exitCodes.unreachable : exitCodes.refused
}

/**
 * A failure because the service gave no answer, so nobody knows what it did. @param advice what to do now
 */
export function noAnswer(
  error: unknown,
  advice = 'If the command changes something, look whether it did before you repeat it.',
): Failure {
  // The system's reason is the most useful part, and lies deepest.
  let cause = error
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause
  const reason = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : ''
  return new Failure(`The service gave no answer${reason}. ${advice}`, exitCodes.unreachable)
}
