/**
 * Characters that a terminal obeys, or that make a text look like another one: control characters, marks of direction,
 * invisible characters, separators of lines and paragraphs, halves of characters. The joiners of emoji stay.
 */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu

/** A text for one line of a terminal: what a terminal would obey is shown as an escape, such as `\x1b`. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, escaped)
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join('\n')
}

/** A value as one line of JSON, in which every such character is an escape of JSON. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(unprintable, (character) =>
    character
      .split('')
      .map((unit) => `\\u${hex(unit.charCodeAt(0), 4)}`)
      .join(''),
  )
}

function escaped(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\t') return '\\t'
  if (character === '\r') return '\\r'
  const code = character.codePointAt(0)!
  if (code <= 0xff) return `\\x${hex(code, 2)}`
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 5)}}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
