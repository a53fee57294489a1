/**
 * Checks the text of a strategy for forbidden identifiers. This is a rule of the product, not a defence: code that gets
 * past it finds none of these objects at run time.
 *
 * Comments, strings and property names count too. So the text needs no tokenizer, which an attacker could confuse about
 * what is code and what is a comment.
 */

export type ForbiddenIdentifier = {
  identifier: string
  /** Where it starts in the text. Both count from 1; columns count UTF-16 units, as in editors. */
  line: number
  column: number
}

/** The identifiers that may not appear anywhere in a strategy's text. */
export const forbiddenIdentifiers: readonly string[] = `
  fetch WebSocket EventSource Worker SharedWorker XMLHttpRequest navigator location postMessage onmessage
  onmessageerror MessageChannel BroadcastChannel import importScripts close
  eval Function AsyncFunction generatorFunction constructor
  globalThis window self frames parent top document
  setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate queueMicrotask
  crypto performance structuredClone Atomics SharedArrayBuffer
  Reflect Proxy
  process require module exports export global Deno
  atob btoa
  alert confirm prompt console Intl FinalizationRegistry WeakRef`
  .trim()
  .split(/\s+/)

// Part of an identifier: ID_Continue, `$`, and the joiners ZWNJ and ZWJ.
const part = '[\\p{ID_Continue}$\\u200c\\u200d]'
const forbidden = new RegExp(`(?<!${part})(?:${forbiddenIdentifiers.join('|')})(?!${part})`, 'gu')

// `\u0065`, `\u{0065}` and `\x65`: each can spell a letter in an identifier, a string or a template.
const escapes = /\\(?:u([0-9a-fA-F]{4})|u\{(0*[0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2}))/g

/** Finds every forbidden identifier in a text, in order, written plainly or with escapes. */
export function checkText(code: string): ForbiddenIdentifier[] {
  const found = new Map<number, string>()
  for (const match of code.matchAll(forbidden)) found.set(match.index, match[0])
  if (code.includes('\\')) {
    const decoded = decode(code)
    for (const match of decoded.text.matchAll(forbidden)) found.set(decoded.originOf(match.index), match[0])
  }
  if (found.size === 0) return []
  const places = [...found].sort(([a], [b]) => a - b)
  return locate(code, places)
}

/** Replaces each escape by its character, and maps positions in the result back to the text. */
function decode(code: string): { text: string; originOf(index: number): number } {
  let text = ''
  let copied = 0
  // Positions after each escape: in the decoded text and in the original.
  const marks: { decoded: number; original: number }[] = []
  for (const match of code.matchAll(escapes)) {
    const point = Number.parseInt(match[1] ?? match[2] ?? match[3]!, 16)
    if (point > 0x10ffff) continue
    const start = match.index
    text += code.slice(copied, start)
    marks.push({ decoded: text.length, original: start })
    text += String.fromCodePoint(point)
    copied = start + match[0].length
    marks.push({ decoded: text.length, original: copied })
  }
  text += code.slice(copied)
  const originOf = (index: number): number => {
    let low = 0
    let high = marks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (marks[middle]!.decoded <= index) low = middle + 1
      else high = middle
    }
    const mark = marks[low - 1]
    return mark === undefined ? index : mark.original + (index - mark.decoded)
  }
  return { text, originOf }
}

/** Turns sorted offsets into lines and columns. Lines end as in JavaScript: LF, CR, CRLF, U+2028, U+2029. */
function locate(code: string, places: [index: number, identifier: string][]): ForbiddenIdentifier[] {
  const hits: ForbiddenIdentifier[] = []
  let line = 1
  let lineStart = 0
  const lineEnd = /\r\n|[\n\r\u2028\u2029]/g
  let next = lineEnd.exec(code)
  for (const [index, identifier] of places) {
    while (next !== null && next.index + next[0].length <= index) {
      line += 1
      lineStart = next.index + next[0].length
      next = lineEnd.exec(code)
    }
    hits.push({ identifier, line, column: index - lineStart + 1 })
  }
  return hits
}
