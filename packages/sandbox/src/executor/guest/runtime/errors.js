/** What the code threw, and where. */

import { errorMessageLimit, errorNameLimit, shorten } from '../../../limits.ts'
import { headline, render } from './render.js'

const { isSafeInteger } = Number

/** Lines that V8's function text and `"use strict"` put above the first line of the user's code. */
const headLines = 3

/** Places of errors whose stack was rendered: the first frame in the user's own text. */
const places = new WeakMap()

// The user's code is the only one compiled from a string. Frames of the runtime are left out: they are not the
// user's business. Called by V8 when a stack is first read.
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
    // A forged call site. Whoever forged it gets what there is.
  }
  return text
}

/** Code can call `prepareStackTrace` with sites of its own making. */
function isCount(value) {
  return isSafeInteger(value) && value > 0
}

/** Anything that can be thrown, as `{ name, message, line, column }`. Never throws. */
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
    described.message = described.message || 'something was thrown that cannot be described'
  }
  return described
}
