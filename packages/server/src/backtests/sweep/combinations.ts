/** Which sets of parameters a sweep tries. */
import { createHash } from 'node:crypto'

/** The values of each parameter, in their order. */
export type Axes = Readonly<Record<string, readonly string[]>>

/** A set of parameters, by name. */
export type ParameterSet = Record<string, string>

/** How many combinations there are. More than 2⁵³ are not exact. */
export function combinationCount(axes: Axes): number {
  return Object.values(axes).reduce((count, values) => count * values.length, 1)
}

/** Every combination, the values of the last parameter first. */
export function everyCombination(axes: Axes): ParameterSet[] {
  return Object.entries(axes).reduce<ParameterSet[]>(
    (sets, [name, values]) => sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value }))),
    [{}],
  )
}

/**
 * Different combinations, which only the seed chooses, in the order of the draw.
 * @param count if there are fewer combinations, all of them are returned
 */
export function randomCombinations(axes: Axes, count: number, seed: number): ParameterSet[] {
  if (count >= combinationCount(axes)) return everyCombination(axes)
  const drawn = new Map<string, ParameterSet>()
  for (let draw = 0; drawn.size < count; draw++) {
    const set = Object.fromEntries(
      Object.entries(axes).map(([name, values]) => {
        return [name, values[Math.floor(chance(`${seed} ${draw} ${name}`) * values.length)]!]
      }),
    )
    drawn.set(JSON.stringify(set), set)
  }
  return [...drawn.values()]
}

/** From 0 to below 1. */
function chance(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}
