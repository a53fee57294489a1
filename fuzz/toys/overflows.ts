import { textTarget } from '../target.ts'

/** Recurses as deep as the brackets are nested, without a limit. */
export default textTarget({ seeds: ['[[]]'], words: ['[['.repeat(4_000)], byteLimit: 64_000, check: depthOf })

function depthOf(text: string, at = 0): number {
  return text[at] === '[' ? 1 + depthOf(text, at + 1) : 0
}
