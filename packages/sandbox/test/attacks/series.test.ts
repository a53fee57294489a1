// Runs the programs of `../../attacks` within a series: the attack, and then a probe in the isolate that it leaves.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { checkText, type Sandbox, type SeriesEvent, type SeriesStep } from '../../src/index.ts'
import { newStrategyId } from '../../src/test-support.ts'
import { type End, fits, hostOf, outwardOf } from './arena.ts'
import { type Attack, readAttacks } from './attack-file.ts'
import { inputFor, probePrelude } from './probe.ts'
import { type Limits, openForSeries } from './runners.ts'

const patient: Limits = { timeoutMs: 3_000, memoryLimitMb: 32 }
/** A busy machine may need more time for a probe than this; then the probe is repeated as often as needed. */
const strict: Limits = { timeoutMs: 500, memoryLimitMb: 32 }

const isEnded = ({ ends }: Attack) =>
  ends.some((end) => end.status === 'violation' && end.rule === 'execution_time')
const doesNotCompile = ({ ends }: Attack) =>
  ends.every((end) => end.status === 'failed' && end.name === 'SyntaxError')

/** It stores more levels than the probe, which shows what is stored, can write. */
const unshowable = 'rules/storage-nested'

const attacks = readAttacks().filter(
  (attack) =>
    attack.name !== unshowable &&
    checkText(attack.code).length === 0 &&
    !attack.kills &&
    !attack.whole &&
    !doesNotCompile(attack),
)

inSeries(
  'an attack that ends by itself',
  attacks.filter((attack) => !isEnded(attack)),
  patient,
)
inSeries('an attack that is ended', attacks.filter(isEnded), strict)

function inSeries(what: string, attacks: Attack[], limits: Limits): void {
  suite(`${what}, in a series`, { concurrency: 2 }, () => {
    let sandbox: Sandbox
    let pristine: string
    before(async () => {
      sandbox = await openForSeries(limits)
      const [, , probe] = await endsOf(sandbox, probePrelude, ['probe', 'probe', 'probe'])
      pristine = probe!.log
      assert.match(pristine, /^\d{4} objects\n/)
    })
    after(() => sandbox.close())
    for (const attack of attacks) {
      test(attack.name, async () => {
        const code = probePrelude + attack.code
        const [first, second, probe] = await endsOf(sandbox, code, ['attack', 'attack', 'probe'])
        for (const end of [first, second]) {
          const told = JSON.stringify({ ...end, log: end!.log.slice(0, 2_000) })
          assert.ok(attack.ends.some((ending) => fits(end!, ending)) || isLate(end!), told)
          assert.doesNotMatch(end!.log, /ESCAPED/, told)
        }
        if (!isLate(first!) && !isLate(second!)) assert.deepEqual(outwardOf(second!), outwardOf(first!))
        assert.equal(
          stateIn(probe!.log),
          stateIn(pristine),
          `something is left behind: ${JSON.stringify(probe!.error)}`,
        )
      })
    }
  })
}

/** The output of a probe without the storage, which comes last: in a series, it has what the attack stored. */
const stateIn = (log: string) => log.replace(/,"storage":.*$/s, '')

/** A busy machine can take away the time of an expensive attack. */
const isLate = ({ violation }: End) => violation?.rule === 'execution_time'

/** Runs code once for each of these payloads. A probe whose time a busy machine takes away runs again. */
async function endsOf(sandbox: Sandbox, code: string, payloads: string[]): Promise<End[]> {
  const events = payloads.map((data): SeriesEvent => ({ startMs: 1_700_000_000_000, data, price: null }))
  let ends: End[] = []
  for (let left = 5; left > 0; left -= 1) {
    ends = []
    await sandbox.series({
      ...{ strategyId: newStrategyId(), code, events, seed: 1, hostOf },
      input: inputFor('attack'),
      ended(step) {
        ends.push(...endsIn(step))
        return { next: step.to, lastTrigger: { action: null, price: null, at: null } }
      },
    })
    if (!isLate(ends.at(-1)!)) break
  }
  return ends
}

function endsIn({ from, to, outcome, failures, logs }: SeriesStep): End[] {
  const [errors, lines] = [new Map(failures), new Map(logs)]
  return Array.from({ length: to - from }, (_, offset): End => {
    const index = from + offset
    if (outcome !== null && index === to - 1) return outcome
    const error = errors.get(index) ?? null
    const status = error === null ? 'completed' : 'failed'
    return { status, error, violation: null, storage: undefined, log: lines.get(index) ?? '' }
  })
}
