import { type ChartSettings, readChart } from '../market/chart/chart-settings.ts'
import type { Charts } from '../market/chart/charts.ts'
import type { ThinkInput } from './think.ts'

/** Draws the chart of a strategy; `null`: its model sees none. */
export function chartDrawer(
  charts: Pick<Charts, 'draw'>,
  userId: number,
  settings: ChartSettings | null,
): ThinkInput['drawChart'] {
  if (settings === null) return null
  const { plan, problem } = readChart(settings)
  if (plan !== undefined) return () => charts.draw(userId, plan)
  return async () => ({ reason: `${problem.field} ${problem.message}.` })
}
