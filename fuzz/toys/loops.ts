import { textTarget } from '../target.ts'

/** Counts words, and never ends at an unclosed quotation mark. */
export default textTarget({ seeds: ['a "b c" d'], check: countWords })

function countWords(text: string): number {
  let words = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') {
      const end = text.indexOf('"', at + 1)
      at = end === -1 ? at - 1 : end
    }
    if (text[at] === ' ') words++
  }
  return words
}
