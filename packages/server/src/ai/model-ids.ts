import { createHash } from 'node:crypto'

/**
 * The number of a model, for clients that pick models by number: the same on every node and at any time, and for the
 * same name at every provider. Two models of a list have the same number with a chance of one in a billion.
 */
export function modelId(name: string): number {
  return createHash('sha256').update(name).digest().readUIntBE(0, 6) + 1
}

/** @returns `undefined` if no model has this number, or several have */
export function findModel(names: readonly string[], id: number): string | undefined {
  const found = names.filter((name) => modelId(name) === id)
  return found.length === 1 ? found[0] : undefined
}
