/** What the text of a strategy says about the variables that it reads. */
export type ReadVariables = {
  /** The names that it reads directly, such as `$.Env.NAME`. */
  names: ReadonlySet<string>
  /** Whether it also reads `$.Env` in a way that does not say which variables, such as `$.Env[name]`. */
  isDynamic: boolean
}

/** `\u0045`, `\u{45}` and `\x45` can spell a letter of a name. */
const escapes = /\\(?:u([0-9a-fA-F]{4})|u\{0*([0-9a-fA-F]{1,5})\}|x([0-9a-fA-F]{2}))/g
/** `$` itself, not a part of another name. */
const root = '(?<![\\w$])\\$'
const env = new RegExp(`${root}\\s*\\??\\.\\s*Env(?![\\w$])`, 'g')
const member = /\s*\??\.\s*(\w+)(?![\w$])/y
const element = /\s*(?:\?\.\s*)?\[\s*(['"`])(\w+)\1\s*\]/y
/** The longest `{ A, B } =` that is understood, in characters. */
const patternLimit = 500
/** `$` as a value, which something else may read: `= $`, `f($)`, `$[name]`. */
const whole = new RegExp(`(?:[=(,:]\\s*${root}\\s*(?=[;,)}\\n]|$))|${root}\\s*(?:\\?\\.\\s*)?\\[`)

/**
 * Finds the variables that code reads, by its text. Comments and strings count too, so a name may be found that no run
 * reads, but none that a run reads is missed.
 */
export function readVariables(code: string): ReadVariables {
  const text = code.includes('\\')
    ? code.replaceAll(escapes, (_, ...digits: string[]) =>
        String.fromCodePoint(Number.parseInt(digits.slice(0, 3).find(Boolean)!, 16)),
      )
    : code
  const names = new Set<string>()
  let isDynamic = whole.test(text)
  for (const { index, 0: found } of text.matchAll(env)) {
    const named = namesAt(text, index, index + found.length)
    if (named === undefined) isDynamic = true
    else for (const name of named) names.add(name)
  }
  return { names, isDynamic }
}

/** The names that one use of `$.Env`, from `start` to `end`, reads; `undefined` if the text does not say. */
function namesAt(text: string, start: number, end: number): string[] | undefined {
  for (const [form, group] of [
    [member, 1],
    [element, 2],
  ] as const) {
    form.lastIndex = end
    const name = form.exec(text)?.[group]
    if (name !== undefined) return [name]
  }
  return namesBefore(text.slice(Math.max(0, start - patternLimit), start))
}

/** The names in `{ A, B: b } =`, with which a text ends. */
function namesBefore(text: string): string[] | undefined {
  const left = text.trimEnd()
  const braced = left.endsWith('=') ? left.slice(0, -1).trimEnd() : ''
  if (!braced.endsWith('}')) return undefined
  const parts = braced.slice(braced.lastIndexOf('{') + 1, -1).split(',')
  const names = parts.map((part) => part.trim()).filter((part) => part !== '')
  const read = names.map((part) => /^(\w+)(?=\s*(?:$|[:=]))/.exec(part)?.[1])
  return read.includes(undefined) ? undefined : (read as string[])
}
