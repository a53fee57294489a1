/** A piece of a prompt. `at` is the index of the braces with which a placeholder opens. */
export type ScannedPiece =
  | { type: 'text'; text: string }
  /** `inner`: what is between the braces, without spaces around it. */
  | { type: 'placeholder'; inner: string; at: number }
  | { type: 'comment'; at: number }
  | { type: 'unclosed'; at: number }

const comment = /\s*(?:comment|#):/y
const jsonFollows = /\s*(?:toon:|val:[^={}]*=)\s*/y

/** Splits a prompt into text and placeholders. It passes over the text once. An unclosed placeholder is the last piece. */
export function* scanPrompt(text: string): Generator<ScannedPiece> {
  let at = 0
  for (;;) {
    const open = text.indexOf('{{', at)
    if (open === -1) break
    if (open > at) yield { type: 'text', text: text.slice(at, open) }
    const isComment = matchesAt(comment, text, open + 2)
    const end = isComment ? endOfComment(text, open) : endOfPlaceholder(text, open)
    if (end === -1) {
      yield { type: 'unclosed', at: open }
      return
    }
    if (isComment) yield { type: 'comment', at: open }
    else yield { type: 'placeholder', inner: text.slice(open + 2, end - 2).trim(), at: open }
    at = end
  }
  if (at < text.length) yield { type: 'text', text: text.slice(at) }
}

/** The index after the braces that end the placeholder; -1 if there are none. */
function endOfPlaceholder(text: string, open: number): number {
  const hasArgument = matchesAt(jsonFollows, text, open + 2)
  return indexAfter(text, '}}', hasArgument ? endOfArgument(text, jsonFollows.lastIndex) : open + 2)
}

/** JSON, and a placeholder in `toon`, can have closing braces of their own. */
function endOfArgument(text: string, start: number): number {
  if (text.startsWith('{{', start)) return indexAfter(text, '}}', start)
  return text[start] === '{' || text[start] === '[' ? endOfJson(text, start) : start
}

/** Placeholders in a comment belong to it, so that a passage with placeholders can be left out. */
function endOfComment(text: string, open: number): number {
  const braces = /\{\{|\}\}/g
  braces.lastIndex = open
  let depth = 0
  for (;;) {
    const found = braces.exec(text)
    if (found === null) return -1
    depth += found[0] === '{{' ? 1 : -1
    if (depth === 0) return braces.lastIndex
  }
}

/** The index after the list or object that begins at `start`; -1 if it has no end. */
function endOfJson(text: string, start: number): number {
  const token = /["{}[\]]/g
  token.lastIndex = start
  let depth = 0
  for (;;) {
    const found = token.exec(text)
    if (found === null) return -1
    if (found[0] === '"') {
      const end = endOfString(text, found.index)
      if (end === -1) return -1
      token.lastIndex = end
    } else depth += found[0] === '{' || found[0] === '[' ? 1 : -1
    if (depth === 0) return token.lastIndex
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '"') return at + 1
    if (text[at] === '\\') at += 1
  }
  return -1
}

/** -1 if `part` is not in the text, or `from` is -1. */
function indexAfter(text: string, part: string, from: number): number {
  const found = from === -1 ? -1 : text.indexOf(part, from)
  return found === -1 ? -1 : found + part.length
}

/** @param pattern is sticky. After a match, its `lastIndex` is the end. */
function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}
