/**
 * One line of at most `limit` characters: without control characters, line ends, and invisible or direction-changing
 * characters, behind which a text could hide another.
 */
export function words(text: string, limit: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return cut(line, limit)
}

/** At most `limit` characters, with `…` as the last one if something is missing. A pair of surrogates counts as two. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  let kept = ''
  for (const character of text) {
    if (kept.length + character.length > limit - 1) break
    kept += character
  }
  return `${kept}…`
}

/** A text or a number of an event as text; anything else is empty. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** A number with its exact digits, and commas between thousands. Anything else is empty. */
export function figure(value: unknown): string {
  const text = textOf(value)
  const parts = /^(-?)(\d+)(\.\d+)?$/.exec(text)
  if (parts === null) return /^-?\d/.test(text) ? text : ''
  const [, sign, whole, rest = ''] = parts
  return `${sign}${whole!.replaceAll(/\B(?=(\d{3})+$)/g, ',')}${rest}`
}

/** The texts of a list; more than five are only counted. */
export function listed(value: unknown): string {
  if (!Array.isArray(value)) return ''
  const texts = value.map(textOf).filter((text) => text !== '')
  const more = texts.length - 5
  return more > 0 ? `${texts.slice(0, 5).join(', ')} and ${more} more` : texts.join(', ')
}

/** A reason as a sentence of its own, which ends in a full stop. */
export function noteOf(value: unknown): string {
  const text = words(textOf(value), 158)
  return text === '' || /[.!?…]$/.test(text) ? text : `${text}.`
}

/** Joins what belongs together without letting it break; nobody sees it. */
const joiner = '\u2060'

/**
 * Takes the effect of texts that chats turn into mentions, links and commands, wherever they come from. It adds an
 * invisible character, so people read the same text.
 */
export function defused(text: string): string {
  return text
    .replaceAll('@', `@${joiner}`)
    .replaceAll('://', `:${joiner}//`)
    .replaceAll(/(?<=[\p{L}\d-])\.(?=\p{L}{2})/gu, `.${joiner}`)
    .replaceAll(/(?<=^|\s)\/(?=\w)/g, `/${joiner}`)
}

/** A text that somebody may have copied from a message, without the invisible characters of {@link defused}. */
export function asShown(text: string): string {
  return text.replaceAll(joiner, '')
}
