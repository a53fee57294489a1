/** The parser of `syntax-check.ts`: acorn, kept from what cannot be stopped. */

import { Parser, type Program, tokTypes } from 'acorn'

/** What acorn's parser has for its plugins, but not in its types. */
type Internals = {
  new (
    ...args: never[]
  ): {
    readRegexp(): void
    validateRegExpPattern(state: { source: string; flags: string }): void
    finishToken(type: unknown, value: unknown): void
  }
}

/** Thrown to leave acorn's method when a pattern is found valid. */
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
 * Validates regular expressions without making them, which acorn would do next: for some of a few kilobytes V8 takes
 * minutes and gigabytes (`/[\p{RGI_Emoji}\p{RGI_Emoji}…]/v`), outside its heap, and no limit nor `terminate` stops it.
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

/** The tree of a script. Throws acorn's `SyntaxError`, or a `RangeError` when it is nested too deeply. */
export function parseScript(text: string): Program {
  return StoppableParser.parse(text, { ecmaVersion: 'latest', sourceType: 'script' })
}
