/** Removes every top-level member `key`: {@link takeOut}. */
export function takeOutKey(json: string): string {
  return takeOut(json, ['key'])
}

/**
 * Removes every top-level member with one of these names from a JSON object and leaves the rest unchanged, byte for byte.
 * Serialising the parsed object would round large numbers and drop repeated names.
 * @param json a JSON object that `JSON.parse` has accepted: the scan assumes that it is valid
 */
export function takeOut(json: string, names: readonly unknown[]): string {
  const start = json.indexOf('{') + 1
  const kept: string[] = []
  let removed = false
  let at = start
  for (;;) {
    const end = memberEnd(json, at)
    const member = json.slice(at, end)
    if (names.includes(memberName(member))) removed = true
    else kept.push(member)
    if (json[end] === '}') {
      return removed ? json.slice(0, start) + kept.join(',') + json.slice(end) : json
    }
    at = end + 1
  }
}

/** The end of the member that starts at `from`: the next comma at its level, or the closing brace. */
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

/** The closing quote of the string that opens at `from`. */
function stringEnd(json: string, from: number): number {
  let at = from + 1
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}

/** The name of a member, parsed as JSON because it may contain escapes; `undefined` in an empty object. */
function memberName(member: string): unknown {
  const open = member.indexOf('"')
  return open === -1 ? undefined : JSON.parse(member.slice(open, stringEnd(member, open) + 1))
}
