/**
 * Text of other people, as a page may show it: payloads, log lines, names, errors of exchanges, words of models. The
 * page never treats it as markup. This file makes visible what would otherwise deceive a reader.
 */

/**
 * Characters that cannot be shown as they are: controls except tab and line feed, half surrogates, and those of format,
 * which change the direction of what follows or which nobody sees. Joiners between the parts of an emoji stay.
 */
const unseen = /(?![\t\n\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** A piece of a text. `isEscaped`: it stands for a character that cannot be shown as it is. */
export type Piece = { text: string; isEscaped: boolean }

/**
 * Splits a text into pieces to show. A control character, a bidirectional control and a lone surrogate become the
 * number of the character, such as `U+202E`.
 */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const match of text.matchAll(unseen)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), isEscaped: false })
    const code = match[0].codePointAt(0)!
    pieces.push({ text: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`, isEscaped: true })
    end = match.index + match[0].length
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isEscaped: false })
  return pieces
}

/** The same on one line, for titles and labels that cannot have pieces. */
export function plainText(text: string): string {
  return piecesOf(text)
    .map((piece) => (piece.isEscaped ? `[${piece.text}]` : piece.text))
    .join('')
    .replace(/[\t\n]+/g, ' ')
}

/**
 * The beginning of a text, cut between two characters, so that a page never draws a line of 256 KB.
 * @param most the largest number of UTF-16 units to keep
 */
export function beginningOf(text: string, most: number): { text: string; left: number } {
  if (text.length <= most) return { text, left: 0 }
  const isBetween = /[\ud800-\udbff]/.test(text[most - 1]!)
  const kept = text.slice(0, isBetween ? most - 1 : most)
  return { text: kept, left: text.length - kept.length }
}
