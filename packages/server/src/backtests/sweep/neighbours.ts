/** How much of the best result of a sweep remains next to it. A peak among worse neighbours is probably luck. */

/** A set of parameters, and its result: the larger, the better. */
export type Trial = { parameters: Readonly<Record<string, string>>; result: number }

/** A trial that differs from the best one in one parameter, by one of its values. */
export type Neighbour = { trial: Trial; parameter: string; value: string; change: number }

/** `mean`: of the results of the neighbours; `null` without any. */
export type Neighbourhood = { best: Trial; neighbours: Neighbour[]; mean: number | null }

/**
 * The best trial, the first one if several are, with its neighbours.
 * @param values of each parameter, in the order in which they are neighbours
 * @returns `null` without trials
 */
export function neighbourhoodOf(
  trials: readonly Trial[],
  values: Readonly<Record<string, readonly string[]>>,
): Neighbourhood | null {
  const [first, ...others] = trials
  if (first === undefined) return null
  const best = others.reduce((most, trial) => (trial.result > most.result ? trial : most), first)
  const neighbours = Object.entries(values).flatMap(([parameter, list]) => {
    const at = list.indexOf(best.parameters[parameter]!)
    return [list[at - 1], list[at + 1]].flatMap((value): Neighbour[] => {
      if (at < 0 || value === undefined) return []
      const trial = trials.find((each) => isSame(each, { ...best.parameters, [parameter]: value }))
      return trial === undefined ? [] : [{ trial, parameter, value, change: trial.result - best.result }]
    })
  })
  const total = neighbours.reduce((sum, { trial }) => sum + trial.result, 0)
  return { best, neighbours, mean: neighbours.length === 0 ? null : total / neighbours.length }
}

function isSame({ parameters }: Trial, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => parameters[name] === value)
}
