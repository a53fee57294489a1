import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from '@codemirror/autocomplete'
import type { Suggestion, Types } from './editor-types.ts'
import { meaningOf } from './explaining.ts'
import { membersBefore, wordsOfLanguage } from './members.ts'

const kinds: Record<Suggestion['kind'], string> = {
  function: 'method',
  property: 'property',
  variable: 'variable',
  keyword: 'keyword',
  class: 'class',
}

/** Suggests names: those that the types know, or those of the table of `$` while the types are not there. */
export function completing(types: () => Types | null): CompletionSource {
  return async (context) => {
    const isNear = context.matchBefore(/[\w$.]+$/) !== null
    if (!isNear && !context.explicit) return null
    return (await fromTypes(types(), context)) ?? fromTable(context)
  }
}

async function fromTypes(types: Types | null, context: CompletionContext): Promise<CompletionResult | null> {
  if (types === null) return null
  const code = context.state.doc.toString()
  const found = await types.suggest(code, context.pos).catch(() => null)
  if (found === null || found.names.length === 0) return null
  return {
    from: found.from,
    validFor: /^[\w$]*$/,
    options: found.names.map((suggestion) => ({
      ...optionOf(suggestion),
      info: async () => {
        const more = await types.describe(code, context.pos, suggestion.name).catch(() => null)
        return more && meaningOf(more.type, more.about)
      },
    })),
  }
}

function fromTable(context: CompletionContext): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos)
  const before = line.text.slice(Math.max(0, context.pos - line.from - 200), context.pos - line.from)
  const members = membersBefore(before)
  const word = /[\w$]*$/.exec(before)![0]
  const from = context.pos - word.length
  if (members !== null) return { from, validFor: /^[\w$]*$/, options: members.map(optionOf) }
  // After a dot that the table does not know, words of the language would be wrong.
  if (/\.\s*[\w$]*$/.test(before)) return null
  return { from, validFor: /^[\w$]*$/, options: wordsOfLanguage.map(optionOf) }
}

function optionOf({ name, kind, type, about }: Suggestion): Completion {
  return {
    label: name,
    type: kinds[kind],
    ...(type === undefined ? {} : { detail: type.length > 60 ? `${type.slice(0, 59)}…` : type }),
    ...(about === undefined ? {} : { info: () => meaningOf(type ?? name, about) }),
  }
}
