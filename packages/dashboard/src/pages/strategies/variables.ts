/** Which variables code reads, by its text. */

export type Reads = {
  names: string[]
  /** It also reads `$.Env` in a way that does not say which variables, such as `$.Env[name]`. */
  isDynamic: boolean
}

const env = /(?<![\w$])\$\s*\??\.\s*Env(?![\w$])/g
const member = /^\s*\??\.\s*(\w+)(?![\w$])/
const element = /^\s*(?:\?\.\s*)?\[\s*(['"`])(\w+)\1\s*\]/
const pattern = /\{([^{}]*)\}\s*=\s*$/

/** Comments and strings count too: a name may be found that no run reads. */
export function readVariables(code: string): Reads {
  const names = new Set<string>()
  let isDynamic = false
  for (const { index, 0: found } of code.matchAll(env)) {
    const after = code.slice(index + found.length, index + found.length + 300)
    const named = member.exec(after)?.[1] ?? element.exec(after)?.[2]
    const listed = named === undefined ? listedBefore(code.slice(Math.max(0, index - 500), index)) : [named]
    if (listed === undefined) isDynamic = true
    else for (const name of listed) names.add(name)
  }
  return { names: [...names].sort(), isDynamic }
}

/** The names in `{ A, B: b } =`, with which a text ends; `undefined` if it does not say all of them. */
function listedBefore(text: string): string[] | undefined {
  const parts = pattern
    .exec(text)?.[1]
    ?.split(',')
    .map((part) => part.trim())
  const names = parts?.filter((part) => part !== '').map((part) => /^(\w+)(?=\s*(?:$|[:=]))/.exec(part)?.[1])
  return names?.includes(undefined) ? undefined : (names as string[] | undefined)
}

type Variable = { id: number; name: string; folder_id: number | null }

/**
 * The variable that a strategy gets for a name: that of the nearest folder, else the global one.
 * @param around the folder of the strategy and those around it, the nearest first
 */
export function variableFor<Item extends Variable>(
  name: string,
  variables: readonly Item[],
  around: readonly number[],
): Item | undefined {
  const places: (number | null)[] = [...around, null]
  for (const place of places) {
    const found = variables.find((each) => each.name === name && each.folder_id === place)
    if (found !== undefined) return found
  }
  return undefined
}
