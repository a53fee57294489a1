/** Describes what the code threw, and where. */

import { errorMessageLimit, errorNameLimit, shorten } from '../../../limits.ts'
import { headline, render } from './render.js'

const { isSafeInteger } = Number

/** The lines that V8's function text and `"use strict"` add before the first line of the user's code. */
const headLines = 3

/** The places of errors whose stack was read: the first frame in the user's code. */
const places = new WeakMap()

// V8 calls this when a stack is first read. Only the user's code is compiled from a string. Frames of the runtime are
// left out, since they mean nothing to the user.
Error.prepareStackTrace = function prepareStackTrace(error, sites) {
  let text = headline(error)
  try {
    let placed = false
    for (const site of sites) {
      const file = site.getFileName()
      if (file === 'tickwright') continue
      const name = site.getFunctionName()
      if (site.isEval()) {
        const line = site.getLineNumber() - headLines
        const column = site.getColumnNumber()
        if (line < 1) continue
        if (!placed && isCount(line) && isCount(column)) places.set(error, { line, column })
        placed = true
        const place = `strategy:${line}:${column}`
        text += name === null || name === 'eval' ? `\n    at ${place}` : `\n    at ${name} (${place})`
      } else {
        text += `\n    at ${name ?? '<anonymous>'} (${file ?? 'native'})`
      }
    }
  } catch {
    // Code has forged a call site, and gets the text up to it.
  }
  return text
}

/** Code can call `prepareStackTrace` with forged sites. */
function isCount(value) {
  return isSafeInteger(value) && value > 0
}

/** Describes any thrown value as `{ name, message, line, column }`. Never throws. */
export function describe(thrown) {
  const described = { name: 'Error', message: '', line: null, column: null }
  try {
    if (thrown instanceof Error) {
      void thrown.stack
      const place = places.get(thrown)
      if (place !== undefined) {
        described.line = place.line
        described.column = place.column
      }
      described.name = shorten(`${thrown.name}`, errorNameLimit)
      described.message = shorten(`${thrown.message}`, errorMessageLimit)
    } else {
      described.message = shorten(
        typeof thrown === 'string' ? thrown : `${render(thrown)} was thrown`,
        errorMessageLimit,
      )
    }
  } catch {
    described.message = described.message || 'The code threw a value that cannot be described.'
  }
  return described
}
