import { piecesOf } from '../../base/text.ts'

/** A command with more text than this is refused by most systems. */
const mostOfArgument = 100_000

/**
 * The command that posts a payload again. What a terminal could take for a command of its own, such as a control
 * character, is written as JSON does it, which means the same.
 * @param body the JSON that was accepted
 */
export function curlOf({
  url,
  body,
  contentType,
  needsKey,
}: {
  url: string
  body: string
  contentType: string | undefined
  needsKey: boolean
}): string {
  const text = harmless(body)
  const options = [
    `-H ${quoted(`content-type: ${harmless(contentType ?? 'application/json')}`)}`,
    ...(needsKey ? ["-H 'x-key: YOUR_PASSWORD'"] : []),
    quoted(url),
  ]
  if (text.length <= mostOfArgument)
    return ['curl', ...options, `--data-binary ${quoted(text)}`].join(' \\\n  ')
  const end = endOf(text)
  return `${['curl', ...options, `--data-binary @- <<'${end}'`].join(' \\\n  ')}\n${text}\n${end}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A tab completes words in a terminal. In JSON, it can only be space between values. */
function harmless(text: string): string {
  const pieces = piecesOf(text.replaceAll('\t', ' '))
  return pieces.map(({ text, isEscaped }) => (isEscaped ? escaped(text) : text)).join('')
}

/** `U+202E` as JSON writes it. */
function escaped(name: string): string {
  const character = String.fromCodePoint(Number.parseInt(name.slice(2), 16))
  // A carriage return can only be space between values, like a tab.
  if (character === '\r') return ' '
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}

/** A line that the text does not have. */
function endOf(text: string): string {
  for (let number = 0; ; number += 1) {
    const end = `PAYLOAD${number || ''}`
    if (!text.split('\n').includes(end)) return end
  }
}
