/**
 * Takes every top-level member `key` out of a JSON object and leaves the rest byte for byte: writing the
 * parsed object anew would round large numbers and drop repeated names.
 * @param json the text of a JSON object that `JSON.parse` has accepted; the scan relies on it being valid
 */
export function takeOutKey(json: string): string {
  const start = json.indexOf('{') + 1
  const kept: string[] = []
  let removed = false
  let at = start
  for (;;) {
    const end = memberEnd(json, at)
    const member = json.slice(at, end)
    if (memberName(member) === 'key') removed = true
    else kept.push(member)
    if (json[end] === '}') {
      return removed ? json.slice(0, start) + kept.join(',') + json.slice(end) : json
    }
    at = end + 1
  }
}

/** Where the member that starts at `from` ends: at the next comma of its level, or at the closing brace. */
function memberEnd(json: string, from: number): number {
  let depth = 0
  for (let at = from; ; at++) {
    const character = json[at]
    if (character === '"') at = stringEnd(json, at)
    else if (character === '{' || character === '[') depth++
    else if (depth === 0 && (character === ',' || character === '}')) return at
    else if (character === '}' || character === ']') depth--
  }
}

/** Where the string that opens at `from` has its closing quote. */
function stringEnd(json: string, from: number): number {
  let at = from + 1
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}

/** A name may be spelled with escapes, so that it is read as JSON; `undefined` in an empty object. */
function memberName(member: string): unknown {
  const open = member.indexOf('"')
  return open === -1 ? undefined : JSON.parse(member.slice(open, stringEnd(member, open) + 1))
}
