/** Describes the state of an isolate as text, from within: see `probe.js`. */

import { readFileSync } from 'node:fs'
import type { RunInput } from '../../src/index.ts'
import { inputOf } from '../../src/test-support.ts'

const script = readFileSync(new URL('./probe.js', import.meta.url), 'utf8')
const probe = script.slice(script.indexOf(';(') + 1).trim()

/** The start of each program, so that its warm isolate can be probed after the run. */
export const probePrelude = `if ($.Request?.data === 'probe') return $.log(await ${probe}($));\n`

/** The input of a run that attacks, and of one that probes. */
export const inputFor = (purpose: 'attack' | 'probe'): RunInput =>
  inputOf({ request: { data: purpose, headers: {}, ip: '' } })
