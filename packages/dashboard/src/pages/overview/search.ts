/** The part of the address of the overview that chooses what is shown: how much time the curves of equity show. */

import { choiceOf } from '../../base/search.ts'

const names = ['day', 'week', 'month', 'year'] as const

export type CurveRange = (typeof names)[number]
export type OverviewSearch = { range?: CurveRange }

export function readOverviewSearch({ range }: Record<string, unknown>): OverviewSearch {
  const known = choiceOf(names, range)
  return known === undefined ? {} : { range: known }
}
