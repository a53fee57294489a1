import { logByteLimit, logCutMark } from '../../../limits.ts'
import { guestKinds } from '../kinds.ts'
import { render } from './render.js'
import { byteLength, cutToBytes } from './text.js'

const { freeze } = Object

/** `$.log` of a run. */
export function logOf(state) {
  return freeze((...values) => {
    if (state.logCut) return
    let line
    try {
      line = `${values.map(render).join(' ')}\n`
    } catch {
      line = '[a value that cannot be shown]\n'
    }
    const free = logByteLimit - state.logBytes
    const bytes = line.length > free ? line.length : byteLength(line)
    if (bytes > free) {
      state.logCut = true
      line = `${cutToBytes(line, free)}${logCutMark}\n`
    }
    state.logBytes += bytes
    state.post(guestKinds.log, line)
  })
}
