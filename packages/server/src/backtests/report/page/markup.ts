/** Text that may stand in a page as it is. Only `html` makes it. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = Markup | string | number | null | false | readonly Value[]

/**
 * A template of HTML. Whatever stands in it is escaped, for text and for quoted attributes, unless `html` made it. `null`
 * and `false` are nothing, and the items of a list follow each other.
 */
export function html(strings: TemplateStringsArray, ...values: Value[]): Markup {
  return new Markup(
    strings.map((text, index) => (index === 0 ? '' : written(values[index - 1]!)) + text).join(''),
  )
}

/** A text from outside: its direction of writing changes nothing around it. */
export function foreign(text: string): Markup {
  return html`<bdi>${text}</bdi>`
}

function written(value: Value): string {
  if (value === null || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(written).join('')
  return escaped(String(value))
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.toWellFormed().replaceAll(/[&<>"']/g, (character) => entities[character]!)
}
