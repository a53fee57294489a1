/**
 * The rules that a run can break. Each has one constructor here, with its limit and its message; the sandbox, the
 * gate of AI reactions and the service's own checks all use it.
 */

import { actionsPerRun, actionsPerSecond, runTimeoutMs, storageByteLimit } from './limits.ts'
import type { Violation, ViolationRule } from './types.ts'

/** Thrown by a host function: the call rejects, and the run ends as this violation even if the code catches it. */
export class RunViolation extends Error {
  override name = 'RunViolation'
  violation: Violation

  constructor(violation: Violation, message: string) {
    super(message)
    this.violation = violation
  }
}

/** Makes the error of a broken rule; `violation` of it is the record. Times are in ms. */
export const violations = {
  /** @param durationMs raised to the limit, since the executor's clock and the parent's differ a little */
  execution_time: (durationMs: number, limitMs: number = runTimeoutMs) => {
    const actual = Math.max(Math.round(durationMs), limitMs)
    return broken(
      'execution_time',
      limitMs,
      actual,
      `A run may take ${limitMs} ms; this one took ${actual} ms.`,
    )
  },

  /** @param limitBytes another one for models */
  storage_size: (bytes: number, limitBytes: number = storageByteLimit) =>
    broken(
      'storage_size',
      limitBytes,
      bytes,
      `Storage is limited to ${limitBytes} bytes; this value has ${bytes}.`,
    ),

  actions_per_run: () =>
    broken(
      'actions_per_run',
      actionsPerRun,
      actionsPerRun + 1,
      'A run may send one action; this would be the second.',
    ),

  action_rate: () =>
    broken(
      'action_rate',
      actionsPerSecond,
      actionsPerSecond + 1,
      `The strategies of an account may send ${actionsPerSecond} actions within a second; this would be one more.`,
    ),

  consecutive_exit: () => broken('consecutive_exit', 1, 2, 'EXIT after EXIT is not permitted.'),

  /** @param count how many places of the code have a forbidden identifier */
  forbidden_identifier: (count: number) =>
    broken(
      'forbidden_identifier',
      0,
      count,
      `The code has ${count} forbidden ${count === 1 ? 'identifier' : 'identifiers'}.`,
    ),

  /** @param usedBytes raised to the limit: V8 may refuse an allocation before it reaches it */
  memory: (usedBytes: number, limitBytes: number) =>
    broken(
      'memory',
      limitBytes,
      Math.max(usedBytes, limitBytes),
      `A run may use ${limitBytes} bytes of memory; this one needs more.`,
    ),
} satisfies Record<ViolationRule, (...figures: number[]) => RunViolation>

function broken(rule: ViolationRule, limit: number, actual: number, message: string): RunViolation {
  return new RunViolation({ rule, limit, actual }, message)
}
