/** Describes a rejection that no code handled. */

import { errorMessageLimit, errorNameLimit, shorten } from '../limits.ts'
import type { RunError } from '../types.ts'

/** The first line of a stack in the user's code. */
const userFrame = /^ {4}at (?:[^\n]{0,200} \()?strategy:([1-9]\d{0,8}):([1-9]\d{0,8})\)?$/m

/** Only this many characters of a stack are searched: the guest can make it as long as it likes. */
const stackLengthLimit = 8_000

/** Describes an error that isolated-vm has copied out of a guest. Its members can have any value. */
export function readUnhandled(error: unknown): RunError {
  const { name, message, stack } = (typeof error === 'object' && error !== null ? error : {}) as Record<
    string,
    unknown
  >
  const place = typeof stack === 'string' ? userFrame.exec(stack.slice(0, stackLengthLimit)) : null
  return {
    name: typeof name === 'string' ? shorten(name, errorNameLimit) : 'Error',
    message: shorten(
      typeof message === 'string' ? message : 'A promise was rejected, and no code handled it.',
      errorMessageLimit,
    ),
    line: place === null ? null : Number(place[1]),
    column: place === null ? null : Number(place[2]),
  }
}
