import { posix } from 'node:path'
import { read, sourceFiles } from './repository.ts'

export type Import = {
  /** The importing file, from the root. */
  file: string
  /** As in the text. */
  specifier: string
  /** The imported file, from the root, if the specifier is relative. */
  target: string | undefined
}

const statement =
  /^(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm

/** Every import of the repository's TypeScript, including imports of types and dynamic imports. */
export async function allImports(): Promise<Import[]> {
  const found: Import[] = []
  for (const file of await sourceFiles()) {
    for (const match of (await read(file)).matchAll(statement)) {
      const specifier = (match[1] ?? match[2] ?? match[3])!
      const target = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined
      found.push({ file, specifier, target })
    }
  }
  return found
}

/** A cycle of imports, as the files along it, or `undefined` if there is none. */
export function findCircle(imports: readonly Import[]): string[] | undefined {
  const targets = new Map<string, string[]>()
  for (const { file, target } of imports) {
    if (target !== undefined) targets.set(file, [...(targets.get(file) ?? []), target])
  }
  const done = new Set<string>()
  const visit = (file: string, trail: string[]): string[] | undefined => {
    const seenAt = trail.indexOf(file)
    if (seenAt !== -1) return [...trail.slice(seenAt), file]
    if (done.has(file)) return undefined
    for (const target of targets.get(file) ?? []) {
      const circle = visit(target, [...trail, file])
      if (circle !== undefined) return circle
    }
    done.add(file)
    return undefined
  }
  for (const file of targets.keys()) {
    const circle = visit(file, [])
    if (circle !== undefined) return circle
  }
  return undefined
}
