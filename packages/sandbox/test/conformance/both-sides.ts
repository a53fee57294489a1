/** Runs the same snippets in the sandbox and in plain Node, which is the same V8 in a fresh context. */

import { readFile } from 'node:fs/promises'
import { createContext, runInContext } from 'node:vm'
import { testSandbox } from '../../src/test-support.ts'

/** The outcome of each snippet, by its text. */
export type Outcomes = Record<string, string>

/** Few enough that all their outcomes fit into `$.Storage`. */
const snippetsPerRun = 20

const prelude = await readFile(new URL('outcome-of.js', import.meta.url), 'utf8')
const { run } = await testSandbox()

export async function inSandbox(snippets: readonly string[]): Promise<Outcomes> {
  return await inBatches(snippets, async (program) => {
    const outcome = await run(program)
    if (outcome.status !== 'completed')
      throw new Error(`the program did not complete: ${JSON.stringify(outcome)}`)
    return JSON.parse(outcome.storage!) as string[]
  })
}

export async function inPlainNode(snippets: readonly string[]): Promise<Outcomes> {
  return await inBatches(snippets, async (program) => {
    const AsyncFunction = runInContext('(async () => {}).constructor', createContext()) as AsyncFunctionMaker
    let stored: string[] = []
    const Storage = {
      get: async () => null,
      set: async (outcomes: string[]) => {
        stored = [...outcomes]
      },
    }
    await new AsyncFunction('$', `"use strict";\n${program}`)({ Storage })
    return stored
  })
}

type AsyncFunctionMaker = new (...texts: string[]) => ($: object) => Promise<void>

async function inBatches(
  snippets: readonly string[],
  runProgram: (program: string) => Promise<string[]>,
): Promise<Outcomes> {
  const outcomes: Outcomes = {}
  for (let from = 0; from < snippets.length; from += snippetsPerRun) {
    const batch = snippets.slice(from, from + snippetsPerRun)
    const shown = await runProgram(programOf(batch))
    batch.forEach((snippet, index) => {
      outcomes[snippet] = shown[index]!
    })
  }
  return outcomes
}

function programOf(snippets: readonly string[]): string {
  const runs = snippets.map(
    (snippet) => `outcomes.push(await outcomeOf(async function () {\n${bodyOf(snippet)}\n}))\n`,
  )
  return `${prelude}\nconst outcomes = []\n${runs.join('')}await $.Storage.set(outcomes)`
}

const AsyncFunctionHere = (async () => {}).constructor as new (text: string) => unknown

/** A snippet is an expression if it compiles as one, otherwise the body of a function. */
function bodyOf(snippet: string): string {
  const asExpression = `return (\n${snippet}\n)`
  try {
    new AsyncFunctionHere(`"use strict";\n${asExpression}`)
    return asExpression
  } catch {
    return snippet
  }
}
