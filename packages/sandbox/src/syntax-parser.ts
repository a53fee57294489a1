/** The parser of `syntax-check.ts`: acorn, without the step that cannot be interrupted. */

import { Parser, type Program, tokTypes } from 'acorn'

/** Members of acorn's parser that plugins can use, but that its types lack. */
type Internals = {
  new (
    ...args: never[]
  ): {
    readRegexp(): void
    validateRegExpPattern(state: { source: string; flags: string }): void
    finishToken(type: unknown, value: unknown): void
  }
}

/** Thrown to leave acorn's method after it has found a pattern valid. */
class Validated extends Error {
  readonly pattern: string
  readonly flags: string

  constructor(pattern: string, flags: string) {
    super()
    this.pattern = pattern
    this.flags = flags
  }
}

/**
 * Validates regular expressions without creating them, which acorn would do next. For some expressions of a few
 * kilobytes, such as `/[\p{RGI_Emoji}\p{RGI_Emoji}…]/v`, V8 takes minutes and gigabytes outside its heap, and neither a
 * limit nor `terminate` can stop it.
 */
const plugin = (Base: Internals) =>
  class extends Base {
    override readRegexp(): void {
      try {
        super.readRegexp()
      } catch (thrown) {
        if (!(thrown instanceof Validated)) throw thrown
        const { pattern, flags } = thrown
        this.finishToken(tokTypes.regexp, { pattern, flags, value: null })
      }
    }

    override validateRegExpPattern(state: { source: string; flags: string }): void {
      super.validateRegExpPattern(state)
      throw new Validated(state.source, state.flags)
    }
  }

const StoppableParser = Parser.extend(plugin as unknown as Parameters<typeof Parser.extend>[0])

/** The syntax tree of a script. Throws acorn's `SyntaxError`, or a `RangeError` if the script is nested too deeply. */
export function parseScript(text: string): Program {
  return StoppableParser.parse(text, { ecmaVersion: 'latest', sourceType: 'script' })
}
