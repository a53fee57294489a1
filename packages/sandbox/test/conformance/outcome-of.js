/**
 * The first part of a program on both sides. It describes the outcome of a snippet as text, with every difference that
 * code can notice (`-0`, holes, `undefined`, missing prototypes). It uses no method of the value itself.
 *
 * @param {() => Promise<unknown>} snippet
 */
// biome-ignore lint/correctness/noUnusedVariables: the program that follows calls it
async function outcomeOf(snippet) {
  const { getPrototypeOf, keys, hasOwn } = Object
  const tagOf = Object.prototype.toString

  try {
    return show(await snippet(), [])
  } catch (thrown) {
    return `threw ${show(thrown, [])}`
  }

  function show(value, above) {
    if (typeof value === 'string') return JSON.stringify(value)
    if (typeof value === 'bigint') return `${value}n`
    if (typeof value === 'function') return `function ${JSON.stringify(value.name)}`
    if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value)
    if (above.includes(value)) return '<cycle>'
    const kind = tagOf.call(value).slice(8, -1)
    return `${kind}${head(value)}{${members(value, [...above, value])}}`
  }

  function head(value) {
    if (Error.isError(value)) return `(${value.name}: ${value.message})`
    if (getPrototypeOf(value) === null) return '(no prototype)'
    if (value instanceof Date) return `(${Date.prototype.valueOf.call(value)})`
    if (value instanceof RegExp) return `(${RegExp.prototype.toString.call(value)})`
    if (Array.isArray(value)) return `(${value.length})`
    return ''
  }

  function members(value, above) {
    const shown = keys(value).map((key) => `${JSON.stringify(key)}: ${show(value[key], above)}`)
    if (value instanceof Map) {
      for (const [key, item] of Map.prototype.entries.call(value))
        shown.push(`${show(key, above)} => ${show(item, above)}`)
    }
    if (value instanceof Set) {
      for (const item of Set.prototype.values.call(value)) shown.push(show(item, above))
    }
    if (Error.isError(value) && hasOwn(value, 'cause')) shown.push(`cause ${show(value.cause, above)}`)
    return shown.join(', ')
  }
}
