/** Runs attacks in a sandbox with real executors, a host and a canary, and checks what must hold afterwards. */

import assert from 'node:assert/strict'
import type { RunOutcome } from '../../src/index.ts'
import { killGraceMs, storageByteLimit } from '../../src/limits.ts'
import { newStrategyId, type RecordingHost, recordingHost } from '../../src/test-support.ts'
import type { Attack, Ending } from './attack-file.ts'
import { releaseCanary } from './canary.ts'
import { inputFor, probePrelude } from './probe.ts'
import type { Limits, Runner } from './runners.ts'

/** A slow machine may delay everything by this much, in ms. What a limit or a kill fails to end lasts for ever. */
export const slackMs = 60_000

export class Arena {
  readonly #runner: Runner
  readonly #limits: Limits
  readonly #canary: { rest(): Promise<number> }
  /** The output of the probe in an unused isolate. */
  readonly #pristine: string

  private constructor(runner: Runner, limits: Limits, pristine: string) {
    this.#runner = runner
    this.#limits = limits
    this.#pristine = pristine
    this.#canary = releaseCanary(runner)
  }

  static async open(runner: Runner, limits: Limits): Promise<Arena> {
    const { status, log } = await probed(runner, newStrategyId(), probePrelude)
    assert.equal(status, 'completed')
    return new Arena(runner, limits, log)
  }

  /** Runs an attack, and checks everything that must hold. */
  async meet(attack: Attack): Promise<void> {
    const strategyId = newStrategyId()
    const code = attack.whole ? attack.code : probePrelude + attack.code
    const respawns = this.#runner.stats().respawns
    const first = await this.#attackOnce(attack, strategyId, code)
    // A run that ended by itself may leave its isolate to the next run, which must end in the same way.
    if (first.status !== 'violation') {
      const second = await this.#attackOnce(attack, strategyId, code)
      // On a busy machine, an expensive attack may exceed its time in the second run.
      if (second.violation?.rule !== 'execution_time') {
        assert.deepEqual(outwardOf(second), outwardOf(first), 'the second run is as the first')
      }
    }
    if (attack.kills) await this.#replaced()
    else assert.equal(this.#runner.stats().respawns, respawns, 'the executor lives')
    // Code that V8 does not compile cannot probe either, and none of it ran.
    if (!attack.whole && first.error?.name !== 'SyntaxError') await this.#probe(strategyId, code)
  }

  /** Runs a program whose outcome is unknown, and checks what must hold for every program. */
  async endure(code: string): Promise<void> {
    const strategyId = newStrategyId()
    const respawns = this.#runner.stats().respawns
    const host = hostOf()
    const probeable = probePrelude + code
    const outcome = await this.#runner.run({ strategyId, code: probeable, input: inputFor('attack'), host })
    assert.ok(['completed', 'failed', 'violation'].includes(outcome.status), JSON.stringify(outcome))
    assert.notEqual(outcome.violation?.rule, 'forbidden_identifier')
    assert.ok(host.actions.length <= 1)
    this.#checkFigures(outcome)
    if (outcome.error?.name !== 'SyntaxError') await this.#probe(strategyId, probeable)
    assert.equal(this.#runner.stats().respawns, respawns, 'the executor lives')
  }

  /** Throws unless the strategy's isolate, warm or new, is like an unused one. */
  async #probe(strategyId: number, code: string): Promise<void> {
    const { log, ...end } = await probed(this.#runner, strategyId, code)
    const pristine = new Set(this.#pristine.split('\n'))
    const changed = log.split('\n').filter((line) => !pristine.has(line))
    assert.ok(log === this.#pristine, `something is left behind: ${JSON.stringify({ changed, ...end })}`)
  }

  async #attackOnce(attack: Attack, strategyId: number, code: string): Promise<RunOutcome> {
    const host = hostOf()
    const outcome = await this.#runner.run({ strategyId, code, input: inputFor('attack'), host })
    const told = JSON.stringify({ ...outcome, log: outcome.log.slice(0, 2_000) })
    assert.ok(
      attack.ends.some((ending) => fits(outcome, ending)),
      `ended as ${told}`,
    )
    assert.doesNotMatch(outcome.log, /ESCAPED/, told)
    assert.ok(attack.log === undefined || outcome.log === `${attack.log}\n`, `logged: ${told}`)
    assert.equal(host.actions.length, attack.actions, 'actions')
    this.#checkFigures(outcome)
    return outcome
  }

  /** Checks the figures of a violation, which its owner sees. */
  #checkFigures({ violation, durationMs }: RunOutcome): void {
    const { timeoutMs, memoryLimitMb } = this.#limits
    assert.ok(durationMs >= 0 && durationMs < timeoutMs + killGraceMs + slackMs, `lasted ${durationMs} ms`)
    if (violation === null) return
    const { rule, limit, actual } = violation
    const limits = {
      execution_time: timeoutMs,
      memory: memoryLimitMb * 1024 * 1024,
      storage_size: storageByteLimit,
      actions_per_run: 1,
      action_rate: 5,
      consecutive_exit: 1,
      forbidden_identifier: 0,
    }
    assert.equal(limit, limits[rule])
    assert.ok(
      rule === 'memory' || rule === 'execution_time' ? actual >= limit : actual > limit,
      `${rule}: ${actual}`,
    )
  }

  async #replaced(): Promise<void> {
    const startedAt = performance.now()
    while (this.#runner.stats().alive === 0) {
      assert.ok(performance.now() - startedAt < slackMs, 'the executor is replaced')
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  /** Ends it. Resolves to the longest time that the canary had to wait, in ms. Throws if any of its runs was wrong. */
  async close(): Promise<number> {
    try {
      return await this.#canary.rest()
    } finally {
      await this.#runner.close()
    }
  }
}

/** The part of an outcome that its owner sees. */
export type End = Pick<RunOutcome, 'status' | 'error' | 'violation' | 'storage' | 'log'>

/** Runs the probe. Where a busy machine takes its time away, the probe runs again, in a new isolate. */
async function probed(runner: Runner, strategyId: number, code: string): Promise<RunOutcome> {
  for (let left = 5; ; left -= 1) {
    const outcome = await runner.run({ strategyId, code, input: inputFor('probe'), host: recordingHost() })
    if (outcome.violation?.rule !== 'execution_time' || left === 0) return outcome
  }
}

/** Answers `stop(true)` and addresses with `slow` late, and addresses with `refused` with an error. Answers are hostile. */
export function hostOf(): RecordingHost {
  const later = <T>(value: T) => new Promise<T>((resolve) => setTimeout(() => resolve(value), 100))
  return recordingHost({
    stop: async (notify) => (notify ? await later(true) : true),
    http: async ({ url }) => {
      const answer = { status: 200, text: '{"__proto__":{"polluted":true},"then":1}', cache: false }
      if (url.includes('refused')) throw new TypeError('refused')
      return url.includes('slow') ? await later(answer) : answer
    },
  })
}

/** The part of an outcome that its owner sees, and that must be the same each time. */
export function outwardOf({ status, error, violation, storage, log }: End) {
  return { status, error, rule: violation?.rule, storage, log }
}

export function fits({ status, error, violation }: End, ending: Ending): boolean {
  if (status !== ending.status) return false
  if (ending.status === 'completed') return true
  if (ending.status === 'violation') return violation?.rule === ending.rule
  return error?.name === ending.name && error.message.startsWith(ending.message)
}
