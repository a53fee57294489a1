/** `text` is JSON, or looks like it. */
export type Body = { name: string; text: string }

const codeBytes = 256 * 1024
const promptBytes = 1024 * 1024
/** A few values fewer than a body may have. */
const mostValues = 49_000
const mostFields = 9_900

const fill = (bytes: number, item: string) => item.repeat(Math.max(0, Math.floor(bytes / item.length)))
const list = (count: number, item: string) => `[${`${item},`.repeat(Math.max(0, count - 1))}${item}]`
const many = (bytes: number, item: string) => Math.min(mostValues, Math.floor(bytes / (item.length + 1)) - 2)

/** Bodies of up to `bytes` that cost as much work as possible, for a route with these fields. */
export function hostileBodies(fields: readonly string[], bytes: number): Body[] {
  const room = bytes - 1_000
  const share = Math.floor(room / Math.max(1, fields.length)) - 50
  const each = (value: string) => `{${fields.map((name) => `"${name}":${value}`).join()}}`
  const names = (most: number, nameOf: (n: number) => string) => {
    const count = Math.min(most, many(room, `"${nameOf(1e6)}":0`))
    return `{${Array.from({ length: count }, (_, n) => `"${nameOf(n)}":0`).join()}}`
  }
  const oneByOne = names(mostValues / 2, (n) => `k${n}`).replaceAll(',', '},{')
  const perField = Math.floor(mostValues / Math.max(1, fields.length))
  return [
    { name: 'a long text in each field', text: each(`"${fill(share, 'x')}"`) },
    { name: 'a long list in each field', text: each(list(Math.min(perField, many(share, '0')), '0')) },
    { name: 'small objects', text: list(many(room, '{}'), '{}') },
    { name: 'many shapes', text: `[${oneByOne}]` },
    { name: 'many names', text: names(mostFields, (n) => `k${n}`) },
    { name: 'names that are numbers', text: names(mostFields, (n) => String(n * 16_384)) },
    {
      name: 'many objects of many names',
      text: list(
        4,
        names(mostFields, (n) => `k${n}`),
      ),
    },
    { name: 'nothing but brackets', text: fill(room, '[') },
    { name: 'texts that cannot be stored', text: list(many(room, '"\\u0000"'), '"\\u0000"') },
    { name: 'escapes', text: `{"x":"${fill(room, '\\u0041')}"}` },
    { name: 'no JSON at its end', text: `{"x":"${fill(room, 'x')}"` },
  ]
}

/** The largest bodies that a route may parse completely, by its fields. */
export function largestBodies(fields: readonly string[]): Body[] {
  const has = (field: string) => fields.includes(field)
  const bodies: Body[] = []
  const add = (name: string, body: object) => bodies.push({ name, text: JSON.stringify(body) })
  if (has('code')) {
    const code = (item: string) => ({ code: fill(codeBytes - 100, item) })
    add('code: statements', code('var a = 1; a++\n'))
    add('code: forbidden words', code('eval '))
    add('code: escapes', code('\\x61'))
    add('code: one long word', code('fetch'))
    add('code: line ends', code('\n'))
    add('code: brackets', code('('))
  }
  if (has('payload')) {
    add('payload: numbers', { code: '', prompt: 'x', payload: JSON.parse(list(mostValues, '0')) })
    add('payload: a text', { code: '', prompt: 'x', payload: fill(900_000, 'x') })
    const headers = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`h${n}`, fill(8_000, 'x')]))
    add('headers', { code: '', prompt: 'x', headers })
  }
  if (has('prompt')) {
    const prompt = (item: string) => ({ prompt: fill(promptBytes, item) })
    add('prompt: words', prompt('Judge it. '))
    add('prompt: braces', prompt('{{'))
    add('prompt: placeholders', prompt('{{current_time}} '))
    add('prompt: unknown placeholders', prompt('{{nothing}}\n'))
    add('prompt: comments', prompt('{{#:}}'))
    add('prompt: values', { prompt: `{{val:a=${fill(1_000, 'x')}}}${fill(7_000, '{{a}} ')}` })
    add('prompt: JSON without end', prompt('{{toon:[[ "'))
    add('prompt: TOON', { prompt: `{{toon:[${fill(60_000, '[[{"a":1}]],')}1]}}` })
    add('prompt: line ends', prompt('\n'))
    add('prompt: two bytes a letter', prompt('é'))
  }
  if (has('cron_interval')) {
    add('cron: stars', { cron_interval: `${fill(240, '*,')}* * * * *` })
    add('cron: lists', {
      cron_interval: `${fill(160, '0-59/1,')}1 ${fill(60, '0-23,')}1 * * *`.slice(0, 255),
    })
  }
  if (has('symbol')) add('symbols', { symbol: fill(1_000, 'A,') })
  if (has('value')) add('a variable', { name: 'A', value: fill(16_000, 'é') })
  if (has('public_key')) add('a public key', { name: 'x', algorithm: 'ML-DSA', public_key: fill(8_000, 'A') })
  return bodies
}
