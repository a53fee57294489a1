// Runs every program of `../../attacks` against real executors; its README lists the checks.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { checkText } from '../../src/index.ts'
import { killGraceMs } from '../../src/limits.ts'
import { newStrategyId, recordingHost } from '../../src/test-support.ts'
import { Arena, slackMs } from './arena.ts'
import { type Attack, readAttacks } from './attack-file.ts'
import { giantPrograms } from './giant-programs.ts'
import { inputFor } from './probe.ts'
import { type Limits, openChecked, openUnchecked, type Runner } from './runners.ts'

/** Limits for programs that end by themselves, for those that are ended, and for those that kill their executor. */
const patient: Limits = { timeoutMs: 30_000, memoryLimitMb: 32 }
const strict: Limits = { timeoutMs: 500, memoryLimitMb: 32 }
const deadly: Limits = { timeoutMs: 400, memoryLimitMb: 16 }

/** Attacks that kill their executor, or arenas of these, that run at a time. */
const arenasAtOnce = 2

const isRefused = ({ code }: Attack) => checkText(code).length > 0
const isEnded = ({ ends }: Attack) =>
  ends.some((end) => end.status === 'violation' && end.rule === 'execution_time')

const attacks = readAttacks()
const refused = attacks.filter(isRefused)
const accepted = attacks.filter((attack) => !isRefused(attack) && !attack.kills)

neverBegin('an attack that the text check refuses does not start', refused)
together('and fails also without the text check', refused, openUnchecked, patient)
together(
  'an attack that ends by itself',
  accepted.filter((attack) => !isEnded(attack)),
  openChecked,
  patient,
)
together('a giant program', giantPrograms, openChecked, patient)
together('an attack that is ended', accepted.filter(isEnded), openChecked, strict)
apart(
  'an attack that kills its executor',
  attacks.filter(({ kills }) => kills),
)

function neverBegin(what: string, attacks: Attack[]): void {
  suite(what, () => {
    let sandbox: Runner
    before(async () => {
      sandbox = await openChecked(patient)
    })
    after(() => sandbox.close())
    for (const { name, code } of attacks) {
      test(name, async () => {
        const host = recordingHost()
        const request = { strategyId: newStrategyId(), code, input: inputFor('attack'), host }
        const { status, violation, log } = await sandbox.run(request)
        assert.equal(status, 'violation')
        assert.equal(violation!.rule, 'forbidden_identifier')
        assert.ok(violation!.actual > 0)
        assert.equal(log, '')
      })
    }
  })
}

/** Runs the attacks on one executor, some at a time, each as a separate strategy, with a canary among them. */
function together(
  what: string,
  attacks: Attack[],
  open: (limits: Limits) => Promise<Runner>,
  limits: Limits,
): void {
  suite(what, { concurrency: 2 }, () => {
    let arena: Arena
    before(async () => {
      arena = await Arena.open(await open(limits), limits)
    })
    after(async () => {
      const slowestMs = await arena.close()
      assert.ok(slowestMs < killGraceMs + slackMs, `the strategy beside them once waited ${slowestMs} ms`)
    })
    for (const attack of attacks) {
      test(`${attack.name}: ${attack.title}`, async () => await arena.meet(attack))
    }
  })
}

/**
 * Runs the attacks one after the other, each on the executor that has replaced the one before. Two such arenas share them.
 */
function apart(what: string, attacks: Attack[]): void {
  suite(what, { concurrency: arenasAtOnce }, () => {
    for (let index = 0; index < arenasAtOnce; index += 1) {
      suite(`arena ${index + 1}`, { concurrency: 1 }, () => {
        let arena: Arena
        before(async () => {
          arena = await Arena.open(await openChecked(deadly), deadly)
        })
        after(async () => {
          const slowestMs = await arena.close()
          const mostMs = deadly.timeoutMs + killGraceMs + slackMs
          assert.ok(slowestMs < mostMs, `the strategy beside them once waited ${slowestMs} ms`)
        })
        for (const attack of attacks.filter((_, number) => number % arenasAtOnce === index)) {
          test(`${attack.name}: ${attack.title}`, async () => await arena.meet(attack))
        }
      })
    }
  })
}
